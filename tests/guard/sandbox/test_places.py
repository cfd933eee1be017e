"""What is shown of the workspace: commands write in it, and get nothing else shown by what they put there."""

from collections.abc import Collection, Sequence
from pathlib import Path

import pytest

from oneclaw.core.session import Root, Workspace
from oneclaw.guard.sandbox import sandbox as sandboxes
from oneclaw.guard.sandbox.places import SandboxPath, workspace_places
from oneclaw.guard.sandbox.protected_watch import Lookout

from .conftest import MakeSay


def as_spelled(workspace: Workspace, beside: Sequence[Collection[str]] = ()) -> list[SandboxPath]:
    """The twin: roots shown wherever links lead, and the folders that hold them free to be moved."""
    roots = [root for root in workspace.roots if root.folder.exists() and root.access != "none"]
    folder = SandboxPath(workspace.folder, str(workspace.folder), "write")
    return [folder, *(SandboxPath(root.folder.resolve(), str(root.folder), "read") for root in roots)]


def shown(workspace: Workspace, *beside: Collection[str]) -> list[tuple[str, str, str]]:
    """Each place by its source and its path, as seen from the folder above the workspace, and its access."""
    base = f"{workspace.folder.parent}/"
    places = workspace_places(workspace, beside)
    return [(str(one.source).removeprefix(base), one.path.removeprefix(base), one.access) for one in places]


async def look_through_a_link(make_say: MakeSay, tmp_path: Path) -> str:
    """What a command sees in a second sandbox, after one has put a link where a root would be."""
    say = make_say("bubblewrap", (Root(tmp_path / "ws" / "own", "read"),))
    await say(f"ln -s ../private own; mkdir -p {tmp_path}/private")
    return (await say("cat own/canary", network=True)).out.text


@pytest.fixture
def canary(tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "canary").write_text("tweet")


@pytest.mark.usefixtures("canary")
async def test_a_link_in_place_of_a_root_shows_nothing_of_the_machine(
    make_say: MakeSay, tmp_path: Path
) -> None:
    assert await look_through_a_link(make_say, tmp_path) == ""


@pytest.mark.usefixtures("canary")
async def test_the_twin_shows_it(make_say: MakeSay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not tmp_path.is_relative_to("/tmp"):
        pytest.skip("inside, the link must lead to a folder: one can be made in /tmp")
    monkeypatch.setattr(sandboxes, "workspace_places", as_spelled)
    monkeypatch.setattr(Lookout, "look", lambda self: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    assert await look_through_a_link(make_say, tmp_path) == "tweet"


async def write_a_hook(make_say: MakeSay, tmp_path: Path) -> bool:
    """Whether a hook is written by moving the folder that holds them, in a second sandbox."""
    (tmp_path / "ws" / ".git" / "hooks").mkdir(parents=True)
    say = make_say("bubblewrap", (Root(tmp_path / "ws" / ".git" / "hooks", "read"),))
    await say("echo x >.git/kept; echo x >.git/hooks/evil; mv .git moved")
    await say("echo x >moved/hooks/evil; mv moved .git", network=True)
    assert (tmp_path / "ws" / ".git" / "kept").exists(), "beside it one can write"
    return (tmp_path / "ws" / ".git" / "hooks" / "evil").exists()


async def test_the_folder_that_holds_a_closed_one_cannot_be_moved_away(
    make_say: MakeSay, tmp_path: Path
) -> None:
    assert not await write_a_hook(make_say, tmp_path)


async def test_the_twin_moves_it(make_say: MakeSay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandboxes, "workspace_places", as_spelled)
    monkeypatch.setattr(Lookout, "look", lambda self: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    assert await write_a_hook(make_say, tmp_path)


def test_what_another_sandbox_could_still_exchange_is_not_shown_but_hidden_it_is(tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    (workspace / "a" / "hooks").mkdir(parents=True)
    (workspace / "secret").mkdir()
    roots = Root(workspace / "a" / "hooks", "read"), Root(workspace / "secret", "none")
    hidden = ("ws/secret", "ws/secret", "hidden")
    whole = [
        ("ws", "ws", "write"),
        hidden,
        ("ws/a", "ws/a", "write"),
        ("ws/a/hooks", "ws/a/hooks", "read"),
    ]
    made = Workspace(workspace, roots)
    assert shown(made) == whole
    assert shown(made, {str(workspace), f"{workspace}/a", f"{workspace}/a/hooks"}) == whole
    assert shown(made, {f"{tmp_path}/other"}) == whole, "one that sees nothing of it exchanges nothing"
    assert shown(made, {str(workspace)}) == [("ws", "ws", "write"), hidden]


def test_a_link_to_what_is_shown_closes_that_unless_it_holds_more(tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    (workspace / "real").mkdir(parents=True)
    (workspace / "closed").mkdir()
    link = workspace / "own"
    roots = Root(workspace / "closed", "none"), Root(link, "read")
    link.symlink_to("real")
    assert shown(Workspace(workspace, roots))[-1] == ("ws/real", "ws/real", "read")
    for target in (".", "closed", "absent", "own", "../..", "/"):
        link.unlink()
        link.symlink_to(target)
        assert shown(Workspace(workspace, roots)) == [
            ("ws", "ws", "write"),
            ("ws/closed", "ws/closed", "hidden"),
        ]


def test_of_two_words_on_one_folder_the_narrower_holds(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "data").mkdir()
    roots = Root(tmp_path / "data", "none"), Root(tmp_path / "data", "write")
    assert shown(Workspace(tmp_path / "ws", roots)) == [("ws", "ws", "write")]


async def test_a_folder_to_read_inside_of_a_hidden_one_is_seen(make_say: MakeSay, tmp_path: Path) -> None:
    results = tmp_path / "ws" / "data" / "sessions" / "one"
    results.mkdir(parents=True)
    (results / "long").write_text("tweet")
    (tmp_path / "ws" / "data" / "secret").write_text("x")
    say = make_say("bubblewrap", (Root(tmp_path / "ws" / "data", "none"), Root(results, "read")))
    assert (await say("ls data data/sessions; cat data/sessions/one/long")).out.text == (
        "data:\nsessions\n\ndata/sessions:\none\ntweet"
    )
