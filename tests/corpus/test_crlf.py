"""Line ends smuggled into headers: refused as values, as names, plain and encoded."""

import re
from urllib.parse import quote, unquote

import pytest
from tests.conftest import Serve
from tests.corpus.conftest import Judged, Rows

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Network, Session
from oneclaw.core.tool import Context
from oneclaw.guard.network.headers import check
from oneclaw.tools.http_request import http_request


def test_no_row_passes_as_a_header_in_any_encoding(rows: Rows, judged: Judged) -> None:
    for row in rows("crlf"):
        with judged(row["id"]):
            text = row["s"]
            for value in (
                text,
                unquote(text),
                quote(text),
                text.upper(),
                text.lower(),
                f"x{text}y",
                quote(quote(text)),
            ):
                for pair in (("X-Test", value), (value, "x")):
                    with pytest.raises(ToolError) as caught:
                        check([pair])
                    assert caught.value.kind is Kind.VALIDATION_ERROR


async def test_as_a_path_a_row_stays_one_request_line(rows: Rows, serve: Serve, judged: Judged) -> None:
    port, seen = await serve(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    context = Context(session=Session(network=Network(private_hosts=("127.0.0.1",))))
    await http_request.execute({"url": f"http://127.0.0.1:{port}/"}, context)
    usual = names_of(seen.pop())
    for row in rows("crlf"):
        path = f"/{row['s'].removeprefix('/')}"
        seen.clear()
        with judged(row["id"]):
            for form in dict.fromkeys((path, unquote(path))):
                # Blanks and line ends after an address are not of it.
                if re.search(r"[\x00-\x1f\x7f\\]", form.rstrip(" \t\r\n")):
                    with pytest.raises(ToolError, match=r"control characters|backslashes"):
                        await http_request.execute({"url": f"http://127.0.0.1:{port}{form}"}, context)
                else:
                    await http_request.execute({"url": f"http://127.0.0.1:{port}{form}"}, context)
                    assert names_of(seen.pop()) == usual
            assert seen == []


def names_of(request: bytes) -> list[bytes]:
    """The method and the names of the headers of a request."""
    first, *lines = request.partition(b"\r\n\r\n")[0].splitlines()
    assert first.count(b" ") == 2
    return [first.split()[0], *(line.partition(b":")[0] for line in lines)]
