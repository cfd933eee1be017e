"""The gate: what is checked is what is dialled, and nothing gets round it."""

import asyncio
import socket

import httpcore2
import pytest
from tests.guard.network.served import OK, PUBLIC, Serve, Wired, redirect, refused

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Network
from oneclaw.guard.network import gate as gate_file
from oneclaw.guard.network.gate import Gate
from oneclaw.guard.network.net import fetch


def public_all(_address: str) -> None:
    """The check taken out: every address passes for public."""


async def allow_all(_host: str, _why: str) -> None:
    pass


async def test_loopback_is_refused_and_the_message_names_host_address_and_setting(
    serve: Serve, wired: Wired
) -> None:
    port, seen = await serve(OK)
    told = await refused(fetch("GET", f"http://127.0.0.1:{port}/"))
    assert told == (
        f"Cannot reach 127.0.0.1:{port}: it is a loopback address;"
        " the owner can allow it by listing it in network.private_hosts."
    )
    told = await refused(fetch("GET", f"http://inside.test:{port}/", wiring=wired(inside_test="127.0.0.1")))
    assert "inside.test" in told
    assert "127.0.0.1, a loopback address" in told
    assert "network.private_hosts" in told
    assert seen == []


async def test_without_the_check_the_same_request_reaches_the_secret(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, wired: Wired
) -> None:
    port, seen = await serve(OK)
    monkeypatch.setattr(gate_file, "why_private", public_all)
    response = await fetch("GET", f"http://inside.test:{port}/", wiring=wired(inside_test="127.0.0.1"))
    assert response.body == b"secret"
    assert len(seen) == 1


@pytest.mark.parametrize(
    "host", ["2130706433", "0x7f.1", "0177.1", "127.1", "[::ffff:127.0.0.1]", "[::1]", "0", "１２７.1"]
)
async def test_no_notation_of_loopback_gets_through(serve: Serve, host: str) -> None:
    port, seen = await serve(OK)
    told = await refused(fetch("GET", f"http://{host}:{port}/"))
    assert "network.private_hosts" in told
    assert seen == []


async def test_an_odd_notation_of_a_public_address_needs_leave_too_and_with_it_dials_the_address(
    serve: Serve, wired: Wired, dialled: list[str]
) -> None:
    port, _ = await serve(OK)
    odd = f"http://{0x5DB8D822}:{port}/"
    assert "93.184.216.34 in an unusual notation" in await refused(fetch("GET", odd))
    assert (await fetch("GET", odd, allow_private=allow_all, wiring=wired())).status == 200
    assert dialled == [PUBLIC]


async def test_the_address_that_was_checked_is_the_one_that_is_dialled(
    serve: Serve, wired: Wired, dialled: list[str], asked: list[str]
) -> None:
    port, seen = await serve(OK)
    wiring = wired(rebind_test=[PUBLIC, "127.0.0.1"])
    response = await fetch("GET", f"http://rebind.test:{port}/x", wiring=wiring)
    assert response.body == b"secret"
    assert asked == ["rebind.test"]
    assert dialled == [PUBLIC]
    assert f"Host: rebind.test:{port}".encode() in seen[0]


async def test_a_name_that_changes_its_answer_between_hops_is_caught_at_the_hop(
    serve: Serve, wired: Wired, dialled: list[str]
) -> None:
    port, seen = await serve(redirect("/again"))
    wiring = wired(rebind_test=[PUBLIC, "127.0.0.1"])
    told = await refused(fetch("GET", f"http://rebind.test:{port}/", wiring=wiring))
    assert "127.0.0.1" in told
    assert dialled == [PUBLIC]
    assert len(seen) == 1


async def test_a_client_that_looks_up_again_after_the_check_is_led_inside(serve: Serve, wired: Wired) -> None:
    """The twin: checking by one lookup and connecting by another is what rebinding is made for."""
    port, seen = await serve(OK)
    resolve = wired(rebind_test=[PUBLIC, "127.0.0.1"]).resolve
    assert gate_file.why_private((await resolve("rebind.test", port))[0]) is None
    async with httpcore2.AsyncConnectionPool() as pool:
        address = (await resolve("rebind.test", port))[0]
        assert (await pool.request("GET", f"http://{address}:{port}/")).content == b"secret"
    assert len(seen) == 1


async def test_one_private_address_among_public_ones_refuses_the_name(
    wired: Wired, dialled: list[str]
) -> None:
    for addresses in (f"{PUBLIC} 10.0.0.1", f"10.0.0.1 {PUBLIC}", f"{PUBLIC} ::1"):
        await refused(fetch("GET", "http://mixed.test/", wiring=wired(mixed_test=addresses)))
        assert dialled == []


async def test_a_redirect_inside_is_refused_and_its_twin_is_not(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, wired: Wired
) -> None:
    secret, seen = await serve(OK)
    for place in (f"http://127.0.0.1:{secret}/", f"//127.0.0.1:{secret}/", f"http://inside.test:{secret}/"):
        port, _ = await serve(redirect(place))
        wiring = wired(outside_test=PUBLIC, inside_test="127.0.0.1")
        await refused(fetch("GET", f"http://outside.test:{port}/", wiring=wiring))
        assert seen == []
    with monkeypatch.context() as without:
        without.setattr(gate_file, "why_private", public_all)
        response = await fetch("GET", f"http://outside.test:{port}/", wiring=wiring)
    assert response.body == b"secret"


async def test_leave_for_one_host_opens_no_other_host_or_port(serve: Serve) -> None:
    secret, seen = await serve(OK)
    for place in (
        f"http://127.0.0.2:{secret}/",
        f"http://127.0.0.1:{secret}/",
        f"http://localhost:{secret}/",
    ):
        port, _ = await serve(redirect(place))
        asked: list[str] = []

        async def allow(
            host: str, why: str, first: str = f"127.0.0.1:{port}", asked: list[str] = asked
        ) -> None:
            asked.append(host)
            if host != first:
                raise ToolError(f"No to {host}: {why}", Kind.PERMISSION_DENIED)

        told = await refused(fetch("GET", f"http://127.0.0.1:{port}/", allow_private=allow))
        assert asked == [f"127.0.0.1:{port}", place.split("/")[2]]
        assert told.startswith("No to ")
    assert seen == []


async def test_leave_is_asked_once_per_host_and_address(serve: Serve) -> None:
    asked: list[tuple[str, str]] = []

    async def allow(host: str, why: str) -> None:
        asked.append((host, why))

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(OK if b"GET /3 " in request else redirect(f"/{len(asked_paths) + 1}"))
        asked_paths.append(request)

    asked_paths: list[bytes] = []
    port, _ = await serve(answer)
    response = await fetch("GET", f"http://127.0.0.1:{port}/", allow_private=allow)
    assert response.status == 200
    assert asked == [(f"127.0.0.1:{port}", "a loopback address")]


async def test_the_owner_lists_hosts_that_need_no_leave(serve: Serve) -> None:
    port, _ = await serve(OK)
    for listed in ("127.0.0.1", f"127.0.0.1:{port}"):
        response = await fetch("GET", f"http://127.0.0.1:{port}/", network=Network(private_hosts=(listed,)))
        assert response.status == 200
    for listed in ("127.0.0.2", f"127.0.0.1:{port + 1}", "127.0.0", "*", "localhost"):
        await refused(fetch("GET", f"http://127.0.0.1:{port}/", network=Network(private_hosts=(listed,))))


async def test_a_local_name_is_refused_before_anyone_looks_it_up(wired: Wired, asked: list[str]) -> None:
    wiring = wired(localhost="127.0.0.1", printer=PUBLIC, svc_local=PUBLIC)
    for name in ("localhost", "printer", "svc.local", "LOCALHOST."):
        told = await refused(fetch("GET", f"http://{name}/", wiring=wiring))
        assert "network.private" in told
    assert asked == []


async def test_ipv6_loopback_is_reached_with_leave_and_refused_without(serve: Serve) -> None:
    if not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    try:
        port, seen = await serve(OK, host="::1")
    except OSError:
        pytest.skip("this machine has no ::1")
    await refused(fetch("GET", f"http://[::1]:{port}/"))
    assert seen == []
    response = await fetch("GET", f"http://[0:0::1]:{port}/", network=Network(private_hosts=("[::1]",)))
    assert response.url == f"http://[::1]:{port}/"
    assert f"Host: [::1]:{port}\r\n".encode() in seen[0]


async def test_the_machine_s_own_resolver_is_used_and_checked(serve: Serve) -> None:
    port, _ = await serve(OK)
    response = await fetch("GET", f"http://localhost:{port}/", network=Network(private_hosts=("localhost",)))
    assert response.status == 200


async def test_a_name_without_an_address_cannot_be_reached(wired: Wired) -> None:
    told = await refused(
        fetch("GET", "http://nobody.test/", wiring=wired(nobody_test="")), Kind.NETWORK_ERROR
    )
    assert told == "Cannot resolve host: nobody.test"


async def test_the_backend_canonicalises_what_another_parser_lets_through() -> None:
    async def never(_host: str, _port: int) -> list[str]:
        raise AssertionError("an address is not looked up")

    gate = Gate(Network(), None, never)
    for host in ("2130706433", "0x7f.1", "[::1]", "::1", "127.0.0.1."):
        with pytest.raises(ToolError, match=r"network\.private"):
            await gate.admit(host, 80)
    with pytest.raises(ToolError, match="Invalid URL"):
        await gate.admit("a b", 80)
