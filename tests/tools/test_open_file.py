"""open_file: opened by the page or the desktop's own program, only what tools may read and programs show."""

import asyncio
import os
from pathlib import Path

import pytest
from tests.tools.desktop import Desktop

from oneclaw import App, Config, Kind, ToolCall, ToolError
from oneclaw.core.session import Root, Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.guard import opener
from oneclaw.tools.open_file import open_file_tool


def context(work: Path, *roots: Root) -> Context:
    return Context(session=Session(workspace=Workspace(work, roots)))


async def open_it(work: Path, path: str, *roots: Root) -> str:
    return str(await open_file_tool().execute({"path": path}, context(work, *roots)))


def test_the_definition_is_what_the_model_is_promised() -> None:
    definition = open_file_tool().definition
    assert (definition.name, definition.needs, definition.effect) == ("open_file", ("files.read",), "unknown")
    assert definition.default_on
    assert list(definition.parameters["properties"]) == ["path"]


@pytest.mark.covers("KAI-AT-11")
async def test_a_file_is_handed_to_the_opener_as_one_word(work: Path, desktop: Desktop) -> None:
    desktop.start()
    name = "a b; touch oops $(id) `id` 'x' \"y\" & * ?.html"
    (work / name).write_text("x")
    assert await open_it(work, name) == f"Opened: {work / name}"
    assert desktop.told == [str(work / name)]
    assert not (work / "oops").exists()


async def test_the_opener_gets_its_desktop_and_no_keys(
    work: Path, desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SOME_API_KEY", "LD_LIBRARY_PATH", "PYTHONPATH"):
        monkeypatch.setenv(name, "canary-1234")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/x")
    desktop.start()
    await open_it(work, "page.html")
    assert "canary-1234" not in desktop.environment
    assert "DISPLAY=:7\n" in desktop.environment
    assert "XDG_RUNTIME_DIR=/run/x\n" in desktop.environment


async def test_without_a_desktop_the_path_is_given_back(
    work: Path, desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop.start()
    monkeypatch.delenv("DISPLAY")
    said = await open_it(work, "page.html")
    assert said.startswith("Not opened: there is no desktop here")
    assert said.endswith(str(work / "page.html"))
    assert desktop.told is None
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert (await open_it(work, "page.html")).startswith("Opened: ")


async def test_without_an_opener_the_path_is_given_back(
    work: Path, desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop.start().unlink()
    monkeypatch.setenv("PATH", str(work.parent / "bin"))
    assert (await open_it(work, "page.html")).startswith("Not opened: there is no desktop here")


async def test_the_page_opens_it_when_it_is_the_front(work: Path, desktop: Desktop) -> None:
    desktop.start()
    shown: list[tuple[str, str]] = []
    is_open = True

    async def show(session: Session, target: str) -> bool:
        shown.append((session.agent, target))
        return is_open

    tool = open_file_tool(lambda: show)
    said = await tool.execute({"path": "page.html"}, context(work))
    assert said == f"Opened in the page: {work / 'page.html'}"
    assert shown == [("default", str(work / "page.html"))]
    assert desktop.told is None
    is_open = False
    assert (await tool.execute({"path": "page.html"}, context(work))).startswith("Opened: ")
    assert desktop.told is not None


@pytest.mark.covers("KAI-AT-11")
async def test_what_tools_may_not_read_is_not_opened(work: Path, desktop: Desktop) -> None:
    desktop.start()
    outside = work.parent / "secret.txt"
    outside.write_text("secret")
    (work / "link.txt").symlink_to(outside)
    (work / "closed").mkdir()
    (work / "closed" / "a.txt").write_text("x")
    closed = Root(work / "closed", "none")
    for path in ("../secret.txt", str(outside), "link.txt", "closed/a.txt", "/etc/passwd", "gone.txt", "."):
        with pytest.raises(ToolError):
            await open_it(work, path, closed)
    assert desktop.told is None


async def test_a_root_that_may_be_read_is_opened_by_its_full_path(work: Path, desktop: Desktop) -> None:
    desktop.start()
    books = work.parent / "books"
    books.mkdir()
    (books / "a.pdf").write_text("x")
    (work / "way.pdf").symlink_to(books / "a.pdf")
    for path in (str(books / "a.pdf"), "way.pdf"):
        assert await open_it(work, path, Root(books, "read")) == f"Opened: {books / 'a.pdf'}"


@pytest.mark.parametrize(
    "name",
    [
        *("a.sh", "a.desktop", "a.command", "a.py", "a.exe", "a.AppImage", "a.jar", "a.workflow"),
        *("a", ".html", "a.html.", "a.html .sh"),
    ],
)
async def test_what_may_be_run_by_its_opener_is_not_opened(work: Path, desktop: Desktop, name: str) -> None:
    desktop.start()
    (work / name).write_text("x")
    assert (await open_it(work, name)).startswith("Not opened: a file of this kind may be run")
    assert desktop.told is None


async def test_a_link_with_a_harmless_name_is_judged_by_what_it_leads_to(
    work: Path, desktop: Desktop
) -> None:
    desktop.start()
    (work / "run.desktop").write_text("x")
    (work / "picture.png").symlink_to("run.desktop")
    assert (await open_it(work, "picture.png")).startswith("Not opened: ")
    assert desktop.told is None


async def test_without_the_list_of_kinds_a_program_would_be_started(
    work: Path, desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop.start()
    (work / "run.desktop").write_text("x")
    monkeypatch.setattr(opener, "SHOWN_KINDS", frozenset(("desktop",)))
    await open_it(work, "run.desktop")
    assert desktop.told == [str(work / "run.desktop")]


async def test_an_opener_that_a_tool_could_have_written_is_not_used(
    work: Path, desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop.start(folder="work")
    (work.parent / "way").symlink_to(work)
    monkeypatch.setenv("PATH", f"{work}:{work.parent / 'way'}:.:relative:")
    monkeypatch.chdir(work)
    assert (await open_it(work, "page.html")).startswith("Not opened: there is no desktop")
    assert desktop.told is None
    monkeypatch.setenv("PATH", f"{work}:/usr/bin:/bin")

    def never(program: Path, workspace: Workspace) -> bool:
        return False

    monkeypatch.setattr(opener, "_can_be_written", never)  # the twin
    assert (await open_it(work, "page.html")).startswith("Opened: ")
    assert desktop.told is not None


async def test_an_opener_that_fails_is_said_with_its_code(work: Path, desktop: Desktop) -> None:
    desktop.start("exit 4")
    with pytest.raises(ToolError, match=r"could not open it \(exit code 4\); open it by hand: "):
        await open_it(work, "page.html")


async def test_an_opener_that_cannot_be_started_is_said(work: Path, desktop: Desktop) -> None:
    desktop.start().write_text("#!/no/such/interpreter\n")
    with pytest.raises(ToolError, match="could not be started"):
        await open_it(work, "page.html")


async def test_an_opener_that_stays_holds_nobody_up_and_is_waited_for(
    work: Path, desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opener, "WAIT_SECONDS", 0.3)
    gate, pid = work.parent / "gate", work.parent / "pid"
    os.mkfifo(gate)
    # It holds its gate open itself, so that nobody can be stuck in opening it.
    desktop.start(f'exec 3<> "{gate}"; echo $$ > "{pid}.part"; mv "{pid}.part" "{pid}"; read line <&3')
    assert (await open_it(work, "page.html")).startswith("Opened: ")
    async with asyncio.timeout(20):
        while not pid.exists():
            await asyncio.sleep(0.01)
        number = int(pid.read_text())
        assert os.getsid(number) != os.getsid(0), "it is in a session of its own"
        with os.fdopen(os.open(gate, os.O_RDWR), "wb", buffering=0) as line:
            line.write(b"go\n")
            while Path(f"/proc/{number}").exists():  # waited for, so not even a zombie is left
                await asyncio.sleep(0.01)


def test_on_a_mac_it_is_the_program_of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opener, "PLATFORM", "darwin")
    found = opener.find_opener(Workspace(tmp_path))
    assert found == (Path("/usr/bin/open") if Path("/usr/bin/open").exists() else None)


async def test_through_the_app_a_front_can_show_it(tmp_path: Path, desktop: Desktop) -> None:
    desktop.start()
    async with App(Config(home=tmp_path / "home")) as app:
        (app.config.workspace_folder / "a.html").write_text("x")
        shown: list[str] = []

        async def show(session: Session, target: str) -> bool:
            shown.append(target)
            return True

        app.show = show
        assert (await app.engine.call(ToolCall("open_file", {"path": "a.html"}))).ok
        assert shown == [str(app.config.workspace_folder / "a.html")]
        refused = await app.engine.call(ToolCall("open_file", {"path": "../oneclaw.db"}))
        assert refused.kind is Kind.PATH_NOT_ALLOWED
    assert desktop.told is None
