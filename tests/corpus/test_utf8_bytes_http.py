"""Bytes that are and are not UTF-8, as HTTP bodies: decoded as the Unicode standard replaces them."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.corpus.conftest import Rows
from tests.marked import unmark

from oneclaw.core.session import Network, Session
from oneclaw.core.tool import Context
from oneclaw.tools.http_request import http_request

Serve = Callable[..., Any]


@pytest.mark.parametrize(
    "head", ["Content-Type: text/plain", "Content-Type: text/plain; charset=utf-8", "X-No: type"]
)
async def test_a_body_is_decoded_with_replacement(rows: Rows, serve: Serve, head: str) -> None:
    context = Context(session=Session(network=Network(private_hosts=("127.0.0.1",))))
    for row in rows("utf8_bytes"):
        body = bytes.fromhex(row["hex"])
        answer = f"HTTP/1.1 200 OK\r\n{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        port, _ = await serve(answer)
        output = await http_request.execute({"url": f"http://127.0.0.1:{port}/"}, context)
        expected = bytes.fromhex(row.get("replaced", row["hex"])).decode("utf-8")
        assert unmark(output.value).inside.partition("\n\n")[2] == expected, row
