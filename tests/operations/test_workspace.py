"""The workspace of a chat or a run: a project is taken, the home and the system never."""

import os
import subprocess
from pathlib import Path

import pytest

from oneclaw import App, Config
from oneclaw.core.errors import InvalidConfig
from oneclaw.operations.workspace import choose_workspace, confirm_folder, in_workspace


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of a person."""
    home = tmp_path / "person"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        monkeypatch.delenv(f"XDG_{name}_HOME", raising=False)
    return home


@pytest.fixture
def config(person: Path) -> Config:
    return Config(home=person / ".local" / "share" / "oneclaw")


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    return folder


async def test_the_current_folder_of_a_repository_is_taken(config: Config, person: Path) -> None:
    project = repository(person / "project")
    (project / "src").mkdir()
    for folder in (project, project / "src"):
        choice = await choose_workspace(config, folder)
        assert (choice.folder, choice.reason) == (folder, "repository")
        assert in_workspace(config, choice).workspace_folder == folder


async def test_a_worktree_is_a_repository(config: Config, person: Path) -> None:
    tree = person / "tree"
    tree.mkdir()
    (tree / ".git").write_text("gitdir: ../project/.git/worktrees/tree\n")
    assert (await choose_workspace(config, tree)).reason == "repository"


async def test_a_plain_folder_is_taken_once_it_is_confirmed(config: Config, person: Path) -> None:
    papers = person / "papers"
    (papers / "old").mkdir(parents=True)
    choice = await choose_workspace(config, papers)
    assert (choice.reason, choice.current) == ("private", papers)
    assert in_workspace(config, choice).workspace_folder == config.home / "workspace"
    assert await confirm_folder(config, papers) == papers
    for folder in (papers, papers / "old"):
        assert (await choose_workspace(config, folder)).reason == "confirmed"
    await confirm_folder(config, papers / "old", is_confirmed=False)
    declined = await choose_workspace(config, papers / "old")
    assert (declined.reason, declined.current) == ("private", None)  # no need to ask again
    await confirm_folder(config, papers, is_confirmed=None)
    assert (await choose_workspace(config, papers)).current == papers


async def test_a_repository_that_was_declined_is_not_taken(config: Config, person: Path) -> None:
    project = repository(person / "project")
    await confirm_folder(config, project, is_confirmed=False)
    assert (await choose_workspace(config, project)).reason == "private"


async def test_a_folder_that_is_named_wins(config: Config, person: Path) -> None:
    named = Config(home=config.home, workspace=person)
    choice = await choose_workspace(named, repository(person / "project"))
    assert (choice.folder, choice.reason) == (person, "named")


@pytest.mark.parametrize(
    "place", ["/", "/etc", "/usr/lib", "..", ".", ".local/share/oneclaw/workspace", ".config/oneclaw"]
)
async def test_the_home_the_system_and_our_own_are_never_taken(
    config: Config, person: Path, place: str
) -> None:
    """Not even as repositories, as the home of a person who keeps her dotfiles with git."""
    folder = Path(os.path.realpath(person / place))
    if place not in ("/", "/etc", "/usr/lib", ".."):
        repository(folder)
    choice = await choose_workspace(config, folder)
    assert (choice.folder, choice.reason) == (config.home / "workspace", "private")
    assert choice.current is None
    with pytest.raises(InvalidConfig, match="is no project"):
        await confirm_folder(config, folder)


async def test_a_repository_of_the_home_makes_no_project_of_what_is_in_it(
    config: Config, person: Path
) -> None:
    repository(person)
    (person / "letters").mkdir()
    choice = await choose_workspace(config, person / "letters")
    assert (choice.reason, choice.current) == ("private", person / "letters")


async def test_a_hidden_folder_of_the_home_is_asked_about(config: Config, person: Path) -> None:
    hidden = repository(person / ".ssh")
    choice = await choose_workspace(config, hidden)
    assert (choice.reason, choice.current) == ("private", hidden)


async def test_a_repository_that_others_may_write_is_asked_about(config: Config, tmp_path: Path) -> None:
    shared = repository(tmp_path / "shared")
    (shared / "mine").mkdir()
    assert (await choose_workspace(config, shared / "mine")).reason == "repository"
    shared.chmod(0o1777)  # as /tmp is, where anybody can put a .git
    assert (await choose_workspace(config, shared / "mine")).reason == "private"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
async def test_a_repository_of_another_user_is_asked_about(config: Config, tmp_path: Path) -> None:
    theirs = repository(tmp_path / "theirs")
    os.chown(theirs / ".git", 65534, 65534)
    assert (await choose_workspace(config, theirs)).reason == "private"


async def test_a_link_is_followed_before_it_is_judged(config: Config, person: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(person)
    choice = await choose_workspace(config, tmp_path / "link")
    assert choice.too_wide == person


async def test_a_confirmed_folder_is_not_trusted(config: Config, person: Path) -> None:
    papers = person / "papers"
    papers.mkdir()
    await confirm_folder(config, papers)
    async with App(in_workspace(config, await choose_workspace(config, papers))) as app:
        assert not app.is_trusted(papers)
        await app.trust(papers)
        assert app.is_trusted(papers)
        assert not app.is_trusted(papers / "old")
        await app.trust(papers, False)
        assert not app.is_trusted(papers)
