"""The gate: a request from elsewhere, without a login or too large, is refused; each guard has its twin."""

from typing import Any

import httpx2
import pytest
from tests.web.conftest import HEADERS, Serve, Served

from oneclaw.web import request_gate as gate
from oneclaw.web.request_gate import RequestGate


async def answer(
    served: Served, path: str = "/api/sessions", *, method: str = "GET", login: bool = True, **more: Any
) -> int:
    cookies = dict(served.client.cookies) if login else {}
    async with httpx2.AsyncClient(base_url=served.server.address, trust_env=False, cookies=cookies) as client:
        return (await client.request(method, path, **more)).status_code


SWITCH: dict[str, Any] = {"path": "/api/tools/read_file/switch", "method": "POST", "json": {"on": False}}
REFUSED: dict[str, tuple[int, dict[str, Any]]] = {
    "another host": (421, {"headers": {"host": "evil.example"}}),
    "another port": (421, {"headers": {"host": "127.0.0.1:1"}}),
    "another origin": (403, {"headers": {"origin": "http://evil.example"}}),
    "an opaque origin": (403, {"headers": {"origin": "null"}}),
    "no login": (401, {"login": False}),
    "a wrong cookie": (401, {"login": False, "headers": {"cookie": "oneclaw=x"}}),
    "a wrong token": (401, {"login": False, "headers": {"authorization": "Bearer x"}}),
    "a change without our header": (403, SWITCH),
}


@pytest.mark.parametrize("what", REFUSED)
async def test_it_is_refused(serve: Serve, what: str) -> None:
    status, asked = REFUSED[what]
    async with serve() as served:
        assert await answer(served, **asked) == status
        assert (await served.get("/tools"))[2]["on"] is True


@pytest.mark.parametrize("what", REFUSED)
async def test_without_the_check_it_would_be_answered(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """The twin."""
    monkeypatch.setattr(RequestGate, "_check", lambda self, scope: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    async with serve() as served:
        assert await answer(served, **REFUSED[what][1]) == 200


async def test_our_own_page_and_a_token_are_answered(serve: Serve) -> None:
    async with serve() as served:
        own = served.server.address.rstrip("/")
        assert await answer(served, headers={"origin": own}) == 200
        assert await answer(served, **SWITCH, headers={**HEADERS, "origin": own}) == 200
        from oneclaw.operations.access import AccessBook, access_file

        book = AccessBook(access_file(served.app.config.home))
        bearer = {"authorization": f"Bearer {book.make_token('laptop')}"}
        assert await answer(served, login=False, headers=bearer) == 200
        book.revoke_token("laptop")
        assert await answer(served, login=False, headers=bearer) == 401


async def test_a_link_works_once(serve: Serve) -> None:
    async with serve() as served:
        link = served.server.link().partition("#link=")[2]
        given: dict[str, Any] = {"method": "POST", "json": {"link": link}, "headers": HEADERS, "login": False}
        assert await answer(served, "/api/login", **given) == 200
        assert await answer(served, "/api/login", **given) == 401


async def test_failed_logins_are_bounded(serve: Serve) -> None:
    async with serve() as served:
        given: dict[str, Any] = {"method": "POST", "json": {"link": "x"}, "headers": HEADERS, "login": False}
        found = [await answer(served, "/api/login", **given) for _ in range(gate.MOST_FAILURES + 1)]
        assert found == [401] * gate.MOST_FAILURES + [429]


async def test_a_body_is_bounded_while_it_is_read(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve() as served:
        given: dict[str, Any] = {"method": "POST", "headers": HEADERS}
        large = b'{"text": "' + b"x" * gate.BODY_BYTES + b'"}'
        assert await answer(served, "/api/messages", content=large, **given) == 413
        monkeypatch.setattr(gate, "BODY_BYTES", 1 << 30)  # the twin: it is read whole, and only then refused
        assert await answer(served, "/api/messages", content=large, **given) == 400


async def test_only_the_files_of_the_page_are_served(serve: Serve) -> None:
    async with serve() as served:
        for path in ("/page/../server.py", "/page/%2e%2e/server.py", "/page/..%2fserver.py", "/etc/passwd"):
            assert await answer(served, path) == 404
        assert await answer(served, "/page/js/main.js") == 200


async def test_every_answer_has_the_strict_policy(serve: Serve) -> None:
    async with serve() as served:
        for path in ("", "/page/js/main.js", "/api/tools", "/api/nothing"):
            response = await served.client.get(path)
            for name, value in gate.HEADERS.items():
                assert response.headers[name] == value, path
