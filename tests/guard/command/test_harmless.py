"""Rules with stars: what is known to be harmless is accepted, all else is asked about once."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.guard.command.test_approval import app_with, call
from tests.person import Person

from oneclaw import App, Config, ToolCall
from oneclaw.guard.command import harmless
from oneclaw.guard.command.approval import TOOL
from oneclaw.guard.command.program import _HARMLESS  # pyright: ignore[reportPrivateUsage]
from oneclaw.guard.command.rule import Rule, parse_rule
from oneclaw.guard.command.verdict import judge_command

NOBODY = 65534
PATH = "/usr/local/bin:/usr/bin:/bin"  # where nobody may go too
KNOWN = {
    *_HARMLESS,
    *harmless.PROGRAMS,
    *(f"{name} {word}" for name, (words, _) in harmless.SUBCOMMANDS.items() for word in words.split()),
}


@pytest.mark.parametrize(
    "rule",
    ["ls **", "ls -la **", "cat *", "grep -r **", "cd *", "touch build/*", "git log *", "git log -n *",
     "git diff --stat **", "git log --since=* *", "git --no-pager log **", "find * -name *", "docker ps **",
     "kubectl get *", "npm ls *", "sort -k *", "touch -- *", "mkdir -p *"],
)  # fmt: skip
def test_a_star_after_what_is_known_is_accepted(rule: str) -> None:
    assert parse_rule(rule).is_accepted


@pytest.mark.parametrize(
    "rule",
    ["mytool *", "pytest **", "./ls **", "/bin/ls **", "cp * *", "rm *", "tee *", "chmod * *", "uniq * *",
     "xxd * *", "date *", "strings *", "git push *", "git add *", "git branch *", "git remote *",
     "git fetch *", "git show --format=* *", "git log --output=* *", "sort -o * *", "find * -fprint0x *",
     "rg --pre-glob * *", "diff --to-file=* *", "npm view *", "go doc *", "cargo tree *", "podman top *",
     "file -m * *", "tree -o * .", "gh pr *", "aws s3 *", "curl *", "wget *", "kill *", "zgrep * *",
     "apt list --option=* x", "rg -n --hostname-bi * x"],
)  # fmt: skip
def test_a_star_after_anything_else_has_to_be_confirmed(rule: str) -> None:
    made = Rule(tuple(rule.split()))
    assert not made.is_accepted
    assert Rule(made.words, is_confirmed=True).is_accepted
    assert Rule(tuple(word.replace("*", "x") for word in made.words)).is_accepted, "without stars it is exact"


@pytest.mark.parametrize(
    "name",
    [
        *("aoss", "aa-exec", "csvtool", "ansible-test", "codex", "fail2ban-client", "xdg-user-dir", "sysctl"),
        *("faketime", "schroot", "chronic", "run-one", "sem", "procmail"),
    ],
)
@pytest.mark.parametrize("form", [("*",), ("**",), ("x", "*"), ("--", "**")])
def test_what_starts_or_configures_others_is_not_covered_by_stars(name: str, form: tuple[str, ...]) -> None:
    for is_confirmed in (False, True):
        rules = [Rule((name, *form), is_confirmed=is_confirmed)]
        for words in ("x", "x y", "-- id"):
            assert not judge_command(f"{name} {words}", rules).is_allowed
    assert judge_command(f"{name} x", [Rule((name, "x"))]).is_allowed


def test_what_is_missing_is_said() -> None:
    verdict = judge_command("ls && mytool x", [parse_rule("ls **"), parse_rule("mytool *")])
    assert not verdict.is_allowed
    assert verdict.unconfirmed == ("mytool *",)
    assert verdict.why == (
        "The rule mytool * in shell.allow is not confirmed: a star may be any words, and mytool is not known"
        " to do no harm with all of them."
    )
    other = judge_command("mytool x && make", [parse_rule("mytool *")])
    assert other.unconfirmed == (), "where more is missing, the command is asked about and not the rule"
    assert judge_command("mytool x", [parse_rule("mytool *"), parse_rule("mytool x")]).is_allowed


async def test_a_rule_is_asked_about_once_and_the_yes_is_kept(tmp_path: Path) -> None:
    async with app_with(tmp_path, "mytool *", "ls **") as app:
        person = Person("always", app.broker)
        assert await call(app, command="ls -la && mytool a") == "ran"
        (prompt,) = person.asked
        assert 'Why: use the rule "mytool *" of shell.allow\n' in prompt.text
        assert "  The rule mytool * in shell.allow is not confirmed: a star may be any words" in prompt.text
        assert (
            '  "This session" and "always" confirm the rule, for every command that it covers.\n'
            in prompt.text
        )
        assert 'command = "ls -la && mytool a"' in prompt.text
        assert await call(app, command="mytool b") == "ran"
        assert await call(app, command="mytool 'c d'") == "ran"
        assert len(person.asked) == 1
        assert await call(app, command="mytool -o x") == "ran", (
            "an option is no word: this is another question"
        )
        assert "Why: run: mytool -o x\n" in person.asked[1].text
    async with app_with(tmp_path, "mytool *", "other *") as app:
        assert await call(app, command="mytool e") == "ran", "and it is remembered"
        assert "Nobody is there to ask" in await call(app, command="other e")
        assert "Nobody is there to ask" in await call(app, command="mytool e", env={"A": "1"})


async def test_a_yes_for_once_is_for_the_command_alone(tmp_path: Path) -> None:
    async with app_with(tmp_path, "mytool *") as app:
        person = Person("once", app.broker)
        for _ in range(2):
            assert await call(app, command="mytool a") == "ran"
        assert len(person.asked) == 2


async def test_a_rule_that_was_changed_is_asked_about_anew(tmp_path: Path) -> None:
    async with app_with(tmp_path, "mytool *") as app:
        Person("always", app.broker)
        await call(app, command="mytool a")
    async with app_with(tmp_path, "mytool **") as app:
        assert "Nobody is there to ask" in await call(app, command="mytool a")


async def test_without_the_table_any_star_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: with every program taken for harmless nobody is asked."""

    def known(words: tuple[str, ...]) -> bool:
        return bool(words)

    async with app_with(tmp_path, "mytool *") as app:
        assert "Nobody is there to ask" in await call(app, command="mytool a")
        monkeypatch.setattr("oneclaw.guard.command.rule.is_known", known)
        assert await call(app, command="mytool a") == "ran"


async def test_a_confirmed_rule_runs_wherever_the_shell_is(tmp_path: Path) -> None:
    """The real tool: after a `cd` nothing is asked again, and no function stands in the way."""
    values: dict[str, Any] = {"features.shell": True, "shell.allow": ["cp * *", "cd *"]}
    async with App(Config(home=tmp_path, values=values)) as app:
        session = app.new_session()
        (app.config.workspace_folder / "sub").mkdir()
        (app.config.workspace_folder / "sub" / "a").write_text("text")
        person = Person("always", app.broker)

        async def run(command: str) -> Any:
            result = await app.engine.call(ToolCall(TOOL, {"command": command}), session)
            if not result.ok and "sandbox" in result.message:
                pytest.skip(f"commands cannot be run here: {result.message}")
            assert result.ok, result.message
            return result.value

        await run("cd sub && cp a b")
        await run("cp() { echo planted > c; }")
        asked = len(person.asked)
        await run("cp a c")
        assert len(person.asked) == asked
        assert (app.config.workspace_folder / "sub" / "c").read_text() == "text"


# Only names inside the folder of the test, and its programs run as nobody: what does harm does it there.
HOSTILE = [
    ["args", "new"],
    ["@args", "new"],
    ["ext::sh -c 'touch planted'", "|touch planted", "$(touch planted)"],
    ["a=b", "+x", "kernel.hostname=x", "!touch planted"],
    ["./planted.sh", "touch", "planted"],
]


SERVED = ("docker", "podman", "kubectl", "helm", "systemctl", "npm", "pip", "apt")
"""Programs that speak with a service: they are run where nothing can be reached."""
OTHER_NAMES = {"cd": "sh", "fd": "fdfind"}
BUILT_IN = ("-c", 'cd "$@"', "sh")


@cache
def unreachable() -> list[str]:
    """The words before a command that run it as nobody, without a network."""
    words = ["unshare", "--net", f"--setgid={NOBODY}", f"--setuid={NOBODY}"]
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("cutting a program off from the network takes root and the program unshare")
    if subprocess.run([*words, "true"], capture_output=True, check=False, timeout=30).returncode:
        pytest.skip("this machine does not let us cut a program off from the network")
    return words


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def work() -> Iterator[Path]:
    """A folder of a user without special rights."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def harm_of(begin: str, work: Path, is_served: bool) -> set[str]:
    """The files that the program changes, makes with content or has others make, given words of all kinds."""
    program, *more = begin.split()
    found = shutil.which(OTHER_NAMES.get(program, program), path=PATH)
    if found is None:
        pytest.skip(f"{program} is not installed")
    apart = unreachable() if is_served else []
    (work / "apt.conf").write_text('Dir::State::lists "/var/empty";\n')  # reading them takes it long
    (work / "args").write_text("--output=planted -o planted --exec touch planted ;\n")
    (work / "planted.sh").write_text("#!/bin/sh\ntouch planted\n")
    (work / "planted.sh").chmod(0o755)
    if program == "git":
        subprocess.run([found, "init", "-q", str(work)], check=True, timeout=30)
    rights: dict[str, Any] = {}
    if os.geteuid() == 0:
        rights = {} if apart else {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        for path in (work, *work.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
    before = snapshot(work)
    for words in HOSTILE:
        words = ["0"] if program == "sleep" else words
        subprocess.run(
            [*apart, found, *(BUILT_IN if program == "cd" else more), *words],
            cwd=work,
            env={
                "PATH": PATH,
                "HOME": str(work),
                "LC_ALL": "C",
                "npm_config_logs_max": "0",
                "APT_CONFIG": str(work / "apt.conf"),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
            **rights,
        )
    after = snapshot(work)
    changed = {name for name, data in before.items() if after.get(name) != data}
    written = {name for name in after.keys() - before.keys() if after[name]}
    return changed | written | ({"planted"} & after.keys() if program != "touch" else set[str]())


@pytest.mark.parametrize("begin", sorted(KNOWN))
def test_what_is_known_does_no_harm(begin: str, work: Path) -> None:
    """The programs themselves, with words that are orders to others."""
    assert harm_of(begin, work, begin.split()[0] in SERVED) == set()


@pytest.mark.parametrize("is_served", [False, True])
@pytest.mark.parametrize("begin", ["uniq", "env", "nice -n 1"])
def test_what_is_not_known_does(begin: str, work: Path, is_served: bool) -> None:
    """The twin: the same words do harm with programs that are not in the table."""
    assert not Rule((*begin.split(), "**")).is_accepted
    assert harm_of(begin, work, is_served)
