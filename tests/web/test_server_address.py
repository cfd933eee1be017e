"""Where the page is served: here alone, or elsewhere with a certificate and a password or token."""

import asyncio
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.web.conftest import HEADERS

from oneclaw import App, Config, Scripted
from oneclaw.core.errors import InvalidConfig
from oneclaw.operations import access
from oneclaw.operations.access import AccessBook, access_file
from oneclaw.web import request_gate as gate
from oneclaw.web import server_address
from oneclaw.web.server import Server
from oneclaw.web.server_address import ServerAddress

PASSWORD = "correct horse battery staple"


def book_of(home: Path) -> AccessBook:
    return AccessBook(access_file(home))


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the loopback count as an address that others reach: the tests listen on no other."""
    monkeypatch.setattr(server_address, "LOOPBACK", ("nowhere",))


@asynccontextmanager
async def serving(home: Path, folder: Path, **more: Any) -> AsyncGenerator[Server]:
    """A server with TLS that answers to the name good.test."""
    config = Config(home=home, values={"models.default": "scripted/demo"})
    async with App(config, providers={"scripted": Scripted(["Hello."])}) as app:
        given: dict[str, Any] = {
            "names": ("good.test",),
            "certificate": folder / "cert.pem",
            "key": folder / "key.pem",
        }
        server = Server(app, ServerAddress("127.0.0.1", 0, **{**given, **more}))
        task = asyncio.get_running_loop().create_task(server.serve())
        try:
            yield server
        finally:
            server.stop()
            await task


def client_of(server: Server, folder: Path) -> httpx2.AsyncClient:
    """A client that trusts the certificate and finds good.test on the loopback."""
    trust = ssl.create_default_context(cafile=folder / "cert.pem")
    trust.check_hostname = False  # the name is asked for by SNI and Host; the address is the loopback
    headers = {**HEADERS, "host": f"good.test:{server.port}"}
    address = f"https://127.0.0.1:{server.port}"
    return httpx2.AsyncClient(base_url=address, verify=trust, headers=headers, trust_env=False)


@pytest.mark.parametrize(
    ("has_password", "has_token", "more", "said"),
    [
        (False, False, {}, "set a password first"),
        (True, False, {"certificate": None, "key": None}, "give a certificate"),
        (True, False, {"key": None}, "both --tls-cert and --tls-key"),
        (True, False, {"host": "0.0.0.0", "names": ()}, "stands for all addresses"),
        (True, False, {"certificate": Path("nothing.pem")}, "There is no file"),
        (True, False, {}, ""),
        (False, True, {}, ""),
    ],
)
def test_an_address_that_others_reach_needs_a_certificate_and_a_password_or_token(
    tmp_path: Path,
    certificate: Path,
    outside: None,
    has_password: bool,
    has_token: bool,
    more: dict[str, Any],
    said: str,
) -> None:
    book = book_of(tmp_path)
    if has_password:
        book.set_password(PASSWORD)
    if has_token:
        book.make_token("laptop")
    given: dict[str, Any] = {
        "host": "192.0.2.1",
        "certificate": certificate / "cert.pem",
        "key": certificate / "key.pem",
    }
    given["names"] = ("good.test",)
    at = ServerAddress(**{**given, **more})
    if not said:
        at.check(book)
        return
    with pytest.raises(InvalidConfig, match=said):
        at.check(book)


def test_a_key_that_is_not_the_certificates_is_one_sentence(tmp_path: Path, certificate: Path) -> None:
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("no key")

    async def serve() -> None:
        async with serving(tmp_path, certificate, key=wrong):
            pass

    with pytest.raises(InvalidConfig, match="cannot be used"):
        asyncio.run(serve())


async def test_a_password_logs_in_over_tls_and_the_cookie_stays_there(
    tmp_path: Path, certificate: Path, outside: None
) -> None:
    book_of(tmp_path).set_password(PASSWORD)
    assert PASSWORD not in access_file(tmp_path).read_text()
    assert access_file(tmp_path).stat().st_mode & 0o077 == 0
    async with serving(tmp_path, certificate) as server, client_of(server, certificate) as client:
        assert server.address == f"https://good.test:{server.port}/"
        assert (await client.get("/api/tools")).status_code == 401
        assert (await client.post("/api/login", json={"password": "wrong"})).status_code == 401
        response = await client.post("/api/login", json={"password": PASSWORD})
        assert response.status_code == 200
        words = {word.strip().lower() for word in response.headers["set-cookie"].split(";")}
        assert {"httponly", "samesite=strict", "secure"} <= words
        cookie = response.headers["set-cookie"].partition(";")[0]
        own = {"cookie": cookie, "origin": f"https://good.test:{server.port}"}
        assert (await client.get("/api/tools", headers=own)).status_code == 200
        for wrong in ({"origin": f"http://good.test:{server.port}"}, {"host": f"evil.test:{server.port}"}):
            assert (await client.get("/api/tools", headers={**own, **wrong})).status_code in (403, 421)
        book_of(tmp_path).set_password(PASSWORD[::-1])
        assert (await client.get("/api/tools", headers=own)).status_code == 401


async def test_a_token_logs_in_too_and_plain_http_gets_nothing(
    tmp_path: Path, certificate: Path, outside: None
) -> None:
    token = book_of(tmp_path).make_token("laptop")
    async with serving(tmp_path, certificate) as server, client_of(server, certificate) as client:
        assert (await client.post("/api/login", json={"token": token})).status_code == 200
        bearer = {"authorization": f"Bearer {token}"}
        assert (await client.get("/api/tools", headers=bearer)).status_code == 200
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"GET / HTTP/1.1\r\nhost: good.test\r\n\r\n")
        assert b"HTTP/1.1 200" not in await reader.read(1_000)
        writer.close()


async def guess(client: httpx2.AsyncClient, count: int) -> list[int]:
    """Guesses of a password, all at once."""

    async def one(number: int) -> int:
        return (await client.post("/api/login", json={"password": f"guess {number} of many"})).status_code

    return sorted(await asyncio.gather(*map(one, range(count))))


async def test_guesses_are_bounded_though_they_come_all_at_once(
    tmp_path: Path, certificate: Path, outside: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    book_of(tmp_path).set_password(PASSWORD)
    most = gate.MOST_FAILURES
    async with serving(tmp_path, certificate) as server, client_of(server, certificate) as client:
        assert await guess(client, most + 5) == [401] * most + [429] * 5
        assert (await client.post("/api/login", json={"password": PASSWORD})).status_code == 429
        monkeypatch.setattr(gate, "MOST_FAILURES", 1_000)  # the twin
        assert await guess(client, 5) == [401] * 5


def test_a_password_is_hashed_slowly_and_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = book_of(tmp_path)
    assert not book.is_password("")
    for wrong in ("short", "x" * 1_001):
        with pytest.raises(InvalidConfig, match="characters"):
            book.set_password(wrong)
    book.set_password(PASSWORD)
    assert book.is_password(PASSWORD)
    assert not book.is_password(f"{PASSWORD} ")
    book.make_token("laptop")
    assert book.is_password(PASSWORD)
    hashed: list[int] = []
    kept = access.hashlib.scrypt

    def scrypt(data: bytes, **more: Any) -> bytes:
        hashed.append(more["n"])
        return kept(data, **more)

    monkeypatch.setattr(access.hashlib, "scrypt", scrypt)
    assert not book.is_password("x" * 1_001)
    assert hashed == []
    assert book.is_password(PASSWORD)
    assert hashed == [2**15]
