"""Bytes that are and are not UTF-8, in JavaScript tools: decoded as the Unicode standard replaces them."""

from collections.abc import Callable
from typing import Any

from tests.corpus.conftest import Rows
from tests.js.conftest import Evaluate
from tests.js.conftest import evaluate as evaluate  # the fixture

Serve = Callable[..., Any]


async def test_bytes_are_decoded_with_replacement_whole_and_in_pieces(rows: Rows, evaluate: Evaluate) -> None:
    body = """
        const options = { ignoreBOM: true };
        const pieces = (bytes) => {
            const decoder = new TextDecoder('utf-8', options);
            let text = '';
            for (const byte of bytes) text += decoder.decode(new Uint8Array([byte]), { stream: true });
            return text + decoder.decode();
        };
        return p.samples.map((hex) => Uint8Array.fromHex(hex))
            .map((bytes) => [new TextDecoder('utf-8', options).decode(bytes), pieces(bytes)]);
    """
    known = rows("utf8_bytes")
    read = await evaluate(body, {"samples": [row["hex"] for row in known]})
    for row, texts in zip(known, read, strict=True):
        assert texts == [bytes.fromhex(row.get("replaced", row["hex"])).decode()] * 2, row


async def test_the_body_of_a_response_is_decoded_with_replacement(
    rows: Rows, evaluate: Evaluate, serve: Serve
) -> None:
    known = rows("utf8_bytes")
    ports: list[int] = []
    for row in known:
        body = bytes.fromhex(row["hex"])
        answer = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        ports.append((await serve(answer))[0])
    body = """
        const read = async (port) => {
            const response = await fetch(`http://127.0.0.1:${port}/`);
            const copy = response.clone();
            return [await response.text(), new Uint8Array(await copy.arrayBuffer()).toHex()];
        };
        return Promise.all(p.ports.map(read));
    """
    read = await evaluate(body, {"ports": ports})
    for row, (text, data) in zip(known, read, strict=True):
        assert data == row["hex"], row
        assert text == bytes.fromhex(row.get("replaced", row["hex"])).decode(), row
