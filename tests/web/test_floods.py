"""Many and slow sockets: they are bounded, hold up nobody, and lose nothing; each guard has its twin."""

import asyncio
import json
import socket as sockets
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from tests.web.conftest import HEADERS, Serve, Served
from tests.web.test_api import events_until, open_socket, watch
from websockets.exceptions import ConnectionClosed, InvalidStatus

from oneclaw.core.answer import Answered, AnswerEvent, TextAdded
from oneclaw.core.message import AssistantMessage, TextPart
from oneclaw.operations import access
from oneclaw.providers.base import Request
from oneclaw.web import live
from oneclaw.web import request_gate as gate
from oneclaw.web.api import ENDPOINTS

pytestmark = pytest.mark.slow

WORD = "x" * 4_000


class Writer:
    """A model that writes as many pieces as it can, while others have their turn."""

    def __init__(self, count: int) -> None:
        self.count = count

    async def answer(self, request: Request) -> AsyncGenerator[AnswerEvent]:
        for _ in range(self.count):
            yield TextAdded(WORD)
            await asyncio.sleep(0)
        yield Answered(AssistantMessage((TextPart("done"),)))

    async def close(self) -> None: ...


async def test_sockets_are_bounded(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "MOST_SOCKETS", 3)
    async with serve() as served, AsyncExitStack() as stack:
        for _ in range(3):
            await (await stack.enter_async_context(open_socket(served))).recv()
        with pytest.raises((ConnectionClosed, InvalidStatus)):
            async with open_socket(served) as more:
                await more.recv()
        monkeypatch.setattr(gate, "MOST_SOCKETS", 4)  # the twin
        await (await stack.enter_async_context(open_socket(served))).recv()


async def test_what_a_tab_watches_is_bounded(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST_WATCHED", 2)
    async with serve(["One."] * 3) as served, open_socket(served) as socket:
        names = [(await served.post("/messages", text="go"))["session"] for _ in range(3)]
        await socket.send(json.dumps({"watch": {name: {} for name in names}}))
        ended: set[str] = set()
        async with asyncio.timeout(30):
            while len(ended) < 2:
                for each in json.loads(await socket.recv()).get("events", []):
                    if each["event"] == "run_finished":
                        ended.add(each["session"])
        assert ended == set(names[:2])
        async with open_socket(served) as other:  # the twin: it is there for whoever asks
            await watch(other, names[2])
            await events_until(other, "run_finished")


WRONG = ("no json", "[]", '{"watch": 1}', '{"watch": {"x": {"after": -1}}}', "[" * 999)


async def test_many_tabs_that_watch_many_sessions_lose_nothing(serve: Serve) -> None:
    """A short form of the benchmark `page`."""
    tabs, sessions, count = 5, 8, 200
    async with serve(provider=Writer(count)) as served, AsyncExitStack() as stack:
        store, folder = served.app.store, served.app.config.workspace_folder
        names = [(await store.sessions.create("default", folder)).id for _ in range(sessions)]
        opened = [await stack.enter_async_context(open_socket(served)) for _ in range(tabs)]
        for socket in opened:
            await socket.send(json.dumps({"watch": {name: {} for name in names}}))
            await socket.recv()
        for name in names:
            await served.post("/messages", text="go", session=name)
        for found in await asyncio.gather(*(read_all(socket, len(names)) for socket in opened)):
            for name in names:
                own = [each for each in found if each["session"] == name]
                assert [each["number"] for each in own] == list(range(1, len(own) + 1))
                assert sum(each["event"] == "text_added" for each in own) == count


async def read_all(socket: Any, runs: int) -> list[dict[str, Any]]:
    """The events that come until so many runs have ended."""
    found: list[dict[str, Any]] = []
    async with asyncio.timeout(60):
        while sum(each["event"] == "run_finished" for each in found) < runs:
            found += json.loads(await socket.recv()).get("events", [])
    return found


@pytest.mark.parametrize("said", WRONG)
async def test_wrong_words_on_a_socket_harm_nobody(serve: Serve, said: str) -> None:
    async with serve(["One."]) as served, open_socket(served) as good:
        async with open_socket(served) as bad:
            await bad.send(said)
        sent = await served.post("/messages", text="go")
        await watch(good, sent["session"])
        await events_until(good, "run_finished")


async def test_a_socket_that_reads_nothing_holds_up_nobody_and_is_closed(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "SEND_SECONDS", 0.5)
    count = 3_000
    async with serve(provider=Writer(count)) as served, open_socket(served) as quick:
        slow = await open_raw(served)
        sent = await served.post("/messages", text="go")
        await send_raw(slow, {"watch": {sent["session"]: {}}})
        await watch(quick, sent["session"])
        found = await events_until(quick, "run_finished")
        assert len([each for each in found if each["event"] == "text_added"]) == count
        async with asyncio.timeout(60):  # the server gives it up, and the system's buffers have an end
            while await asyncio.get_running_loop().sock_recv(slow, 1 << 20):
                pass
        slow.close()
        async with open_socket(served) as again:  # it comes back, and misses nothing
            await watch(again, sent["session"])
            assert (await events_until(again, "run_finished"))[-1] == found[-1]


async def test_without_the_limit_a_slow_socket_would_stay_for_good(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin."""
    monkeypatch.setattr(live, "SEND_SECONDS", 1_000.0)
    async with serve(provider=Writer(3_000)) as served, open_socket(served) as quick:
        slow = await open_raw(served)
        sent = await served.post("/messages", text="go")
        await send_raw(slow, {"watch": {sent["session"]: {}}})
        await watch(quick, sent["session"])
        await events_until(quick, "run_finished")
        lasting: dict[str, int] = served.server._gate._lasting  # pyright: ignore[reportPrivateUsage]
        assert sum(lasting.values()) == 2
        slow.close()


async def open_raw(served: Served) -> sockets.socket:
    """A socket of the page that nobody reads from, with little room in the system."""
    raw = sockets.socket()
    raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4_096)
    raw.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(raw, ("127.0.0.1", served.server.port))
    cookie = "; ".join(f"{name}={value}" for name, value in served.client.cookies.items())
    address = served.server.address.rstrip("/")
    head = (
        f"GET /api/socket HTTP/1.1\r\nhost: 127.0.0.1:{served.server.port}\r\norigin: {address}\r\n"
        f"cookie: {cookie}\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
        "sec-websocket-version: 13\r\nsec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
    )
    await loop.sock_sendall(raw, head.encode())
    assert b" 101 " in await loop.sock_recv(raw, 1_000)
    return raw


async def send_raw(raw: sockets.socket, document: Any) -> None:
    """Send a frame with a mask of zeros."""
    text = json.dumps(document).encode()
    assert len(text) < 126
    await asyncio.get_running_loop().sock_sendall(raw, bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)


async def test_a_cookie_of_another_server_or_an_old_one_is_no_login(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve() as served:
        assert (await served.client.get("/api/tools")).status_code == 200

        def is_login(book: Any, cookie: str) -> bool:
            return True

        monkeypatch.setattr(access.AccessBook, "is_login", is_login)  # the twin
        other = {"cookie": "oneclaw=of-another-server"}
        assert (await served.client.get("/api/tools", headers=other)).status_code == 200
        monkeypatch.undo()
        book = access.AccessBook(access.access_file(served.app.config.home))
        book.end_logins()
        assert (await served.client.get("/api/tools")).status_code == 401
        late = access.AccessBook(access.access_file(served.app.config.home), now=lambda: 0.0)
        link = late.make_link()
        cookie = late.log_in("link", link)
        old = {"cookie": f"oneclaw={cookie}"}
        assert (await served.client.get("/api/tools", headers=old)).status_code == 401


async def test_get_changes_nothing(serve: Serve) -> None:
    """A page elsewhere can make a browser send a GET; so none may do anything."""
    async with serve(["One."]) as served:
        sent = await served.post("/messages", text="go")
        async with open_socket(served) as socket:
            await watch(socket, sent["session"])
            await events_until(socket, "run_finished")
        workspace = served.app.config.workspace_folder
        before = await state_of(served), sorted(workspace.rglob("*"))
        known = {"session": sent["session"], "run": sent["run"], "tool": "read_file", "agent": "default"}
        names = defaultdict(lambda: "x", known)
        for path in {one.path.format_map(names) for one in ENDPOINTS if not one.path.endswith("/events")}:
            await served.client.get(f"/api{path}", headers=HEADERS)
        assert (await state_of(served), sorted(workspace.rglob("*"))) == before


async def state_of(served: Served) -> Any:
    store = served.app.store
    return (
        await store.versions(),
        await store.runs.list(),
        await store.sessions.list(),
        await store.agents.all(),
    )
