"""Commands that only read run unasked; whatever writes, executes or leaves the workspace asks."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.sandboxes import needs_bubblewrap

from oneclaw import App, Config, ToolCall
from oneclaw.core.errors import Kind
from oneclaw.core.question import Question
from oneclaw.guard.command.read_only import is_read_only

WORK = "/home/me/work"


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "ls -la src",
        "cat a.txt b.txt",
        f"cat {WORK}/a.txt",
        "head -n 5 a.txt | grep -n x",
        "git status",
        "git status --short",
        "git diff HEAD~1 -- src",
        "git log --oneline -5",
        "git log -20 main..feature",
        "git --no-pager show HEAD:src/a.py",
        "git blame a.py",
        "grep -rn 'x y' src",
        "find . -name '*.py' -type f",
        "rg -n x",
        "sort -n a.txt | head -3",
        "wc -l a.txt && echo done",
        "pwd; ls",
        "cd src && ls",
        f"cd {WORK}/src && git log --oneline",
        "cd src; cd deeper; cat a.txt | wc -l",
    ],
)
def test_what_only_reads_is_known(command: str) -> None:
    assert is_read_only({"command": command}, WORK)


@pytest.mark.parametrize(
    "command",
    [
        # options that write or execute
        "git -c core.pager=x log",
        "git -c alias.status='!touch x' status",
        "git -C /etc log",
        "git --git-dir=/tmp/x log",
        "git --exec-path=/tmp status",
        "git --config-env=core.fsmonitor=X status",
        "git diff --output=x",
        "git log --output x",
        "git diff --ext-diff",
        "git log -p --textconv",
        "git grep -O x",
        "git grep --open-files-in-pager=vim x",
        "git log --exec=x",
        "git archive --output=x HEAD",
        "git branch new",
        "git config core.pager x",
        "git fetch",
        "git push",
        "git -p log",
        "git help log",
        "find . -exec rm {} ;",
        "find . -execdir rm {} +",
        "find . -ok rm {} ;",
        "find . -delete",
        "find . -fprint x",
        "find . -fls x",
        "sort -o a.txt b.txt",
        "sort --output=a.txt b.txt",
        "sort -oa.txt b.txt",
        "sort --compress-program=x a.txt",
        "sort -T . a.txt",
        "rg --pre x y",
        "fd -x rm",
        "less a.txt",
        "more a.txt",
        "man ls",
        "tree -o x",
        "file -C -m x",
        "uniq a b",
        "xxd a b",
        "date -s x",
        "hostname x",
        "tee a.txt",
        "sed -i s/a/b/ a.txt",
        "awk 1 a.txt",
        "touch a.txt",
        "mkdir a",
        "cp a b",
        "env ls",
        "xargs ls",
        "sudo ls",
        "bash -c ls",
        "timeout 3 ls",
        "./ls",
        "/tmp/ls",
        "python3 -c 1",
        # what the shell does
        "ls > a.txt",
        "cat a.txt >> b.txt",
        "cat < a.txt > b.txt",
        "ls $(touch a)",
        "ls `touch a`",
        "cat <(touch a)",
        "ls $HOME",
        "X=1 ls",
        "ls &",
        "ls; rm a.txt",
        "ls && rm a.txt",
        "ls | sh",
        "cd src",
        "cd && ls",
        "cd - && ls",
        "cd /etc && ls",
        "cd .. && ls",
        "cd ~ && ls",
        "cd src && cat ../../secret",
        "cd src && rm a.txt",
        "cd $HOME && ls",
        "cd src dir && ls",
        'cd "" && ls',
        "ls\nrm a.txt",
        "l\u200bs",
        # outside of the workspace
        "cat /etc/passwd",
        "cat ~/.ssh/id_rsa",
        "cat ../secret",
        "cat src/../../secret",
        f"cat {WORK}/../secret",
        f"cat {WORK}er/secret",
        "ls /",
        "ls ~",
        "grep -r x /home",
        "grep -f/etc/passwd a.txt",
        "grep --file=/etc/passwd a.txt",
        "git diff --no-index /etc/passwd a.txt",
        "git show --format=x:/etc/passwd --output=y",
        "find / -name x",
        "wc --files0-from=list",
        "du --files0-from=list",
        "cat /proc/self/environ",
        "",
        "   ",
    ],
)
def test_what_is_not_known_to_only_read_asks(command: str) -> None:
    assert not is_read_only({"command": command}, WORK)


@pytest.mark.parametrize(
    "more",
    [
        {"network": True},
        {"background": True},
        {"env": {"PATH": "."}},
        {"working_dir": "/etc"},
        {"working_dir": ".."},
        {"working_dir": "~"},
    ],
)
def test_other_arguments_make_it_ask(more: dict[str, Any]) -> None:
    assert is_read_only({"command": "ls", "working_dir": "src"}, WORK)
    assert not is_read_only({"command": "ls", **more}, WORK)


# ---------------------------------------------------------------------- with the app


def app_with(tmp_path: Path, **values: Any) -> App:
    work = tmp_path / "work"
    work.mkdir(exist_ok=True)
    return App(Config(tmp_path / "home", workspace=work, values={"features.shell": True, **values}))


async def test_in_the_mode_deny_no_command_runs(tmp_path: Path) -> None:
    async with app_with(tmp_path, **{"permissions.mode": "deny"}) as app:
        result, asked = await run(app, "ls")
        assert (result.kind, asked) == (Kind.PERMISSION_DENIED, [])


async def run(app: App, command: str, **more: Any) -> tuple[Any, list[str]]:
    """What the command did, and what was asked about it; every question gets a no."""
    asked: list[str] = []

    def show(question: Question) -> None:
        asked.append(question.title)
        app.broker.answer(question.id, "no")

    unbind = app.broker.bind(show)
    try:
        result = await app.engine.call(ToolCall("execute_shell_command", {"command": command, **more}))
    finally:
        unbind()
    return result, asked


@needs_bubblewrap
@pytest.mark.parametrize("mode", ["auto", "ask"])
async def test_reading_is_not_asked_about_and_the_setting_turns_that_off(tmp_path: Path, mode: str) -> None:
    async with app_with(tmp_path, **{"permissions.mode": mode}) as app:
        (tmp_path / "work" / "a.txt").write_text("hello")
        result, asked = await run(app, "cat a.txt")
        assert (result.value["stdout"], asked) == ("hello", [])
        assert (await run(app, "rm a.txt"))[1] == ["default asks: Run a command"]
    async with app_with(tmp_path, **{"permissions.mode": mode, "shell.read_unasked": False}) as app:
        assert (await run(app, "cat a.txt"))[1] == ["default asks: Run a command"]


@needs_bubblewrap
async def test_a_cd_before_reading_is_not_asked_about_and_moves_no_shell(tmp_path: Path) -> None:
    async with app_with(tmp_path) as app:
        (tmp_path / "work" / "src").mkdir()
        (tmp_path / "work" / "src" / "a.txt").write_text("hello")
        result, asked = await run(app, "cd src && cat a.txt")
        assert (result.value["stdout"], asked) == ("hello", [])
        assert "your shell stands where it stood before" in result.value["note"]
        result, asked = await run(app, "ls")
        assert (result.value["stdout"], asked) == ("src\n", [])


async def test_without_a_sandbox_reading_asks(tmp_path: Path) -> None:
    async with app_with(tmp_path, **{"shell.sandbox": "none"}) as app:
        assert (await run(app, "ls"))[1] == ["default asks: Run a command"]


def hostile_repository(folder: Path) -> None:
    """A repository whose settings start a program at each git command that people think only reads."""
    for words in (
        ["init", "-q"],
        ["config", "user.email", "a@b"],
        ["config", "user.name", "a"],
    ):
        subprocess.run(["git", *words], cwd=folder, check=True)
    (folder / "a.txt").write_text("one\n")
    (folder / ".gitattributes").write_text("*.txt diff=evil\n")
    subprocess.run(["git", "add", "."], cwd=folder, check=True)
    subprocess.run(["git", "commit", "-qm", "first"], cwd=folder, check=True)
    (folder / "a.txt").write_text("two\n")
    evil = folder / "evil.sh"
    evil.write_text('#!/bin/sh\necho ran >> "$(dirname "$0")/harm"\ncat "$1" 2>/dev/null\nexit 0\n')
    evil.chmod(0o755)
    for key in ("core.fsmonitor", "diff.external", "diff.evil.textconv", "core.pager", "pager.log"):
        subprocess.run(["git", "config", key, str(evil)], cwd=folder, check=True)


@needs_bubblewrap
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.slow
async def test_a_hostile_repository_can_write_nothing(tmp_path: Path) -> None:
    async with app_with(tmp_path) as app:
        hostile_repository(tmp_path / "work")
        before = sorted(path for path in (tmp_path / "work").rglob("*") if path.is_file())
        for command in ("git status", "git diff", "git log -p", "git show HEAD", "git blame a.txt"):
            result, asked = await run(app, command)
            assert asked == []
            assert result.ok, result.message
        assert sorted(path for path in (tmp_path / "work").rglob("*") if path.is_file()) == before
        assert not (tmp_path / "work" / "harm").exists()


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_outside_of_that_sandbox_the_same_repository_does_harm(tmp_path: Path) -> None:
    """The twin: plain git starts the program, and it writes."""
    hostile_repository(tmp_path)
    subprocess.run(["git", "diff"], cwd=tmp_path, check=False, capture_output=True)
    assert (tmp_path / "harm").exists()


@needs_bubblewrap
async def test_a_shell_that_has_left_the_workspace_does_not_read_unasked(tmp_path: Path) -> None:
    async with app_with(tmp_path, **{"shell.allow": ["cd **"]}) as app:
        assert (await run(app, "cd /usr"))[0].ok
        result, asked = await run(app, "ls")
        assert "outside the workspace" in result.message
        assert asked == []


@needs_bubblewrap
async def test_our_own_files_and_those_of_the_user_are_not_seen(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a secret")
    async with app_with(tmp_path) as app:
        (tmp_path / "work" / "link").symlink_to(secret)
        (tmp_path / "work" / "home").symlink_to(tmp_path / "home")
        for command in ("cat link", "ls home", "grep -r secret link"):
            result, asked = await run(app, command)
            assert asked == []
            assert "a secret" not in str(result.value)
            assert "oneclaw.db" not in str(result.value)


# ---------------------------------------------------------------------- rules to refuse, rules to offer


@pytest.mark.parametrize(
    ("rule", "command", "is_refused"),
    [
        ("git push *", "git push", True),
        ("git push *", "git push -f origin main", True),
        ("git push *", "git -v push origin", True),
        ("git push *", "ls; git push", True),
        ("git push *", "timeout 3 git push", True),
        ("git push *", "bash -c 'git push'", True),
        ("git push *", "/usr/bin/git push", True),
        ("git push *", "git pull", False),
        ("rm -rf *", "rm -rf a", True),
        ("rm -rf *", "rm a", False),
        ("npm publish", "npm publish --tag x", True),
    ],
)
async def test_a_denied_command_is_refused_and_nobody_is_asked(
    tmp_path: Path, rule: str, command: str, is_refused: bool
) -> None:
    async with app_with(tmp_path, **{"shell.deny": [rule]}) as app:
        result, asked = await run(app, command)
        assert ("in shell.deny" in result.message) is is_refused
        assert bool(asked) is not is_refused


@pytest.mark.parametrize(
    ("command", "rules"),
    [
        ("docker ps -a", ("docker ps -a **",)),
        ("kubectl get pods", ("kubectl get **",)),
        ("systemctl status x", ("systemctl status **",)),
        ("git commit -m x", ()),
        ("make test", ()),
        ("docker run x", ()),
        ("docker ps; make", ()),
    ],
)
async def test_always_offers_a_rule_only_where_it_is_known_to_be_harmless(
    tmp_path: Path, command: str, rules: tuple[str, ...]
) -> None:
    async with app_with(tmp_path) as app:
        asked: list[Question] = []

        def show(question: Question) -> None:
            asked.append(question)
            app.broker.answer(question.id, "no")

        app.broker.bind(show)
        await app.engine.call(ToolCall("execute_shell_command", {"command": command}))
        assert asked[0].rules == rules
        assert asked[0].why == "It needs to run programs on this machine: in the sandbox, no network."
