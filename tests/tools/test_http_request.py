"""http_request: what is sent, what comes back, and what is refused."""

import asyncio
import gzip
import socket
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.marked import unmark

from oneclaw.core.call import Output, ToolCall
from oneclaw.core.engine import Engine
from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.registry import Registry
from oneclaw.core.session import Network, Session
from oneclaw.core.tool import Context, Tool
from oneclaw.run.runner import CallRunner
from oneclaw.tools.fetch_url import fetch_url
from oneclaw.tools.http_request import http_request

Serve = Callable[..., Awaitable[tuple[int, list[bytes]]]]

PACKED = "Content-Type: text/plain\r\nContent-Encoding: gzip"
HERE = Session(network=Network(private_hosts=("127.0.0.1",)))


def reply(body: bytes, head: str = "Content-Type: text/plain", status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\n{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


each_tool = pytest.mark.parametrize("tool", [http_request, fetch_url], ids=lambda tool: tool.name)


async def call(
    port: int, path: str = "/", session: Session = HERE, tool: Tool = http_request, **arguments: Any
) -> Output:
    arguments["url"] = f"http://127.0.0.1:{port}{path}"
    output = await tool.execute(arguments, Context(session=session))
    assert isinstance(output, Output)
    return output


async def failure(
    arguments: dict[str, Any], context: Context | None = None, tool: Tool = http_request
) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await tool.execute(arguments, context or Context(session=HERE))
    return caught.value


def test_the_definition_is_what_the_model_is_promised() -> None:
    definition = http_request.definition
    assert (definition.name, definition.seconds, definition.group) == ("http_request", 30, "web")
    assert (definition.needs, definition.effect, definition.isolation) == (("network",), "unknown", "inline")
    properties = definition.parameters["properties"]
    assert list(properties) == ["url", "method", "headers", "body", "readable"]
    assert properties["method"]["enum"] == ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"]
    assert definition.parameters["required"] == ["url"]


@pytest.mark.covers("FEAT004-AC-15", "FEAT004-FT-05", "RFC004-UT-07a", "RFC004-UT-07b", "RFC004-IT-04")
async def test_a_get_gives_status_headers_and_body(serve: Serve) -> None:
    port, seen = await serve(
        reply(b"hello", "Content-Type: text/plain; charset=utf-8\r\nX-Own: 1\r\nETag: e")
    )
    output = await call(port, "/a?b=c", headers={"X-Mine": "yes"})
    marked = unmark(output.value)
    assert (marked.before, marked.after) == ("HTTP 200 OK", "")
    assert marked.inside == "Content-Type: text/plain; charset=utf-8\nContent-Length: 5\nETag: e\n\nhello"
    assert marked.source == f"http://127.0.0.1:{port}/a?b=c"
    assert output.details["status"] == 200
    assert ["X-Own", "1"] in output.details["headers"]
    assert output.details["url"] == f"http://127.0.0.1:{port}/a?b=c"
    assert seen[0].startswith(b"GET /a?b=c HTTP/1.1\r\n")
    assert b"X-Mine: yes\r\n" in seen[0]
    assert b"content-length" not in seen[0].lower()


@pytest.mark.covers("FEAT004-FT-05", "RFC004-UT-07a")
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_a_body_is_sent_as_json_unless_a_header_says_otherwise(serve: Serve, method: str) -> None:
    port, seen = await serve(reply(b""))
    await call(port, method=method, body='{"é": 1}')
    await call(port, method=method, body="a=b", headers={"content-type": "application/x-www-form-urlencoded"})
    assert seen[0].startswith(f"{method} / HTTP/1.1\r\n".encode())
    assert b"Content-Type: application/json\r\n" in seen[0]
    assert seen[0].endswith('\r\n\r\n{"é": 1}'.encode())
    assert b"application/json" not in seen[1]
    assert seen[1].endswith(b"\r\n\r\na=b")


async def test_methods_without_a_body(serve: Serve) -> None:
    port, seen = await serve(reply(b""))
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        await call(port, method=method)
    assert [b"Content-Length: 0" in request for request in seen] == [True, True, True, False]
    assert all(b"Content-Type" not in request for request in seen)


async def test_a_body_that_get_cannot_send_is_not_sent_and_that_is_said(serve: Serve) -> None:
    port, seen = await serve(reply(b"x"))
    output = await call(port, body="data")
    marked = unmark(output.value)
    assert marked.inside.endswith("\n\nx")
    assert marked.after == "(The body was not sent: GET takes none.)"
    assert b"data" not in seen[0]
    assert "not sent" not in (await call(port, body="")).value


async def test_head_gives_headers_only(serve: Serve) -> None:
    port, seen = await serve(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 12345\r\n\r\n")
    output = await call(port, method="HEAD")
    marked = unmark(output.value)
    assert marked.before == "HTTP 200 OK"
    assert marked.inside == "Content-Type: text/html\nContent-Length: 12345\n\n(empty response body)"
    assert seen[0].startswith(b"HEAD ")


@pytest.mark.covers("FEAT004-FT-06")
@pytest.mark.parametrize(
    ("status", "line"),
    [
        ("404 Not Found", "HTTP 404 Not Found"),
        ("500 Internal Server Error", "HTTP 500 Internal Server Error"),
        ("201", "HTTP 201 Created"),
        ("418 Obey me", "HTTP 418 I'm a Teapot"),
        ("799 Obey me", "HTTP 799"),
    ],
)
async def test_any_status_is_an_answer_not_an_error(serve: Serve, status: str, line: str) -> None:
    port, _ = await serve(reply(b"sorry", status=status))
    output = await call(port)
    marked = unmark(output.value)
    assert marked.before == line, "what the server calls it is not said outside the mark"
    assert marked.inside.startswith("Content-Type: text/plain\n")
    assert output.details["reason"] == (status.partition(" ")[2] or line.rpartition(" ")[2])


async def test_an_empty_body_is_said(serve: Serve) -> None:
    port, _ = await serve(b"HTTP/1.1 204 No Content\r\n\r\n")
    marked = unmark((await call(port)).value)
    assert (marked.before, marked.inside) == ("HTTP 204 No Content", "\n(empty response body)")


@pytest.mark.covers("RFC004-EC-03", "RFC004-UT-07c")
async def test_a_long_body_is_cut_and_the_total_named(serve: Serve) -> None:
    port, _ = await serve(reply(b"z" * 300 * 1024))
    value = (await call(port)).value
    assert unmark(value).inside.endswith("zzz")
    assert unmark(value).after == "(Response truncated. Showing first 100KB of 300KB total.)"
    assert value.count("z") == 102_400
    assert len(value) < http_request.definition.chars


async def test_a_cut_never_falls_inside_a_character(serve: Serve) -> None:
    port, _ = await serve(reply(b"a" + "日".encode() * 50_000))
    value = (await call(port)).value
    assert "\ufffd" not in value
    assert value.count("日") == (102_400 - 1) // 3


async def test_a_long_body_of_unknown_size_is_cut_and_that_is_said(serve: Serve) -> None:
    port, _ = await serve(reply(gzip.compress(b"x" * 300_000), PACKED))
    assert unmark((await call(port)).value).after == (
        "(Response truncated. Showing first 100KB; the total size is not known.)"
    )


@each_tool
async def test_packed_bodies_are_unpacked(serve: Serve, tool: Tool) -> None:
    port, seen = await serve(reply(gzip.compress(b"hello"), PACKED))
    assert unmark((await call(port, tool=tool)).value).inside.endswith("\n\nhello")
    assert b"Accept-Encoding: gzip, deflate\r\n" in seen[0]


async def test_binary_bodies_are_named_not_shown(serve: Serve) -> None:
    png = b"\x89PNG\r\n\x1a\n" + bytes(50)
    port, _ = await serve(reply(png, "Content-Type: image/png"))
    assert unmark((await call(port)).value).inside.endswith("\n\n(binary body, 58 bytes, image/png)")
    port, _ = await serve(reply(png, "X: y"))
    assert unmark((await call(port)).value).inside.endswith("\n\n(binary body, 58 bytes, unknown type)")
    port, _ = await serve(reply(b"??", "Content-Type: text/html\r\nContent-Encoding: br"))
    assert unmark((await call(port)).value).inside.endswith(
        "\n\n(binary body, 2 bytes, text/html, packed as br)"
    )
    port, _ = await serve(reply(bytes(200_000), "Content-Type: video/mp4"))
    assert "\n\n(binary body, 200000 bytes, video/mp4)\n</outside" in (await call(port)).value


async def test_the_character_set_of_the_answer_is_used(serve: Serve) -> None:
    port, _ = await serve(reply("grün".encode("latin-1"), "Content-Type: text/plain; charset=iso-8859-1"))
    assert unmark((await call(port)).value).inside.endswith("\n\ngrün")


async def test_html_becomes_readable_on_request_only(serve: Serve) -> None:
    page = b"<html><script>x()</script><h1>Title</h1><p>Some <b>text</b></p></html>"
    port, _ = await serve(reply(page, "Content-Type: text/html; charset=utf-8"))
    assert unmark((await call(port)).value).inside.endswith(page.decode())
    assert unmark((await call(port, readable=True)).value).inside.endswith("\n\n# Title\n\nSome **text**")
    port, _ = await serve(reply(page))
    assert unmark((await call(port, readable=True)).value).inside.endswith(page.decode()), (
        "what is not HTML stays as it is"
    )
    port, _ = await serve(reply(b"<script></script>", "Content-Type: text/html"))
    assert unmark((await call(port, readable=True)).value).inside.endswith(
        "\n\n(the page has no readable text)"
    )
    port, _ = await serve(reply(b"\0" * 500, "Content-Type: text/html"))
    assert unmark((await call(port, readable=True)).value).after.endswith(
        "could not be made readable; this is its source.)"
    )


@each_tool
async def test_a_redirect_is_told(serve: Serve, tool: Tool) -> None:
    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        is_start = request.startswith(b"GET / ")
        writer.write(reply(b"", "Location: /there", "302 Found") if is_start else reply(b"end"))

    port, _ = await serve(answer)
    output = await call(port, tool=tool)
    marked = unmark(output.value)
    assert marked.inside.endswith(f"\n(Redirected to http://127.0.0.1:{port}/there)\n\nend")
    assert marked.source == f"http://127.0.0.1:{port}/there"
    assert output.details["redirects"] == [f"http://127.0.0.1:{port}/there"]


@each_tool
@pytest.mark.covers("KAI-AT-06")
async def test_a_private_host_is_asked_for_and_the_answer_counts(serve: Serve, tool: Tool) -> None:
    port, seen = await serve(reply(b"secret"))
    arguments = {"url": f"http://127.0.0.1:{port}/"}
    error = await failure(arguments, Context(), tool)
    assert (error.kind, error.message) == (
        Kind.PERMISSION_DENIED,
        f"127.0.0.1:{port} is not public: it is a loopback address."
        " This needs the permission network.private.",
    )
    asked: list[tuple[str, str]] = []

    async def yes(need: str, reason: str) -> None:
        asked.append((need, reason))

    async def no(need: str, reason: str) -> None:
        raise ToolError("The person said no.", Kind.PERMISSION_DENIED)

    assert (await failure(arguments, Context(require=no), tool)).message == "The person said no."
    assert seen == []
    output = await tool.execute(arguments, Context(require=yes))
    assert unmark(output.value).inside.endswith("secret")
    assert asked == [("network.private", f"127.0.0.1:{port} is not public: it is a loopback address.")]


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({"X": "a\r\nEvil: 1"}, "line ends"),
        ({"X\r\nEvil": "1"}, "its name"),
        ({"X": "%0d%0aEvil: 1"}, "hides a line end"),
        ({"Host": "127.0.0.1"}, "set by the client itself"),
        ({"content-length": "0"}, "set by the client itself"),
        ({"Transfer-Encoding": "chunked"}, "set by the client itself"),
    ],
)
async def test_headers_that_would_forge_a_request_are_refused(headers: dict[str, str], why: str) -> None:
    error = await failure({"url": "http://127.0.0.1:9/", "headers": headers})
    assert error.kind is Kind.VALIDATION_ERROR
    assert why in error.message


@pytest.mark.covers("FEAT004-EC-03", "FEAT004-ES-07", "RFC004-ET-10", "RFC004-UT-07d")
async def test_errors_are_named_as_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/"
    error = await failure({"url": url})
    assert (error.kind, error.message) == (Kind.NETWORK_ERROR, f"Connection refused: {url}")

    def nobody(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nobody)
    error = await failure({"url": "http://no-such-host.invalid/"})
    assert (error.kind, error.message) == (Kind.NETWORK_ERROR, "Cannot resolve host: no-such-host.invalid")
    for bad in ("nonsense", "ftp://x/", "http://", "file:///etc/passwd", "javascript:alert(1)"):
        error = await failure({"url": bad})
        assert error.kind is Kind.VALIDATION_ERROR
        assert error.message.startswith(f"Invalid URL: {bad}")


async def test_a_body_of_half_characters_is_sent_all_the_same(serve: Serve) -> None:
    port, seen = await serve(reply(b"ok"))
    await call(port, method="POST", body="a\ud800b")
    assert seen[0].endswith(b"\r\n\r\na?b")


@pytest.mark.parametrize("made", [http_request, fetch_url], ids=lambda made: made.name)
async def test_the_limit_of_the_tool_is_the_limit_of_the_request(made: Tool, serve: Serve) -> None:
    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(1.4 if b"slow" in request else 60)
        writer.write(reply(b"at last"))
        await writer.drain()

    port, _ = await serve(answer)
    limited = replace(made, definition=replace(made.definition, seconds=2.0))
    runner = CallRunner()
    engine = Engine(Registry([limited]), runner, session=HERE)
    try:
        slow, silent = await engine.call_all(
            [ToolCall(made.name, {"url": f"http://127.0.0.1:{port}/{path}"}) for path in ("slow", "silent")]
        )
    finally:
        await runner.close()
    assert "at last" in slow.text
    assert silent.kind is Kind.TIMEOUT
    assert silent.message == f"HTTP request timed out after 2 seconds: http://127.0.0.1:{port}/silent"
    assert 1.7 < silent.seconds < 2.6
