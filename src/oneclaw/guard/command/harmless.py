"""Commands that are harmless with any argument, so that rules with stars need no confirmation.

A program stands here when no words after it can make it start another program, write what others run or obey,
or send anything. Words, not options: a star stands for no option, and a rule that names one is known only
where the option stands here. Each was looked up in its manual; what is missing is asked about once.

Not here, though they look as if they could be: `uniq`, `xxd` (the second word is written), `date`, `hostname`
(a word sets it), `strings`, `nm`, `gcc` (`@file` holds options), `zgrep`, `man` (scripts and pagers), `cargo
tree` and `go doc` (files of the workspace name a compiler), `npm view` (a word names a repository to build).
"""

import re

from oneclaw.guard.command.program import chosen, is_harmless

_PLAIN = re.compile(r"[\w./:=@%+-]+", re.ASCII)

# Program → the options that a rule may name.
PROGRAMS = {
    "cd": "",
    "touch": "-c",  # makes empty files
    "mkdir": "-p",
    "printf": "",
    "sort": "-n -r -u -k -t -h -V -f -b",
    "diff": "-u -r -q -w -b -i",
    "file": "-b -i -L --mime-type",
    "find": """
        -name -iname -path -ipath -regex -iregex -type -maxdepth -mindepth -size -mtime -mmin -newer -empty
        -print -print0 -prune -not -o -a -user -group -perm
        """,
    "rg": "-n -i -l -c -w -v -F -e -g -t -A -B -C --files --hidden",
    "fd": "-e -t -H -I -g -d",
    "fdfind": "-e -t -H -I -g -d",
    "tree": "-L -a -d -f",
    "ps": "-e -f -ef -u -p",
    "pgrep": "-f -l -a",
    "column": "-t -s",
    "hexdump": "-C -n -s",
}
# Program → the words after it that are known, and the options that a rule may name.
SUBCOMMANDS = {
    "git": (
        """
        status log diff show blame grep shortlog whatchanged ls-files ls-tree rev-parse rev-list describe
        merge-base name-rev cat-file diff-tree show-ref check-ignore
        """,
        """
        -n -p -s -b -t -e -1 -2 -3 -5 -10 -20 --oneline --stat --shortstat --numstat --graph --all --short
        --porcelain --name-only --name-status --cached --staged --since --until --author --grep --decorate
        --no-color --no-merges --reverse --follow
        """,
    ),
    "docker": ("ps images logs inspect version info top port diff history", "-a -q"),
    "podman": ("ps images logs inspect version info port diff history", "-a -q"),
    "kubectl": ("get describe logs top version explain api-resources api-versions", "-n -A --namespace"),
    "helm": ("list status history version", "-n -A --namespace"),
    "systemctl": (
        "status show cat is-active is-enabled is-failed list-units list-timers",
        "--user --no-pager",
    ),
    "pip": ("list show check", ""),
    "npm": ("ls list root prefix", ""),
    "apt": ("list show search policy", ""),
}

# A command that changes something → the options that a star at the end of a rule stands for, too: those that
# everybody gives it, and that only say what is done and not how.
EVERYDAY: dict[tuple[str, ...], str] = {
    ("git", "commit"): "-m -a -am -q -s -v --message --all --quiet --signoff --verbose",
    ("git", "add"): "-A -u -v --all --update --verbose",
}


def everyday_options(argv: tuple[str, ...]) -> frozenset[str]:
    """The options of a command that a star at the end of a rule stands for."""
    return frozenset(EVERYDAY.get(argv[:2], "").split())


def is_known(words: tuple[str, ...]) -> bool:
    """Whether a rule of these words, stars among them, covers nothing that could do harm."""
    name = words[0]
    if is_harmless(name):
        return True
    if name in PROGRAMS:
        return _names_only(words[1:], PROGRAMS[name])
    at = chosen(words)
    known, options = SUBCOMMANDS.get(name, ("", ""))
    return at < len(words) and words[at] in known.split() and _names_only(words[at + 1 :], options)


def wider_rule(argv: tuple[str, ...]) -> str:
    """A rule for the use that a command makes of its program, with any further words; empty for none.

    Options of the command stand in the rule, for a star stands for none: `git log --oneline **`.
    """
    at = chosen(argv) if argv[0] in SUBCOMMANDS else 0
    options = [word for word in argv[at + 1 :] if word.startswith("-") and not is_harmless(argv[0])]
    words = (*argv[: at + 1], *options, "**")
    is_plain = all(_PLAIN.fullmatch(word) for word in words[:-1])
    return " ".join(words) if is_plain and is_known(words) else ""


def _names_only(words: tuple[str, ...], options: str) -> bool:
    """Whether no other options stand among the words."""
    known = {"--", *options.split()}
    return all(word.partition("=")[0] in known for word in words if word.startswith("-"))
