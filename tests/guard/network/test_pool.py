"""Connections through the gate: proxies and TLS."""

import asyncio
import os
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
from tests.guard.network.served import LOOPBACK, OK, PUBLIC, Serve, Wired, redirect, refused

from oneclaw.core.errors import InvalidConfig, Kind
from oneclaw.core.session import Network
from oneclaw.guard.network.net import fetch
from oneclaw.guard.network.pool import shared_tls


async def test_proxies_of_the_environment_are_not_used(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy, proxied = await serve(OK)
    port, seen = await serve(OK)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy}")
    await fetch("GET", f"http://127.0.0.1:{port}/", network=LOOPBACK)
    assert proxied == []
    assert len(seen) == 1


async def test_a_client_that_reads_the_environment_sends_all_to_its_proxy(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: the same variables lead an unguarded client astray."""
    import httpx2

    proxy, proxied = await serve(OK)
    port, seen = await serve(OK)
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy}")
    async with httpx2.AsyncClient() as client:
        await client.get(f"http://127.0.0.1:{port}/")
    assert len(proxied) == 1
    assert seen == []


async def test_a_proxy_the_owner_set_is_used_for_public_hosts_and_private_ones_stay_direct(
    serve: Serve, wired: Wired
) -> None:
    proxy, proxied = await serve(OK)
    port, seen = await serve(OK)
    network = Network(proxy=f"http://me:pass%20word@127.0.0.1:{proxy}", private_hosts=("127.0.0.1",))
    wiring = wired(outside_test=PUBLIC, inside_test="10.0.0.1")
    response = await fetch("GET", "http://outside.test/x?y", network=network, wiring=wiring)
    assert response.body == b"secret"
    assert proxied[0].startswith(b"GET http://outside.test:80/x?y HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic bWU6cGFzcyB3b3Jk\r\n" in proxied[0]
    await fetch("GET", f"http://127.0.0.1:{port}/", network=network, wiring=wiring)
    assert len(seen) == len(proxied) == 1


async def test_a_proxy_is_not_a_way_round_the_gate(serve: Serve, wired: Wired) -> None:
    proxy, proxied = await serve(OK)
    network = Network(proxy=f"http://127.0.0.1:{proxy}")
    for url in ("http://inside.test/", "http://10.0.0.1/", "https://inside.test/", "http://localhost/"):
        await refused(fetch("GET", url, network=network, wiring=wired(inside_test="10.0.0.1")))
    assert proxied == []


async def test_a_proxy_that_refuses_is_named(serve: Serve, wired: Wired) -> None:
    proxy, proxied = await serve(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
    network = Network(proxy=f"http://127.0.0.1:{proxy}")
    told = await refused(
        fetch("GET", "https://outside.test/", network=network, wiring=wired(outside_test=PUBLIC)),
        Kind.NETWORK_ERROR,
    )
    assert told == "The proxy refused https://outside.test/: 403 Forbidden"
    assert proxied[0].startswith(b"CONNECT outside.test:443 HTTP/1.1\r\n")


async def test_a_proxy_of_another_kind_is_the_owner_s_mistake() -> None:
    with pytest.raises(InvalidConfig, match=r"network\.proxy is 'socks5://x'"):
        await fetch("GET", "http://outside.test/", network=Network(proxy="socks5://x"))


# TLS


@pytest.fixture
async def secure(certificate: Path, serve: Serve) -> tuple[int, ssl.SSLContext]:
    ours = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ours.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    port, _ = await serve(OK, tls=ours)
    return port, ssl.create_default_context(cafile=str(certificate / "cert.pem"))


@pytest.mark.covers("FEAT004-NF-02")
async def test_tls_is_checked_by_name_while_the_address_is_dialled(
    secure: tuple[int, ssl.SSLContext], wired: Wired, dialled: list[str]
) -> None:
    port, trust = secure
    wiring = wired(trust, good_test=PUBLIC, wrong_test=PUBLIC)
    for name in ("good.test", "good.test."):
        assert (await fetch("GET", f"https://{name}:{port}/", wiring=wiring)).body == b"secret"
    assert dialled == [PUBLIC, PUBLIC]
    told = await refused(fetch("GET", f"https://wrong.test:{port}/", wiring=wiring), Kind.NETWORK_ERROR)
    assert told.startswith(f"The certificate is not valid for https://wrong.test:{port}/: Hostname mismatch")


async def test_a_certificate_nobody_vouches_for_is_refused(
    secure: tuple[int, ssl.SSLContext], wired: Wired
) -> None:
    port, _ = secure
    wiring = wired(good_test=PUBLIC)
    told = await refused(fetch("GET", f"https://good.test:{port}/", wiring=wiring), Kind.NETWORK_ERROR)
    assert told.startswith(f"The certificate is not valid for https://good.test:{port}/: self-signed")


async def test_https_to_a_plain_port_is_a_clear_error() -> None:
    async def plain(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(plain, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    told = await refused(fetch("GET", f"https://127.0.0.1:{port}/", network=LOOPBACK), Kind.NETWORK_ERROR)
    assert told.startswith(f"TLS failed for https://127.0.0.1:{port}/: ")
    server.close()


async def test_a_step_down_from_https_keeps_no_credentials_and_sends_no_body(
    certificate: Path, serve: Serve, wired: Wired
) -> None:
    ours = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ours.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    trust = ssl.create_default_context(cafile=str(certificate / "cert.pem"))
    plain, seen = await serve(OK)
    port, _ = await serve(redirect(f"http://good.test:{plain}/", 307), tls=ours)
    wiring = wired(trust, good_test=PUBLIC)
    await fetch("GET", f"https://good.test:{port}/", headers=[("Authorization", "KEY")], wiring=wiring)
    assert b"KEY" not in seen[0]
    told = await refused(
        fetch("POST", f"https://good.test:{port}/", body=b"password", wiring=wiring), Kind.NETWORK_ERROR
    )
    assert "unencrypted" in told
    assert len(seen) == 1


def test_the_trusted_authorities_are_read_once() -> None:
    assert shared_tls() is shared_tls()
    assert shared_tls().verify_mode is ssl.CERT_REQUIRED
    assert shared_tls().check_hostname


def test_nothing_of_the_http_library_is_loaded_before_it_is_needed() -> None:
    code = (
        "import sys, oneclaw.guard.network.net, oneclaw.guard.network.readable, oneclaw.tools.http_request;"
        "print([name for name in ('httpcore2', 'httpx2', 'anyio', 'idna', 'html_to_markdown', 'truststore')"
        " if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ), check=True
    )
    assert done.stdout.strip() == "[]"
