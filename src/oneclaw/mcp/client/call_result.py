"""Results of MCP tools as outputs of ours."""

import asyncio
import json
import os
import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from oneclaw.core.call import Image, Output
from oneclaw.core.errors import ToolError
from oneclaw.core.image import MAX_BYTES, MAX_IMAGES, media_type
from oneclaw.core.text.display import one_line
from oneclaw.core.tool import Context

FILE_BYTES = 32 << 20
_NAME_CHARS = 100
_ENDINGS = {"audio/wav": "wav", "audio/mpeg": "mp3", "audio/ogg": "ogg", "audio/flac": "flac"}


async def make_output(server: str, result: Any, context: Context, *, has_schema: bool = False) -> Output:
    """The text or structured content of a result, and its pictures, for the model. Raises `ToolError`.

    A tool with an output schema gives its structured content alone, which is checked against the schema.
    """
    parts = ResultParts(server, context)
    for block in result.content:
        await parts.add(block)
    text, structured = "\n".join(parts.texts), result.structured_content
    details = {"mcp_server": server} | ({"structured": structured} if structured is not None else {})
    if result.is_error:
        said = text or (json.dumps(structured) if structured is not None else "It gave no reason.")
        raise ToolError(said, details=details)
    images = tuple(parts.images)
    if structured is None:
        return Output(text, images, details)
    is_same = has_schema or not text or _is_same(parts.plain, structured)
    value = structured if is_same else {"text": text, "structured": structured}
    return Output(value, images, details)


def _is_same(texts: Sequence[str], structured: Any) -> bool:
    """Whether the text only repeats the structured content, as servers do for older clients."""
    if len(texts) != 1:
        return False
    try:
        return json.loads(texts[0]) == structured
    except ValueError:
        return isinstance(structured, dict) and structured == {"result": texts[0]}


class ResultParts:
    """The blocks of a result, taken apart."""

    def __init__(self, server: str, context: Context) -> None:
        self._server = server
        self._context = context
        self.texts: list[str] = []
        self.plain: list[str] = []
        self.images: list[Image] = []

    async def add(self, block: Any) -> None:
        match block.type:
            case "text":
                self.texts.append(block.text)
                self.plain.append(block.text)
            case "image":
                await self._add_bytes("image", block.mime_type, block.data)
            case "audio":
                await self._add_bytes("audio", block.mime_type, block.data)
            case "resource_link":
                self.texts.append(link_line(block, self._server))
            case _:
                await self.add_resource(block.resource)

    async def add_resource(self, resource: Any) -> None:
        text = getattr(resource, "text", None)
        if text is not None:
            self.texts.append(f"[resource {one_line(resource.uri, 500)}]\n{text}")
        else:
            await self._add_bytes(
                f"resource {one_line(resource.uri, 500)}", resource.mime_type, resource.blob
            )

    async def _add_bytes(self, what: str, kind: str | None, encoded: str) -> None:
        """A picture goes to the model; other bytes are kept in a file, which the text names."""
        named = one_line(kind or "of no said type", 60)
        try:
            data = b64decode(encoded, validate=True)
        except (Base64Error, ValueError):
            self.texts.append(f"[{what}, {named}: left out, its data is not base64]")
            return
        found = media_type(data)
        if found is not None and len(data) <= MAX_BYTES and len(self.images) < MAX_IMAGES:
            self.images.append(Image(data, found))
            return
        folder = self._context.session.folder
        if folder is None or len(data) > FILE_BYTES:
            self.texts.append(f"[{what}, {named}, {len(data):,} bytes: left out]")
            return
        ending = _ENDINGS.get(kind or "", "bin")
        path = await asyncio.to_thread(_keep, folder, self._context.call_id, ending, data)
        self.texts.append(f"[{what}, {named}, {len(data):,} bytes, kept as {path}]")


def link_line(link: Any, server: str) -> str:
    about = one_line(link.title or link.name or "", 200)
    kind = f", {one_line(link.mime_type, 60)}" if link.mime_type else ""
    return f"[resource {one_line(link.uri, 500)}: {about}{kind}; of the MCP server {server}]"


def _keep(folder: Path, call_id: str, ending: str, data: bytes) -> Path:
    """Write bytes to a new file of the session, for its owner alone."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = re.sub(r"[^A-Za-z0-9_-]", "_", call_id)[:_NAME_CHARS]
    for number in range(1000):
        path = folder / f"{name}-{number + 1}.{ending}"
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            continue
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        return path
    raise FileExistsError(f"{folder} holds too many files of the call {name}.")
