"""Bytes that are and are not UTF-8, in JavaScript tools: decoded as the Unicode standard replaces them."""

import asyncio

from tests.conftest import Serve
from tests.corpus.conftest import Judged, Rows
from tests.js.conftest import Evaluate
from tests.js.conftest import evaluate as evaluate  # the fixture


async def test_bytes_are_decoded_with_replacement_whole_and_in_pieces(
    rows: Rows, evaluate: Evaluate, judged: Judged
) -> None:
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
        with judged(row["id"]):
            assert texts == [bytes.fromhex(row.get("replaced", row["hex"])).decode()] * 2


async def test_the_body_of_a_response_is_decoded_with_replacement(
    rows: Rows, evaluate: Evaluate, serve: Serve, judged: Judged
) -> None:
    known = rows("utf8_bytes")

    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        body = bytes.fromhex(known[int(request.split()[1].strip(b"/"))]["hex"])
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + body)

    port, _ = await serve(answer)
    body = """
        const told = [];
        for (let number = 0; number < p.count; number += 1) {
            const response = await fetch(`http://127.0.0.1:${p.port}/${number}`);
            const copy = response.clone();
            told.push([await response.text(), new Uint8Array(await copy.arrayBuffer()).toHex()]);
        }
        return told;
    """
    read = await evaluate(body, {"port": port, "count": len(known)})
    for row, (text, data) in zip(known, read, strict=True):
        with judged(row["id"]):
            assert data == row["hex"]
            assert text == bytes.fromhex(row.get("replaced", row["hex"])).decode("utf-8-sig")
