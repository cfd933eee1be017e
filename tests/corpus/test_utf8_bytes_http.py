"""Bytes that are and are not UTF-8, as HTTP bodies: decoded as the Unicode standard replaces them."""

import asyncio

import pytest
from tests.conftest import Serve
from tests.corpus.conftest import Judged, Rows
from tests.marked import unmark

from oneclaw.core.session import Network, Session
from oneclaw.core.tool import Context
from oneclaw.tools.http_request import http_request


@pytest.mark.parametrize(
    "head", ["Content-Type: text/plain", "Content-Type: text/plain; charset=utf-8", "X-No: type"]
)
async def test_a_body_is_decoded_with_replacement(
    rows: Rows, serve: Serve, head: str, judged: Judged
) -> None:
    context = Context(session=Session(network=Network(private_hosts=("127.0.0.1",))))
    body = b""

    async def answer(_: bytes, writer: asyncio.StreamWriter) -> None:
        lines = f"HTTP/1.1 200 OK\r\n{head}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(lines.encode() + body)

    port, _ = await serve(answer)
    for row in rows("utf8_bytes"):
        with judged(row["id"]):
            body = bytes.fromhex(row["hex"])
            output = await http_request.execute({"url": f"http://127.0.0.1:{port}/"}, context)
            expected = bytes.fromhex(row.get("replaced", row["hex"])).decode("utf-8-sig")
            assert unmark(output.value).inside.partition("\n\n")[2] == expected
