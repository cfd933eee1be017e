"""Rules for commands: how they are read, and what they cover."""

import pytest

from oneclaw.core.errors import InvalidConfig
from oneclaw.guard.command.rule import Rule, covers, parse_rule


@pytest.mark.parametrize(
    ("rule", "command", "is_covered"),
    [
        ("git status", "git status", True),
        ("git status", "git status -s", False),
        ("git status", "git", False),
        ("git log *", "git log main", True),
        ("git log *", "git log", False),
        ("git log *", "git log a b", True),
        ("git log * --", "git log a b --", False),
        ("git commit *", "git commit -m 'Mend the door'", True),
        ("git commit *", "git commit -am one two", True),
        ("git commit *", "git commit --message=x a.txt b.txt", True),
        ("git commit *", "git commit", False),
        ("git commit **", "git commit -q", True),
        ("git commit *", "git commit --amend", False),
        ("git commit *", "git commit --template=x", False),
        ("git commit *", "git commit -m x -F y", False),
        ("git commit * x", "git commit -m x", False),
        ("git add *", "git add -A", True),
        ("git add *", "git add --edit", False),
        ("git push *", "git push -u origin", False),
        ("git log *", "git log --output=x", False),
        ("git log **", "git log", True),
        ("git log **", "git log a b c", True),
        ("git log **", "git log a --output=x", False),
        ("git log --oneline **", "git log --oneline a", True),
        ("git show --format=* *", "git show --format=%H main", True),
        ("git show --format=* *", "git show --output=x main", False),
        ("ls **", "ls -la --color=never /x", True),
        ("ls *", "ls -la", False),
        ("ls *", "ls -", False),
        ("touch *", "touch a", True),
        ("touch **", "touch -r a b", False),
        ("touch build/*", "touch build/x.o", True),
        ("touch build/*", "touch build/../x", False),
        ("touch build/*", "touch other/x", False),
        ("touch *.txt", "touch -x.txt", False),
        ("touch a*b*c", "touch abbc", True),
        ("touch a*b*c", "touch ac", False),
        ("touch ab*ba", "touch aba", False),
        ("mytool ** x", "mytool a b x", True),
        ("mytool ** x ** y", "mytool x y x y", True),
        ("mytool ** x ** y", "mytool y x", False),
        ("'my tool' a", "mytool a", False),
        ("find * -name *", "find src -name x", True),
        ("find **", "find src -delete", False),
        ("git log -n *", "git log -n 5", True),
        ("git --no-pager log *", "git --no-pager log x", True),
        ("git --no-pager log *", "git log x", False),
        ("git -C x status", "git -C x status", True),
        ("docker ps **", "docker ps x", True),
        ("docker ps **", "docker ps -a", False),
        ("docker ps **", "docker run x", False),
        ("kubectl get *", "kubectl get pods", True),
        ("npm ls *", "npm ls x", True),
        ("sort --compress-program=gzip x", "sort --compress-program=gzip x", True),
        ('echo "\\$5"', "echo $5", True),
        ("ls 2>&1", "ls", True),
    ],
)
def test_a_rule_covers_words_in_their_order(rule: str, command: str, is_covered: bool) -> None:
    assert covers(parse_rule(rule), command.split()) is is_covered


def test_words_with_blanks_are_one_word() -> None:
    assert covers(parse_rule("touch 'a b'"), ["touch", "a b"])
    assert not covers(parse_rule("touch 'a b'"), ["touch", "a", "b"])
    assert covers(parse_rule("touch *"), ["touch", "a b; id"])


@pytest.mark.parametrize(
    "rule", ["python3 **", "sh -c *", "awk *", "env *", "sudo *", "busybox *", "xargs **", "find . -exec *",
             "git submodule *", "jq **", "sed *", "/usr/bin/python3.11 *", "export *", "eval **",
             "tar *", "make *", "linux64 *", "busybox.static *", "valgrind *", "hyperfine *", "docker run *",
             "npm run *", "sort --compress-prog=* x", "rg --pre * x", "git grep --open-files-in-pager=* x",
             "ip netns *", "ssh-agent *", "msgfilter *"]
)  # fmt: skip
def test_a_star_after_a_program_that_runs_what_it_is_told_is_refused(rule: str) -> None:
    with pytest.raises(InvalidConfig, match="would allow anything"):
        parse_rule(rule)
    words = tuple(rule.split())
    assert not covers(Rule(words), [word.replace("*", "x") for word in words]), (
        "nor does one made in code count"
    )


@pytest.mark.parametrize(
    "rule", ["git *", "git **", "git s*", "gh **", "git -c * status", "git -C * *", "git --no-pager *"]
)
def test_a_star_does_not_say_what_git_is_to_do(rule: str) -> None:
    with pytest.raises(InvalidConfig, match="name the word after it"):
        parse_rule(rule)
    words = tuple(rule.split())
    assert not covers(Rule(words), [word.replace("*", "x") for word in words]), (
        "nor does one made in code count"
    )


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("", "empty"),
        ("''", "empty"),
        ("   ", "empty"),
        ("a 'b", "cannot be read"),
        ("ls | wc", "has 2 commands; write a rule for each"),
        ("git status && ls", "has 2 commands"),
        ("ls > x", "'>' is a sign of the shell"),
        ("echo $HOME", r"'\$' is a sign of the shell"),
        ("~/bin/x", "'~' is a sign of the shell"),
        ("ls {a,b}", "'{' is a sign of the shell"),
        ("ls # all", "'#' is a sign of the shell"),
        ("ls\nls", "one command of plain words"),
        ("if x", "one command of plain words"),
        ("l\u200bs", "a character that is not seen"),
        ("ls \u2013la", "is a sign of the shell"),
        ("caf\u00e9 *", "in ASCII"),
        ("* x", "name of a"),
        ("A=1 ls", "name of a"),
        ("git log -*", "star in the name of an option"),
        ("ls -l*", "star in the name"),
        ("git log --*=x", "star in the name"),
    ],
)
def test_a_rule_that_cannot_be_followed_is_refused(rule: str, why: str) -> None:
    with pytest.raises(InvalidConfig, match=why):
        parse_rule(rule)


def test_a_rule_of_many_stars_is_quick() -> None:
    rule = Rule(("mytool", *["**", "a"] * 200, "b"))
    assert not covers(rule, ["mytool", *["a"] * 3000])
    assert not covers(Rule(("mytool", "*a" * 500 + "b")), ["mytool", "a" * 9000])
