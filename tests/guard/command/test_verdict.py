"""The verdict on a command: which rules allow, what is never allowed, and that bash runs what was read."""

import shutil
import subprocess
from pathlib import Path
from time import process_time

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from oneclaw.guard.command import verdict as verdict_module
from oneclaw.guard.command.rule import Rule, parse_rule, parse_rules
from oneclaw.guard.command.syntax import MOST_CHARS, parse
from oneclaw.guard.command.verdict import judge_command

RULES = parse_rules(
    ["ls **", "cat **", "echo **", "cd *", "git status", "git log *", "wc **", "touch *", "true"]
)


@pytest.mark.parametrize(
    ("command", "programs"),
    [
        ("ls", ["ls"]),
        ("ls -la src", ["ls"]),
        ("git status", ["git"]),
        ("git log main", ["git"]),
        ("cd src && ls -l", ["cd", "ls"]),
        ("cat a.txt | wc -l", ["cat", "wc"]),
        ("ls; ls;ls", ["ls", "ls", "ls"]),
        ("\nls\n", ["ls"]),
        ("echo 'two\nlines'", ["echo"]),
        ("ls 2>/dev/null", ["ls"]),
        ("ls > /dev/null 2>&1 || true", ["ls", "true"]),
        ("echo 'rm -rf $(id) > x; `y`'", ["echo"]),
        ("echo \"a; b\" 'c | d' e\\;f", ["echo"]),
        ("cat 'a b' \"c d\"", ["cat"]),
        ("cat café.txt", ["cat"]),
        ('echo "cost: \\$5"', ["echo"]),
        ("  ls  ", ["ls"]),
        ("ls\t-la\t| wc", ["ls", "wc"]),
        ("git log HEAD~1", ["git"]),
        ("git log HEAD^{tree}", ["git"]),
        ("git log stash@{0}", ["git"]),
        ("git log @{1.week.ago}", ["git"]),
        ("ls >/dev/null -la 2>&1 src", ["ls"]),
        ('cat x | echo "x$" "a$|b$"', ["cat", "echo"]),
        ("cat page.html#top", ["cat"]),
        ("echo {} a{}b", ["echo"]),
    ],
)
def test_plain_commands_are_allowed_by_their_rules(command: str, programs: list[str]) -> None:
    verdict = judge_command(command, RULES)
    assert verdict.is_allowed, verdict.why
    assert list(verdict.programs) == programs
    assert verdict.why.startswith("Allowed by shell.allow: ")


@pytest.mark.parametrize(
    "command",
    [
        "",
        "   ",
        "git push",
        "git log --output=x",
        "git log main --output=x",
        "git -c core.pager=id log x",
        "ls; rm x",
        "ls && make",
        "ls | sh",
        "ls &",
        "ls\nls",
        "ls;\nls",
        "ls & ls",
        "ls |& cat",
        "echo $(id)",
        "echo `id`",
        'echo "$(id)"',
        'echo "`id`"',
        "echo <(id)",
        "cat < secret",
        "echo a > file",
        "echo a >> file",
        "echo a >| file",
        "echo a <> file",
        "echo a &> file",
        "echo a >&file",
        "ls 3>/dev/null",
        "echo a >/dev/null b > c",
        "cat << EOF\n$(id)\nEOF",
        "cat << 'EOF'\nx\nEOF",
        "cat <<< x",
        "echo $HOME",
        "echo ${x:-y}",
        "echo $((1+1))",
        "echo *",
        "echo a?",
        "echo [ab]",
        "echo {a,b}",
        "echo ~",
        "echo --x=~/y",
        "echo x:~",
        "echo ''~",
        "echo @{a,b}",
        "echo @{1..3}",
        "echo @{a",
        "echo {0}",
        "echo $'a'",
        'echo $"a"',
        "$x ls",
        "l* x",
        "~/ls",
        "{ls,-l}",
        "A=1 ls",
        "A=1",
        "export A=1",
        "ls # and more",
        "#ls",
        "ls() { id; }",
        "function ls { id; }",
        "alias ls=id",
        "eval ls",
        "source ls",
        ". ls",
        "exec ls",
        "command ls",
        "builtin cd x",
        "env ls",
        "nice ls",
        "timeout 5 ls",
        "time ls",
        "! ls",
        "(ls)",
        "{ ls; }",
        "if ls; then ls; fi",
        "while ls; do ls; done",
        "for i in a; do ls; done",
        "case a in a) ls;; esac",
        "[[ -f x ]]",
        "[ -f x ]",
        "((1))",
        "coproc ls",
        "ls;;ls",
        "ls;&>/dev/null",
        "ls;&ls",
        "ls|&>/dev/null cat",
        "ls&&&ls",
        "ls &&",
        "&& ls",
        "ls | | ls",
        "echo 'a",
        'echo "a',
        "echo a\\",
        "ls\x00",
        "ls\r",
        "ls\tx\x1b[2K",
        "ls\u200b",
        "l\u0455",
        "ls \uff1b id",
        "ls \u202e",
        "ls \U000e0020",
        "ls " + " " * 60 + "x",
        "/bin/ls x",
        "./ls x",
        "=ls",
        "ls=x",
    ],
)
def test_everything_else_asks(command: str) -> None:
    verdict = judge_command(command, RULES)
    assert not verdict.is_allowed, verdict.why
    assert verdict.why.endswith(".")


def test_programs_inside_what_is_not_understood_are_shown_too() -> None:
    command = (
        "for i in $(seq 3); do env -i nice make | tee log; done; bash -c 'curl x | sh'; find . -exec rm {} +"
    )
    programs = judge_command(command, RULES).programs
    assert set(programs) == {"seq", "env", "nice", "make", "tee", "bash", "curl", "sh", "find", "rm"}


def test_without_rules_nothing_is_allowed() -> None:
    verdict = judge_command("ls", ())
    assert not verdict.is_allowed
    assert verdict.why == "No rule in shell.allow covers this use of ls."


def test_an_option_that_no_rule_names_is_told() -> None:
    why = judge_command("git log --output=x", RULES).why
    assert (
        why == "No rule in shell.allow covers this use of git: a star does not match the option --output=x."
    )
    assert judge_command("git push x", RULES).why == "No rule in shell.allow covers this use of git."


def test_words_without_a_shell_are_taken_as_they_are() -> None:
    assert judge_command(["echo", "$(id) > x; ls *"], RULES).is_allowed
    assert not judge_command(["git", "push"], RULES).is_allowed
    assert not judge_command([], RULES).is_allowed
    assert not judge_command([""], RULES).is_allowed


def test_a_program_that_runs_what_it_is_told_needs_the_whole_command_as_its_rule() -> None:
    star = [Rule(("python3", "**")), Rule(("python3", "-m", "**")), Rule(("env", "**")), Rule(("sh", "**"))]
    assert not judge_command("python3 x.py", star).is_allowed
    assert not judge_command("env ls", [*star, *RULES]).is_allowed
    assert not judge_command("ls | sh", [*star, *RULES]).is_allowed
    exact = [Rule(("python3", "x.py")), Rule(("timeout", "60", "make", "test")), Rule(("sh",))]
    assert judge_command("python3 x.py && timeout 60 make test", exact).is_allowed
    assert not judge_command("python3 y.py", exact).is_allowed
    assert not judge_command("echo 'rm x' | sh", [*exact, *RULES]).is_allowed, "fed what it runs"


@pytest.mark.parametrize(
    "command",
    ["python3", "python3 -", "perl", "node", "bc", "psql db", "ssh host", "xargs", "sed -f -", "env"],
)
def test_a_program_that_runs_what_comes_in_is_not_fed_by_a_pipe(command: str) -> None:
    rules = [*RULES, Rule(tuple(command.split()))]
    assert judge_command(command, rules).is_allowed
    verdict = judge_command(f"cat x | {command}", rules)
    assert not verdict.is_allowed
    assert "is fed what it is to run" in verdict.why


@pytest.mark.parametrize("command", ["jq .name", "python3 -m json.tool", "awk '{print}'", "sed -n 1p"])
def test_data_may_be_fed(command: str) -> None:
    rules = [*RULES, parse_rule(command)]
    assert judge_command(f"cat x | {command}", rules).is_allowed


def test_what_the_words_do_not_show_is_said() -> None:
    assert judge_command("flock x rm y", ()).hidden == "What flock runs cannot be told."
    assert judge_command("bash x.sh", ()).hidden == "bash runs the file x.sh."
    assert judge_command("nice ls", ()).hidden == ""


def test_many_words_after_a_program_that_starts_others_are_read_in_bounded_time() -> None:
    before = process_time()
    assert judge_command("flock " + "rm " * 3000, ()).danger
    assert judge_command("flock " + "'a b' " * 150, ()).danger == ""
    assert process_time() - before < 5


def test_too_many_commands_ask() -> None:
    assert judge_command(" && ".join(["true"] * 50), RULES).is_allowed
    verdict = judge_command(" && ".join(["true"] * 51), RULES)
    assert not verdict.is_allowed
    assert "more than 50" in verdict.why


def test_a_longer_text_than_is_read_asks() -> None:
    assert judge_command("echo " + "a" * (MOST_CHARS - 5), RULES).is_allowed
    assert not judge_command("echo " + "a" * (MOST_CHARS - 4), RULES).is_allowed
    assert judge_command(["echo", "a" * (MOST_CHARS - 5)], RULES).is_allowed
    assert not judge_command(["echo", "a" * (MOST_CHARS - 4)], RULES).is_allowed


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf x",
        "rm x -f",
        "rm -r --for x",
        "/bin/rm -Rfv x",
        "cd x && rm -rf .",
        "echo $(rm -rf x)",
        "f() { rm -f x; }",
        "sudo -u root rm -rf x",
        "xargs -0 rm -rf",
        "find . -exec rm -rf {} +",
        "trap 'rm -rf x' EXIT",
        "eval 'rm -rf x'",
        "bash -euo pipefail -c 'bash -c \"rm -rf x\"'",
        "env -S 'rm -rf x'",
        "busybox rm -rf x",
        "timeout -k 5 10 nice -n 3 nohup rm -rf x",
        "mkfs.ext4 /dev/sda1",
        "dd if=/dev/zero of=/dev/sda",
        "find . -delete",
        "git reset --hard",
        "git clean -fdx",
        "git push --force",
        "env " * 30 + "ls",
        'trap "rm -rf $x" EXIT',
        'bash -c "rm -rf $x"',
        "bash <<'E'\nrm -rf x\nE",
        "bash <<< 'rm -rf x'",
        "curl x | sh",
        "r''m -r\\f x",
        "rm >/dev/null -rf x",
        "env 2>&1 rm -rf x",
        "ls > y $(rm -rf x)",
    ],
)
def test_what_destroys_is_named(command: str) -> None:
    assert judge_command(command, ()).danger


@pytest.mark.parametrize(
    "command",
    [
        *("rm x", "rm -r x", "rm -- -f", "echo rm -rf x", "trap - EXIT", "git reset x", "dd of=/dev/null"),
        "grep -f x y",
    ],
)
def test_what_does_not_destroy_is_not(command: str) -> None:
    assert judge_command(command, ()).danger == ""


def test_a_danger_is_allowed_by_its_exact_rule_alone() -> None:
    assert judge_command("rm -rf build", [Rule(("rm", "-rf", "build"))]).is_allowed
    assert not judge_command("rm -rf build", [Rule(("rm", "-rf", "**"))]).is_allowed


SHELLISH = st.text(
    st.sampled_from(list("abls '\"\\$`(){}[]<>|&;!#*?~=-/.,\n\t\r0123456789%^@+:\u200b\u00e9")), max_size=40
)


@given(st.text() | SHELLISH | st.lists(SHELLISH, max_size=5))
@settings(max_examples=400)
def test_no_text_makes_it_raise(command: str | list[str]) -> None:
    verdict = judge_command(command, RULES)
    assert verdict.why
    judge_command(command, ())


@pytest.mark.parametrize(
    "piece",
    [
        "(",
        "$(",
        "`",
        "'",
        '"',
        "{",
        "a;",
        "<<E\n",
        "if ",
        "\\",
        "a|",
        "((",
        "[[ ",
        "\x00",
        "é",
        "${",
        "<(",
        "case a in a) ",
        "[",
    ],
)
def test_nonsense_is_read_in_bounded_time(piece: str) -> None:
    """Seconds of the processor, not of the clock: another program on the machine does not count."""
    for chars in (MOST_CHARS, 100_000):
        text = (piece * chars)[:chars]
        before = process_time()
        assert not judge_command(text, RULES).is_allowed
        assert process_time() - before < 5


BASH = shutil.which("bash")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of programs that write down how they were called, and do nothing else."""
    folder = tmp_path_factory.mktemp("programs")
    for name in ("a", "b", "s"):
        program = folder / name
        program.write_text('#!/bin/sh\nprintf "%s\\0" $# "${0##*/}" "$@" >> "$LOG"\n')
        program.chmod(0o700)
    return folder


def run_in_bash(command: str, programs: Path) -> list[list[str]]:
    """The calls that bash makes of a command line, one program after the other."""
    log = programs.parent / "log"
    log.write_bytes(b"")
    subprocess.run(
        [str(BASH), "-c", command],
        env={"PATH": str(programs), "LOG": str(log)},
        cwd=programs.parent,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=30,
        check=False,
    )
    said = log.read_bytes().decode().split("\0")[:-1]
    calls: list[list[str]] = []
    while said:
        count = int(said[0]) + 1
        calls.append(said[1 : 1 + count])
        del said[: 1 + count]
    return calls


HOSTILE = st.lists(
    st.sampled_from(
        ["a", "b", "s", " ", " ", "'", '"', "\\", "$", "`", "(", ")", "{", "}", "<", ">", "&", "&&", "|",
         "||", ";", "\n", "#", "!", "*", "?", "~", "=", "-x", "$(s)", "`s`", "1", "2>&1", ">/dev/null",
         "<<a\n", "$'", '$"', "\\\n", "%", ",", "a b", "'s'", '"s"', "é"]
    ),
    max_size=12,
).map("".join)  # fmt: skip


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@given(tail=HOSTILE)
@example(tail=" x#y")
@example(tail=' "b;" && b')
@example(tail=" \\' s \\'")
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_allowed_is_what_bash_runs(tail: str, programs: Path) -> None:
    """Every chain that rules allow, run by bash itself: the same programs with the same words, no others."""
    command = "a " + tail
    forms = (("**",), ("-x", "**"), ("**", "-x", "**"))
    rules = [Rule((name, *form), is_confirmed=True) for name in "abs" for form in forms]
    verdict = judge_command(command, rules)
    if not verdict.is_allowed:
        return
    said = [list(each.argv) for each in parse(command).commands]
    ran = run_in_bash(command, programs)
    joined = "||" in command  # what stands after it does not run
    assert all(call in said for call in ran) if joined or "|" in command else ran == said


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
def test_bash_runs_more_where_substitution_is_taken_for_text(programs: Path) -> None:
    """The twin: without the doubts, what was read is not what runs."""
    command = "a $(s)"
    assert parse(command).commands[0].argv == ("a", "$(s)")
    assert ["s"] in run_in_bash(command, programs)
    assert not judge_command(command, [Rule(("a", "**"), is_confirmed=True)]).is_allowed
    assert judge_command("a x", [Rule(("a", "**"), is_confirmed=True)]).is_allowed


def test_without_the_second_reading_more_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin of the second reading: it is what refuses where the grammar takes something for plain."""
    command = "ls \\\n -la"
    assert not judge_command(command, RULES).is_allowed

    def agree(text: str) -> tuple[tuple[str, ...], ...]:
        return tuple(each.argv for each in parse(text).commands)

    monkeypatch.setattr(verdict_module, "read_twice", agree)
    assert judge_command(command, RULES).is_allowed
