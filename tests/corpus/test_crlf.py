"""Line ends smuggled into headers: refused as values, as names, plain and encoded."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote, unquote

import pytest
from tests.corpus.conftest import Rows

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Network, Session
from oneclaw.core.tool import Context
from oneclaw.guard.network.headers import check
from oneclaw.tools.http_request import http_request

Serve = Callable[..., Any]


def test_no_row_passes_as_a_header_in_any_encoding(rows: Rows) -> None:
    for row in rows("crlf"):
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


async def test_as_a_path_a_row_stays_one_request_line(rows: Rows, serve: Serve) -> None:
    port, seen = await serve(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    context = Context(session=Session(network=Network(private_hosts=("127.0.0.1",))))
    for row in rows("crlf"):
        await http_request.execute({"url": f"http://127.0.0.1:{port}{row['s']}"}, context)
        with pytest.raises(ToolError, match="control characters"):
            await http_request.execute({"url": f"http://127.0.0.1:{port}{unquote(row['s'])}"}, context)
    assert len(seen) == len(rows("crlf"))
    assert not any(b"\r\nSet-Cookie" in request for request in seen)
