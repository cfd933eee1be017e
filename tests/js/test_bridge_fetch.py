"""fetch in JavaScript tools: what is sent, what comes back, what is refused, and that requests overlap."""

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.js.conftest import Evaluate

from oneclaw.core.errors import ToolError
from oneclaw.core.session import Network, Session
from oneclaw.core.tool import Context
from oneclaw.guard.network import gate
from oneclaw.guard.network.pool import Wiring
from oneclaw.js import bridge_fetch, bridges
from oneclaw.js.bridges import Bridges

Serve = Callable[..., Awaitable[tuple[int, list[bytes]]]]

THROWN = """
    const thrown = async (work) => {
        try { await work() } catch (error) { return [error.name, error.message, error.kind ?? null] }
        return 'nothing was thrown';
    };
"""


def reply(body: bytes = b"", head: str = "Content-Type: text/plain", status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\n{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


async def test_a_response_has_what_the_platform_gives(evaluate: Evaluate, serve: Serve) -> None:
    head = "Content-Type: application/json\r\nX-Two: a\r\nX-Two: b\r\nSet-Cookie: c=1\r\nSet-Cookie: d=2"
    port, seen = await serve(reply('{"größe":[1,2]}'.encode(), head, "201 Created"))
    told = await evaluate(
        """
        const response = await fetch(p.url, { headers: { 'X-Mine': 'yes', Accept: 'application/json' } });
        const before = response.bodyUsed;
        const other = response.clone();
        const data = await response.json();
        const names = [];
        response.headers.forEach((value, name) => names.push(name));
        return { ok: response.ok, status: response.status, statusText: response.statusText, url: response.url,
                 redirected: response.redirected, type: response.type, used: [before, response.bodyUsed,
                     other.bodyUsed],
                 data, text: await other.text(), is: response instanceof Response,
                 two: response.headers.get('x-two'), none: response.headers.get('nope'),
                 has: response.headers.has('SET-COOKIE'), cookies: response.headers.getSetCookie(), names,
                 pairs: [...response.headers].length };
        """,
        {"url": f"http://127.0.0.1:{port}/a?b=c#hash"},
    )
    assert told == {
        "ok": True,
        "status": 201,
        "statusText": "Created",
        "url": f"http://127.0.0.1:{port}/a?b=c",
        "redirected": False,
        "type": "basic",
        "used": [False, True, False],
        "data": {"größe": [1, 2]},
        "text": '{"größe":[1,2]}',
        "is": True,
        "two": "a, b",
        "none": None,
        "has": True,
        "cookies": ["c=1", "d=2"],
        "names": ["content-length", "content-type", "set-cookie", "set-cookie", "x-two"],
        "pairs": 5,
    }
    assert seen[0].startswith(b"GET /a?b=c HTTP/1.1\r\n")
    assert b"x-mine: yes\r\n" in seen[0]
    assert b"accept: application/json\r\n" in seen[0]


async def test_a_body_is_read_once_as_text_json_or_bytes(evaluate: Evaluate, serve: Serve) -> None:
    data = b"\xef\xbb\xbf" + "é".encode()
    port, _ = await serve(reply(data))
    binary, _ = await serve(reply(bytes(range(256))))
    packed, _ = await serve(reply(gzip.compress(b"packed " * 1000), "Content-Encoding: gzip"))
    told = await evaluate(
        THROWN
        + """
        const get = (port) => fetch(`http://127.0.0.1:${port}/`);
        const [one, two] = [await get(p.port), await get(p.port)];
        const text = await one.text();
        const again = await thrown(() => one.json());
        const cloned = await thrown(() => one.clone());
        const bytes = new Uint8Array(await two.arrayBuffer());
        const broken = await thrown(async () => (await get(p.port)).json());
        const binary = await (await get(p.binary)).bytes();
        return [text, again, cloned, [...bytes], broken, binary.length, binary[255],
                (await (await get(p.packed)).text()).length];
        """,
        {"port": port, "binary": binary, "packed": packed},
    )
    read = "The body of this Response has been read already; clone() it first."
    assert told[:4] == [
        "é",
        ["TypeError", read, None],
        ["TypeError", "A Response whose body has been read cannot be cloned.", None],
        list(data),
    ]
    assert told[4][0] == "SyntaxError"
    assert told[4][1].startswith("The body is not JSON (")
    assert told[4][1].endswith("it begins with: é")
    assert told[5:] == [256, 255, 7000]


@pytest.mark.parametrize(
    ("init", "sent", "content_type"),
    [
        ("{ method: 'POST', body: 'größe' }", "größe".encode(), b"text/plain;charset=UTF-8"),
        ("{ method: 'put', body: JSON.stringify({ a: 1 }) }", b'{"a":1}', b"text/plain;charset=UTF-8"),
        (
            "{ method: 'POST', body: new URLSearchParams({ a: 'b c', ü: 1 }) }",
            b"a=b+c&%C3%BC=1",
            b"application/x-www-form-urlencoded;charset=UTF-8",
        ),
        ("{ method: 'POST', body: new Uint8Array([0, 255]).buffer }", b"\x00\xff", None),
        ("{ method: 'PATCH', body: new Uint8Array([1, 2, 3]).subarray(1) }", b"\x02\x03", None),
        (
            "{ method: 'POST', body: 'x', headers: new Headers([['Content-Type', 'text/x']]) }",
            b"x",
            b"text/x",
        ),
        ("{ method: 'POST' }", b"", None),
        ("{ method: 'DELETE' }", b"", None),
        ("{ method: 'delete', body: 'x' }", b"x", b"text/plain;charset=UTF-8"),
    ],
)
async def test_a_body_is_sent_as_what_it_is(
    evaluate: Evaluate, serve: Serve, init: str, sent: bytes, content_type: bytes | None
) -> None:
    port, seen = await serve(reply())
    await evaluate(f"await fetch('http://127.0.0.1:{port}/', {init})")
    head, _, body = seen[0].partition(b"\r\n\r\n")
    assert body == sent
    lines = {
        name.lower(): value for name, _, value in (line.partition(b": ") for line in head.split(b"\r\n"))
    }
    assert lines.get(b"content-type") == content_type
    assert head.split(b" ")[0] in init.upper().encode()


async def test_five_requests_are_under_way_at_once(evaluate: Evaluate, serve: Serve) -> None:
    together = asyncio.Barrier(5)

    async def answer(_request: bytes, writer: asyncio.StreamWriter) -> None:
        # Nobody is answered before all five have asked: one after the other they would wait for ever.
        async with asyncio.timeout(20):
            await together.wait()
        writer.write(reply(b"met"))

    port, seen = await serve(answer)
    body = """
        const get = async (number) => (await fetch(`http://127.0.0.1:${p.port}/${number}`)).text();
        return Promise.all([1, 2, 3, 4, 5].map(get));
    """
    assert await evaluate(body, {"port": port}) == ["met"] * 5
    assert len(seen) == 5


async def test_more_than_so_many_requests_wait_for_their_turn(
    evaluate: Evaluate, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridges, "FETCHES", 3)
    at_once, most = 0, 0

    async def answer(_request: bytes, writer: asyncio.StreamWriter) -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        for _ in range(20):
            await asyncio.sleep(0)
        at_once -= 1
        writer.write(reply(b"x"))

    port, _ = await serve(answer)
    body = "return (await Promise.all(Array.from({ length: 12 }, () => fetch(p.url)))).length"
    assert await evaluate(body, {"url": f"http://127.0.0.1:{port}/"}) == 12
    assert most <= 3


async def test_redirects_are_followed_given_back_or_refused(evaluate: Evaluate, serve: Serve) -> None:
    target, _ = await serve(reply(b"there"))
    there = f"http://127.0.0.1:{target}/new"
    port, _ = await serve(reply(b"", f"Location: {there}", "302 Found"))
    told = await evaluate(
        THROWN
        + """
        const url = `http://127.0.0.1:${p.port}/old`;
        const followed = await fetch(url);
        const manual = await fetch(url, { redirect: 'manual' });
        return [followed.url, followed.redirected, await followed.text(), manual.status, manual.url,
            manual.redirected,
                manual.headers.get('location'), await thrown(() => fetch(url, { redirect: 'error' })),
                await thrown(() => fetch(url, { redirect: 'perhaps' }))];
        """,
        {"port": port},
    )
    old = f"http://127.0.0.1:{port}/old"
    assert told == [
        *[there, True, "there", 302, old, False, there],
        ["Error", f"{old} redirects to {there}, and fetch was told not to follow.", "network_error"],
        ["TypeError", "fetch cannot treat redirects as perhaps; use follow, manual or error.", None],
    ]


def only_public(name: str, port: int) -> Wiring:
    """A network in which `name` is a public address, and the way there leads to loopback."""
    from tests.guard.conftest import Recorder

    async def resolve(host: str, _port: int) -> list[str]:
        assert host == name
        return ["93.184.216.34"]

    return Wiring(resolve, Recorder([]))


async def test_a_redirect_to_a_private_host_is_refused(evaluate: Evaluate, serve: Serve) -> None:
    inside, reached = await serve(reply(b"the secret"))
    port, _ = await serve(reply(b"", f"Location: http://127.0.0.1:{inside}/", "302 Found"))
    body = THROWN + "return thrown(() => fetch(p.url))"
    given: dict[str, Any] = {"url": f"http://public.test:{port}/"}
    wiring = only_public("public.test", port)
    told = await evaluate(body, given, context=Context(), wiring=wiring)
    why = f"127.0.0.1:{inside} is not public: it is a loopback address."
    assert told == ["Error", f"{why} This needs the permission network.private.", "permission_denied"]
    assert reached == []


async def test_without_the_gate_the_redirect_would_reach_the_private_host(
    evaluate: Evaluate, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, reached = await serve(reply(b"the secret"))
    port, _ = await serve(reply(b"", f"Location: http://127.0.0.1:{inside}/", "302 Found"))
    monkeypatch.setattr(gate, "why_private", lambda _address: None)  # pyright: ignore
    wiring = only_public("public.test", port)
    body = "return (await fetch(p.url)).text()"
    given = {"url": f"http://public.test:{port}/"}
    assert await evaluate(body, given, context=Context(), wiring=wiring) == "the secret"
    assert len(reached) == 1


async def test_a_private_host_is_asked_for_by_name(evaluate: Evaluate, serve: Serve) -> None:
    port, _ = await serve(reply(b"inside"))
    asked: list[tuple[str, str]] = []

    async def grant(need: str, reason: str) -> None:
        asked.append((need, reason))

    url = f"http://127.0.0.1:{port}/"
    body = "return (await fetch(p.url)).text()"
    assert await evaluate(body, {"url": url}, context=Context(require=grant)) == "inside"
    assert asked == [("network.private", f"127.0.0.1:{port} is not public: it is a loopback address.")]


async def test_fetch_needs_the_permission_network(evaluate: Evaluate, serve: Serve) -> None:
    port, seen = await serve(reply())
    body = THROWN + "return thrown(() => fetch(p.url))"
    told = await evaluate(body, {"url": f"http://127.0.0.1:{port}/"}, needs=["files.read"])
    message = "fetch needs the permission network: add it to requiredPermissions of probe."
    assert told == ["Error", message, "permission_denied"]
    assert seen == []


def allow(_bridges: Bridges, _need: str, _what: str) -> None:
    """The check that is none."""


async def test_without_the_check_a_tool_without_permission_would_reach_the_network(
    evaluate: Evaluate, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, seen = await serve(reply(b"x"))
    monkeypatch.setattr(Bridges, "_need", allow)
    assert await evaluate(
        "return (await fetch(p.url)).text()", {"url": f"http://127.0.0.1:{port}/"}, needs=[]
    )
    assert len(seen) == 1


async def test_a_body_that_is_too_large_is_an_error_and_not_cut(
    evaluate: Evaluate, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge_fetch, "MAX_BYTES", 1024 * 1024)
    fits, _ = await serve(reply(b"x" * 1024 * 1024))
    port, _ = await serve(reply(b"x" * (1024 * 1024 + 1)))
    bomb, _ = await serve(reply(gzip.compress(bytes(50_000_000)), "Content-Encoding: gzip"))
    told = await evaluate(
        THROWN
        + """
        const get = (port) => fetch(`http://127.0.0.1:${port}/`);
        return [(await (await get(p.fits)).text()).length, await thrown(() => get(p.port)),
            await thrown(() => get(p.bomb))];
        """,
        {"fits": fits, "port": port, "bomb": bomb},
    )
    assert told[0] == 1024 * 1024
    for asked, (name, message, kind) in zip((port, bomb), told[1:], strict=True):
        assert (name, kind) == ("Error", "network_error")
        body = f"The body of http://127.0.0.1:{asked}/ is larger than 1 MB"
        assert message == f"{body}, the most that fetch gives; ask for less."


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("fetch()", "TypeError: fetch needs an address."),
        ("fetch('nonsense')", "Error: Invalid URL: nonsense (it must start with http:// or https://)."),
        ("fetch('file:///etc/passwd')", "only http and https can be requested"),
        ("fetch('http://u:p@127.0.0.1/')", "send a user name and password in an Authorization header"),
        ("fetch(p.url, { body: 'x' })", "TypeError: A request with the method GET cannot have a body."),
        ("fetch(p.url, { method: 'CONNECT' })", "fetch cannot send the method 'CONNECT'; use one of:"),
        ("fetch(p.url, { headers: { 'a b': 'c' } })", "TypeError: A header cannot have the name a b."),
        ("fetch(p.url, { headers: { a: 'b\\r\\nc: d' } })", "TypeError: The header a cannot have a value"),
        ("fetch(p.url, { headers: { Host: 'x' } })", "Header 'host' cannot be sent"),
        ("fetch(p.url, { headers: { a: '%0d%0ab: c' } })", "its value hides a line end"),
        ("fetch('http://127.0.0.1:1/')", "Error: Connection refused: http://127.0.0.1:1/"),
    ],
)
async def test_what_cannot_be_asked_for_is_said_in_the_tool(
    evaluate: Evaluate, serve: Serve, call: str, words: str
) -> None:
    port, seen = await serve(reply())
    with pytest.raises(ToolError) as caught:
        await evaluate(f"await {call}", {"url": f"http://127.0.0.1:{port}/"})
    assert words in caught.value.message
    assert "(probe.js:1:" in caught.value.message
    assert seen == []


async def test_an_address_can_be_a_url_object(evaluate: Evaluate, serve: Serve) -> None:
    port, seen = await serve(reply(b"x"))
    body = (
        "const url = new URL('/ü?q', p.url); url.searchParams.set('a', 'b c'); return (await fetch(url)).url"
    )
    told = await evaluate(body, {"url": f"http://127.0.0.1:{port}"})
    assert told == f"http://127.0.0.1:{port}/%C3%BC?q=&a=b+c"
    assert seen[0].startswith(b"GET /%C3%BC?q=&a=b+c HTTP/1.1\r\n")


async def test_a_slow_server_is_told_of_before_the_call_ends(evaluate: Evaluate, serve: Serve) -> None:
    gone = asyncio.Event()

    async def answer(_request: bytes, _writer: asyncio.StreamWriter) -> None:
        await gone.wait()

    port, _ = await serve(answer)
    session = Session(network=Network(private_hosts=("127.0.0.1",)))
    try:
        told = await evaluate(
            THROWN + "return thrown(() => fetch(p.url))",
            {"url": f"http://127.0.0.1:{port}/"},
            context=Context(session=session, seconds=1),
        )
    finally:
        gone.set()
    assert told == ["Error", f"HTTP request timed out after 1 seconds: http://127.0.0.1:{port}/", "timeout"]


async def test_headers_and_responses_can_be_made_by_hand(evaluate: Evaluate) -> None:
    told = await evaluate(
        THROWN
        + """
        const headers = new Headers({ b: ' 1 ', A: '2' });
        headers.append('B', '3');
        headers.set('c', '4');
        headers.delete('a');
        const made = new Response('ü', { status: 404, statusText: 'No', headers: { x: 'y' } });
        const data = Response.json({ a: 1 }, { status: 201 });
        return [[...headers], [...headers.keys()], [...new Headers(headers).values()], made.ok, made.status,
                made.headers.get('content-type'), [...await made.bytes()], await data.json(),
                    data.headers.get('content-type'),
                await new Response().text(), (await thrown(() => new Response('x', { status: 204 })))[1],
                (await thrown(() => new Response('', { status: 99 })))[0],
                    (await thrown(() => new Headers([['a']])))[1]];
        """
    )
    assert told == [
        [["b", "1, 3"], ["c", "4"]],
        ["b", "c"],
        ["1, 3", "4"],
        *[False, 404, "text/plain;charset=UTF-8", list("ü".encode()), {"a": 1}, "application/json", ""],
        "A Response of status 204 has no body.",
        "RangeError",
        "Headers need pairs of a name and a value.",
    ]


async def test_a_head_request_and_an_empty_answer_have_no_body(evaluate: Evaluate, serve: Serve) -> None:
    port, seen = await serve(b"HTTP/1.1 204 No Content\r\n\r\n")
    body = "const r = await fetch(p.url, { method: 'HEAD' }); return [r.status, r.ok, await r.text()]"
    assert await evaluate(body, {"url": f"http://127.0.0.1:{port}/"}) == [204, True, ""]
    assert seen[0].startswith(b"HEAD / HTTP/1.1\r\n")


async def test_json_of_a_large_answer_comes_whole(evaluate: Evaluate, serve: Serve) -> None:
    data = [{"id": number, "name": "größe" * 5} for number in range(20_000)]
    port, _ = await serve(
        reply(json.dumps(data, ensure_ascii=False).encode(), "Content-Type: application/json")
    )
    body = "const d = await (await fetch(p.url)).json(); return [d.length, d[19999]]"
    assert await evaluate(body, {"url": f"http://127.0.0.1:{port}/"}) == [20_000, data[-1]]
