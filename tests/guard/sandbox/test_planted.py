"""Commands plant nothing that the owner's programs run: it is closed if there, and set aside if not."""

import asyncio
import os
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.ordinary import run_as_ordinary
from tests.sandboxes import skip_without

from oneclaw import App, Config, ToolCall
from oneclaw.core.errors import ToolError
from oneclaw.core.session import Root, Workspace
from oneclaw.guard.files import protected
from oneclaw.guard.sandbox import protected_watch
from oneclaw.guard.sandbox.protected_watch import Lookout
from oneclaw.run.shell.session import READ_ONLY

from .conftest import MakeSay

PROJECT = [path for some in protected.IN_PROJECT.values() for path in some]
HOME = [path for some in protected.IN_HOME.values() for path in some if not path.startswith("/")]
EVIL = "#!/bin/sh\necho harm >>$HARM\n"


def git(folder: Path, *words: str, **env: str) -> str:
    """What the owner's git says, outside of every sandbox."""
    settings = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(folder.parent)}
    person = {f"GIT_{who}_{what}": "x@y" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = subprocess.run(
        ["git", *words], cwd=folder, env=os.environ | settings | person | env, capture_output=True, text=True
    )
    return done.stdout + done.stderr


def harms(folder: Path, tmp_path: Path) -> bool:
    """Whether the owner's everyday git in a folder runs what a command planted."""
    harm = tmp_path / "harm"
    (folder / "file").write_text("x")
    for words in (["status"], ["add", "file"], ["commit", "-m", "x"], ["diff"], ["log"], ["stash"]):
        git(folder, *words, HARM=str(harm))
    return harm.exists()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository without a folder for hooks: `ws`."""
    (tmp_path / "ws").mkdir()
    git(tmp_path / "ws", "init", "-q", "--template=")
    assert not (tmp_path / "ws" / ".git" / "hooks").exists()
    return tmp_path / "ws"


@pytest.fixture
def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: nobody looks after what commands make, and nothing is closed."""
    monkeypatch.setattr(Lookout, "look", lambda self: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    monkeypatch.setattr(Lookout, "take_stock", lambda self: frozenset[str]())  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]


def plant(path: str) -> str:
    return f"mkdir -p $(dirname {path}); printf '{EVIL}' >{path}; chmod +x {path}".replace("\n", "\\n")


HOOK = plant(".git/hooks/pre-commit")
TRIES = {
    "a hook": HOOK,
    "a hook by moving the folder": f"mkdir h; printf '{EVIL}' >h/pre-commit; chmod +x h/*; rmdir .git/hooks;"
    " mv h .git/hooks".replace("\n", "\\n"),
    "a setting": f"{plant('evil')}; git config core.fsmonitor $PWD/evil; cp .git/config c;"
    " printf '[core]\\n\\tfsmonitor = ./evil\\n' >>c; cp c .git/config; mv -f c .git/config",
    "a common folder": f"{plant('evil')}; cp -r .git other; mkdir -p other/hooks;"
    " printf '[core]\\n\\tfsmonitor = ./evil\\n' >>other/config; echo ../other >.git/commondir",
    "another .git": f"{plant('evil')}; cp -r .git other;"
    " printf '[core]\\n\\tfsmonitor = ./evil\\n' >>other/config; mv .git gone; mv -T other .git",
}


@pytest.mark.parametrize("command", TRIES.values(), ids=TRIES)
async def test_the_owners_git_runs_nothing_a_command_planted(
    make_say: MakeSay, repo: Path, tmp_path: Path, command: str
) -> None:
    await make_say("bubblewrap")(command)
    assert "nothing to commit" in git(repo, "status") or "Untracked" in git(repo, "status")
    assert not harms(repo, tmp_path)


@pytest.mark.usefixtures("blind")
@pytest.mark.parametrize("command", TRIES.values(), ids=TRIES)
async def test_without_a_lookout_it_would(
    make_say: MakeSay, repo: Path, tmp_path: Path, command: str
) -> None:
    await make_say("bubblewrap")(command)
    assert harms(repo, tmp_path)


@pytest.fixture(autouse=True)
def ws(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`make_say` makes the workspace; here the repository may have done so."""
    real = Path.mkdir

    def lenient(self: Path, *given: Any, **named: Any) -> None:
        real(self, *given, **named | ({"exist_ok": True} if self == tmp_path / "ws" else {}))

    monkeypatch.setattr(Path, "mkdir", lenient)


COMMIT = (
    "git init -q sub; cd sub; echo harm >harm; git add harm;"
    " git -c user.name=x -c user.email=y commit -q -m x"
)
NESTED = {
    "a hook": f"git init -q sub; cd sub; {HOOK}",
    "a setting": f"git init -q sub; cd sub; {plant('evil')}; git config core.fsmonitor $PWD/evil",
    "a setting of a submodule": f"git init -q sub; cd sub; {plant('evil')}; git -c user.name=x"
    " -c user.email=y commit -q --allow-empty -m x; git config core.fsmonitor ./evil; cd ..; git add sub",
    "hooks elsewhere": f"git init -q sub; cd sub; {plant('h/pre-commit')}; git config core.hooksPath h",
    "a folder of git elsewhere": "git init -q other; cd other; git config alias.x y; cd ..; mkdir sub;"
    f" mv other/.git sub/dir; echo gitdir: dir >sub/.git; cd sub; {plant('evil')};"
    " git config core.fsmonitor ./evil",
    "a bare one": f"git init -q --bare sub; cd sub; {plant('evil')}; git config core.bare false; git config"
    " core.worktree $PWD; git config core.fsmonitor ./evil",
    "one that points to another": f"mkdir -p sub o/refs o/objects; cd sub; {plant('evil')};"
    " echo 'ref: refs/heads/main' >HEAD; echo ../o >commondir; G='git config -f'; $G ../o/config"
    " core.repositoryformatversion 1; $G ../o/config extensions.worktreeConfig true;"
    " $G config.worktree core.worktree $PWD; $G config.worktree core.fsmonitor ./evil",
    "a setting after a line that goes on": f"git init -q sub; cd sub; {plant('evil')};"
    " printf '\\teol = x \\\\\\n[color]\\n\\tfsmonitor = ./evil\\n' >>.git/config",
    "a setting after a form feed": f"git init -q sub; cd sub; {plant('evil')};"
    " printf '\\teol = x\\f[color]\\n\\tfsmonitor = ./evil\\n' >>.git/config",
    "a setting after a carriage return": f"git init -q sub; cd sub; {plant('evil')};"
    " printf '\\teol = x\\r[color]\\n\\tfsmonitor = ./evil\\n' >>.git/config",
    "files elsewhere": f"{COMMIT}; git config core.worktree ../../..",
    "files elsewhere by a link": f"{COMMIT}; ln -s ../.. up; git config core.worktree ../up",
    "in two steps": f"git init -q sub\n\ncd sub; {HOOK}",
}


@pytest.mark.parametrize("command", NESTED.values(), ids=NESTED)
@pytest.mark.parametrize("way", ["bubblewrap", "landlock"])
async def test_nor_does_it_in_a_repository_that_a_command_made(
    make_say: MakeSay, tmp_path: Path, command: str, way: str
) -> None:
    say = make_say(way)
    notes = [(await say(line)).note for line in command.split("\n\n")]
    assert ".set-aside" in notes[-1]
    assert not harms(tmp_path / "ws" / "sub", tmp_path)


@pytest.mark.usefixtures("blind")
@pytest.mark.parametrize("command", NESTED.values(), ids=NESTED)
async def test_without_a_lookout_it_would_there(make_say: MakeSay, tmp_path: Path, command: str) -> None:
    say = make_say("bubblewrap")
    for line in command.split("\n\n"):
        await say(line)
    assert harms(tmp_path / "ws" / "sub", tmp_path)


WORK = """
set -e
export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x
echo x >a; git add a; git commit -q -m one; git branch b; git tag t; git stash list
git worktree add -q tree b; (cd tree; echo y >b; git add b; git commit -q -m two); git merge -q b
git init -q sub; (cd sub; git config user.name x; git commit -q --allow-empty -m x; git remote add o ../..)
git clone -q . copy; (cd copy; git pull -q; git checkout -q -b other; git log --oneline | wc -l)
git gc -q; git status --short; rm -rf sub copy; git worktree remove --force tree
"""


async def test_git_works_inside(make_say: MakeSay, repo: Path) -> None:
    done = await make_say("bubblewrap")(WORK)
    assert (done.code, done.note) == (0, ""), done.err.text
    assert git(repo, "log", "--oneline").count("\n") == 2
    assert git(repo, "fsck") == ""


@pytest.mark.parametrize("way", ["bubblewrap", "landlock"])
async def test_a_repository_that_a_command_made_stays_open_to_commands(make_say: MakeSay, way: str) -> None:
    say = make_say(way)
    made = await say("git init -q sub; mkdir sub/.vscode; echo x >sub/.vscode/tasks.json; echo $$ >pid")
    assert made.note == ""
    assert (await say("git -C sub config user.name x; mv sub other; rm -rf other; ls -A")).out.text == "pid\n"


async def test_git_works_in_what_it_made_with_landlock(make_say: MakeSay) -> None:
    say = make_say("landlock")
    done = await say("git init -q . && git init -q sub && cd sub && git config user.name x && git status -s")
    assert (done.code, done.note) == (0, ""), done.err.text


def plant_all(paths: list[str]) -> str:
    return "; ".join(plant(path) for path in paths)


def there(folder: Path, paths: list[str]) -> list[str]:
    return [path for path in paths if (folder / path).exists()]


def make_all(folder: Path, paths: list[str]) -> None:
    for path in paths:
        (folder / path).parent.mkdir(exist_ok=True, parents=True)
        (folder / path).write_text("mine")


@pytest.mark.parametrize("way", ["bubblewrap", "landlock"])
async def test_what_programs_obey_is_set_aside_where_a_command_makes_it(
    make_say: MakeSay, tmp_path: Path, way: str
) -> None:
    said = await make_say(way)(plant_all(PROJECT))
    assert there(tmp_path / "ws", PROJECT) == []
    for path in PROJECT:
        assert f"{path} was renamed to {os.path.basename(path)}.set-aside" in said.note


@pytest.mark.parametrize("way", ["bubblewrap", "landlock"])
@pytest.mark.usefixtures("blind")
async def test_without_a_lookout_it_stays(make_say: MakeSay, tmp_path: Path, way: str) -> None:
    await make_say(way)(plant_all(PROJECT))
    assert there(tmp_path / "ws", PROJECT) == PROJECT


async def test_what_is_there_is_closed_to_commands(make_say: MakeSay, tmp_path: Path) -> None:
    ws = tmp_path / "ws"
    make_all(ws, PROJECT)
    names = {one.name for one in ws.iterdir()}
    tries = [
        f"echo x >{path}; rm -rf {path}; mv {path.split('/')[0]} gone; {plant(path)}" for path in PROJECT
    ]
    tried = await make_say("bubblewrap")("; ".join(tries))
    assert [path for path in PROJECT if (ws / path).read_text() != "mine"] == []
    assert tried.note == READ_ONLY
    assert {one.name for one in ws.iterdir()} == names, "and nothing is left behind"


async def test_with_landlock_which_cannot_close_it_commands_are_refused(
    make_say: MakeSay, tmp_path: Path
) -> None:
    for path in PROJECT:
        make_all(tmp_path / "ws" / path.replace("/", "-"), [path])
        with pytest.raises(ToolError, match="Landlock cannot keep it"):
            await make_say("landlock", (), tmp_path / "ws" / path.replace("/", "-"))("true")


async def test_in_the_home_of_the_user_the_same_holds(
    make_say: MakeSay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws = tmp_path / "ws"
    monkeypatch.setenv("HOME", str(ws))
    said = await make_say("bubblewrap")(plant_all(HOME))
    assert said.note.count(".set-aside") == len(HOME)
    assert there(ws, HOME) == []
    make_all(ws, HOME)
    await make_say("bubblewrap")("; ".join(f"echo x >{path}; rm -rf {path}; {plant(path)}" for path in HOME))
    assert [path for path in HOME if (ws / path).read_text() != "mine"] == []


async def test_what_the_owner_makes_between_commands_stays_and_is_closed_from_then_on(
    make_say: MakeSay, repo: Path
) -> None:
    say = make_say("bubblewrap")
    await say("true")
    (repo / ".envrc").write_text("mine")
    (repo / ".git" / "hooks" / "pre-commit").write_text("mine")
    tried = await say("echo x >.envrc; echo x >.git/hooks/pre-commit")
    assert (repo / ".envrc").read_text() == (repo / ".git" / "hooks" / "pre-commit").read_text() == "mine"
    assert "Read-only file system" in tried.err.text


async def test_repositories_below_and_their_modules_and_worktrees_are_closed(
    make_say: MakeSay, repo: Path, tmp_path: Path
) -> None:
    git(repo, "commit", "--allow-empty", "-m", "x")
    git(tmp_path, "clone", "-q", "ws", "ws/sub")
    git(repo, "worktree", "add", "tree")
    (repo / ".git" / "modules").mkdir()
    git(tmp_path, "clone", "-q", "--bare", "ws", "ws/.git/modules/m")
    git(repo / "sub", "config", "core.hooksPath", "own-hooks")
    (repo / "sub" / "own-hooks").mkdir()
    closed = [
        *("sub/.git/config", "sub/.git/hooks/post-commit", "sub/own-hooks/post-commit", "sub/.envrc"),
        *(".git/modules/m/config", ".git/modules/m/hooks/x", ".git/worktrees/tree/commondir", "tree/.git"),
        *(".git/worktrees/tree/config.worktree", ".git/config.worktree"),
    ]
    before = {path: (repo / path).read_bytes() if (repo / path).exists() else None for path in closed}
    await make_say("bubblewrap")("; ".join(f"echo x >{path}; rm -f {path}; {plant(path)}" for path in closed))
    after = {path: (repo / path).read_bytes() if (repo / path).exists() else None for path in closed}
    assert after == before


async def test_of_many_repositories_some_are_closed_and_the_others_watched(
    make_say: MakeSay, tmp_path: Path
) -> None:
    subs = [tmp_path / "ws" / f"sub{number:02}" for number in range(protected_watch.CLOSED + 3)]
    for sub in subs:
        sub.mkdir(parents=True)
        git(sub, "init", "-q", "--template=")
    (subs[-1] / ".git" / "hooks").mkdir()
    (subs[-1] / ".git" / "hooks" / "pre-push").write_text("mine")
    said = await make_say("bubblewrap")("; ".join(f"(cd {sub.name}; {HOOK})" for sub in subs))
    assert not any(harms(sub, tmp_path) for sub in subs)
    assert said.note.count(".set-aside") == 2, "those that ran nothing, but for the first"
    assert (subs[-1] / ".git" / "hooks" / "pre-push").read_text() == "mine"


async def test_settings_of_the_owner_hold_for_what_is_not_there_yet(
    make_say: MakeSay, tmp_path: Path
) -> None:
    ws = tmp_path / "ws"
    say = make_say("bubblewrap", (Root(ws / ".oneclaw", "read"), Root(ws / "oneclaw.toml", "none")))
    said = await say("mkdir -p .oneclaw/tools; echo x >.oneclaw/tools/a.js; echo x >oneclaw.toml")
    assert sorted(one.name for one in ws.iterdir()) == [".oneclaw.set-aside", "oneclaw.toml.set-aside"]
    assert "your settings" in said.note


async def test_what_the_owner_named_to_be_written_is_written(make_say: MakeSay, tmp_path: Path) -> None:
    ws = tmp_path / "ws"
    (ws / ".vscode").mkdir()
    say = make_say("bubblewrap", (Root(ws / ".vscode", "write"), Root(ws / ".envrc", "write")))
    assert (await say("echo x >.vscode/tasks.json; echo x >.envrc")).note == ""
    assert (ws / ".vscode" / "tasks.json").exists()
    assert (ws / ".envrc").exists()


def test_a_link_put_in_the_way_has_nothing_outside_renamed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / ".envrc").write_text("mine")
    (tmp_path / "ws" / "sub").mkdir(parents=True)
    git(tmp_path / "ws" / "sub", "init", "-q")
    watcher = Lookout(Workspace(tmp_path / "ws"))
    watcher.take_stock()
    watcher.begin()
    (tmp_path / "ws" / "sub").rename(tmp_path / "ws" / "moved")
    (tmp_path / "ws" / "sub").symlink_to(outside)
    with pytest.raises(OSError):
        protected_watch._rename(str(tmp_path / "ws"), ["sub", ".envrc"])  # pyright: ignore[reportPrivateUsage]
    watcher.end()
    assert (outside / ".envrc").read_text() == "mine"


async def test_a_background_job_plants_nothing_and_the_owner_is_told(tmp_path: Path) -> None:
    skip_without("bubblewrap")
    values = {"features.shell": True, "shell.sandbox": "bubblewrap", "permissions.needs.shell": "granted"}
    config = Config(home=tmp_path / "home", workspace=tmp_path / "ws", values=values)
    async with App(config) as app:
        command = "echo x >.envrc; while [ -e .envrc ]; do sleep 0.05; done; echo gone; echo y >.envrc"
        arguments: dict[str, Any] = {"command": command, "background": True}
        started = await app.engine.call(ToolCall("execute_shell_command", arguments))
        job = started.value["session_id"]
        wait = {"action": "log", "session_id": job}
        while "finished" not in str(
            (await app.engine.call(ToolCall("manage_process", {"action": "list"}))).value
        ):
            pass
        said = str((await app.engine.call(ToolCall("manage_process", wait))).value)
    assert "gone" in said
    assert ".envrc was renamed to .envrc.set-aside" in said
    assert not (tmp_path / "ws" / ".envrc").exists()


def test_all_of_this_holds_for_an_ordinary_user() -> None:
    run_as_ordinary(__file__)


@pytest.mark.parametrize(("many", "is_aside"), [(1_000, True), (1_000_000, False)])
async def test_a_large_workspace_is_looked_through_in_another_thread_first(
    make_say: MakeSay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int, is_aside: bool
) -> None:
    """The twin takes every workspace for a small one, and reads all of it on the loop."""
    monkeypatch.setattr(protected_watch, "MANY_ENTRIES", many)
    read = protected_watch._entries  # pyright: ignore[reportPrivateUsage]
    on_loop: list[str] = []

    def entries(path: str) -> tuple[list[str], frozenset[str], int]:
        if threading.current_thread() is threading.main_thread():
            on_loop.append(path)
        return read(path)

    say = make_say("bubblewrap")
    await say("mkdir d{1..50}; for d in d*; do touch $d/f{1..40}; done")
    for number in range(1, 51):
        (tmp_path / "ws" / f"d{number}" / "new").touch()  # so that they are looked at again
    await asyncio.sleep(0.1)  # folders that have just changed may change again, and are not remembered
    monkeypatch.setattr(protected_watch, "_entries", entries)
    await say("true")
    assert (not on_loop) is is_aside
