"""open_url: web addresses and files by address, through the gate and never through a shell."""

from pathlib import Path

import pytest
from tests.tools.desktop import Desktop

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Network, Session, Workspace
from oneclaw.core.tool import Context
from oneclaw.guard import opener
from oneclaw.tools.open_url import open_url_tool


async def open_it(work: Path, url: str, *private: str) -> str:
    async def yes(need: str, reason: str) -> None:
        assert need == "files.read"

    session = Session(workspace=Workspace(work), network=Network(private_hosts=private))
    return str(await open_url_tool().execute({"url": url}, Context(session=session, require=yes)))


@pytest.mark.covers("KAI-AT-09")
async def test_an_address_is_handed_to_the_opener_as_one_word(work: Path, desktop: Desktop) -> None:
    desktop.start()
    url = "http://127.0.0.1:9/a?b=c&d=$(id);x#part-2"
    assert await open_it(work, url, "127.0.0.1") == f"Opened: {url}"
    assert desktop.told == [url]


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "ftp://a.example/",
        "data:text/html,x",
        "mailto:a@b.example",
        "smb://a.example/",
        "vscode://x",
        "--help",
        "-a Calculator",
        "xdg-open",
        "http://user:password@a.example/",
        "file://other.example/etc/passwd",
        "http://a.example/\nfile:///etc/passwd",
        "",
    ],
)
async def test_anything_that_is_no_web_address_is_refused(work: Path, desktop: Desktop, url: str) -> None:
    desktop.start()
    with pytest.raises(ToolError) as caught:
        await open_it(work, url)
    assert caught.value.kind is Kind.VALIDATION_ERROR
    assert desktop.told is None


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://localhost:80/",
        "http://169.254.169.254/",
        "http://router/",
        "http://[::1]/",
    ],
)
async def test_a_private_host_needs_leave_as_a_request_does(work: Path, desktop: Desktop, url: str) -> None:
    desktop.start()
    asked: list[str] = []

    async def no(need: str, reason: str) -> None:
        asked.append(need)
        raise ToolError("The person said no.", Kind.PERMISSION_DENIED)

    session = Session(workspace=Workspace(work))
    with pytest.raises(ToolError, match="said no"):
        await open_url_tool().execute({"url": url}, Context(session=session, require=no))
    assert asked == ["network.private"]
    assert desktop.told is None


async def test_without_the_gate_a_private_host_would_be_opened(
    work: Path, desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop.start()

    async def admit(url: str, *_: object) -> str:
        return url

    monkeypatch.setattr(opener, "admit", admit)
    await open_it(work, "http://127.0.0.1:9/")
    assert desktop.told == ["http://127.0.0.1:9/"]


@pytest.mark.covers("KAI-AT-09")
async def test_a_file_by_its_address_passes_the_door_for_files(work: Path, desktop: Desktop) -> None:
    desktop.start()
    page = work / "a b.html"
    page.write_text("x")
    (work.parent / "secret.txt").write_text("secret")
    (work / "run.sh").write_text("x")
    for url in (
        "file:///etc/passwd",
        f"file://{work}/..%2Fsecret.txt",
        f"file://localhost{work.parent}/secret.txt",
    ):
        with pytest.raises(ToolError):
            await open_it(work, url)
    assert (await open_it(work, f"file://{work}/run.sh")).startswith("Not opened: ")
    assert desktop.told is None
    assert await open_it(work, f"file://{page}".replace(" ", "%20")) == f"Opened: {page}"
    assert desktop.told == [str(page)]


async def test_without_a_desktop_the_address_is_given_back(work: Path, desktop: Desktop) -> None:
    said = await open_it(work, "http://127.0.0.1:9/x", "127.0.0.1")
    assert said.startswith("Not opened: there is no desktop here")
    assert said.endswith("http://127.0.0.1:9/x")


@pytest.mark.covers("KAI-AT-10")
async def test_the_page_opens_it_when_it_is_the_front(work: Path, desktop: Desktop) -> None:
    desktop.start()

    async def show(session: Session, target: str) -> bool:
        return target == "http://127.0.0.1:9/x"

    session = Session(workspace=Workspace(work), network=Network(private_hosts=("127.0.0.1",)))
    said = await open_url_tool(lambda: show).execute(
        {"url": "http://127.0.0.1:9/x"}, Context(session=session)
    )
    assert said == "Opened in the page: http://127.0.0.1:9/x"
    assert desktop.told is None
