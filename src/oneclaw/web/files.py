"""Requests of the API that carry files: uploads, files of the workspace, pictures and long results.

What they answer with may have been written by anybody. So it is shown as text or as a picture, never as a
page, and its policy is `sandbox`: even opened in a tab of its own it runs nothing and has no rights here.
"""

import asyncio
import os
from collections.abc import Iterator, Mapping
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from urllib.parse import quote

from starlette.responses import Response, StreamingResponse

from oneclaw.core.image import media_type
from oneclaw.core.text.encoding import describe_binary, detect
from oneclaw.operations import attachments, kept_results
from oneclaw.web.endpoint import BYTES, Endpoint

if TYPE_CHECKING:
    from oneclaw.app import App

Given = Mapping[str, Any]
POLICY = "default-src 'none'; sandbox"
_MEMORY_BYTES = 1 << 20
_PIECE_BYTES = 1 << 18
_NAME = {"type": "string", "minLength": 1, "maxLength": 1_000}
_CALL = {"type": "string", "minLength": 1, "maxLength": 1_000, "description": "the call_id of the call"}
_COUNT = {"type": "integer", "minimum": 0, "maximum": 1 << 53, "default": 0}
_SWITCH = {"type": "boolean", "default": False}


async def keep_upload(app: "App", given: Given) -> Any:
    workspace = app.engine.session.workspace
    with SpooledTemporaryFile(_MEMORY_BYTES) as spooled:
        async for piece in given["content"]:
            await asyncio.to_thread(spooled.write, piece)
        kept = partial(attachments.keep_upload, workspace, given["name"], cast(BinaryIO, spooled))
        return await asyncio.to_thread(kept)


async def show_file(app: "App", given: Given) -> Response:
    file = await asyncio.to_thread(attachments.open_file, app.engine.session.workspace, given["path"])
    return answer_with(file, os.path.basename(given["path"]), is_saved=given["download"])


async def read_result(app: "App", given: Given) -> Any:
    return await kept_results.read_result(app, given["session"], given["call"], given["after"])


async def show_result(app: "App", given: Given) -> Response:
    return answer_with(await kept_results.open_result(app, given["session"], given["call"]), "result.txt")


async def show_picture(app: "App", given: Given) -> Response:
    image = await kept_results.find_picture(app, given["session"], given["call"], given["index"])
    headers = {"content-security-policy": POLICY}
    return Response(image.data, media_type=media_type(image.data[:100]) or BYTES, headers=headers)


def answer_with(file: BinaryIO, name: str, *, is_saved: bool = False) -> Response:
    """A file as an answer: pictures and text are shown, everything else is saved."""
    head = file.read(8_192)
    file.seek(0)
    kind = _kind_of(head, name)
    is_saved = is_saved or kind == BYTES
    headers = {
        "content-security-policy": POLICY,
        "content-length": str(os.fstat(file.fileno()).st_size),
        "content-disposition": f"{'attachment' if is_saved else 'inline'}; filename*=UTF-8''"
        f"{quote(name, safe='', errors='replace')}",
    }
    return StreamingResponse(_pieces(file), media_type=kind, headers=headers)


def _kind_of(head: bytes, name: str) -> str:
    picture = media_type(head)
    if picture is not None:
        return picture
    encoding = detect(head)
    if describe_binary(head, encoding) is not None:
        return BYTES
    if name.lower().endswith(".svg"):
        return "image/svg+xml"
    return f"text/plain; charset={encoding.name}"


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while piece := file.read(_PIECE_BYTES):
            yield piece


FILE_ENDPOINTS = (
    Endpoint(
        "POST", "/files", "Put a file into the workspace", keep_upload,
        query={"name": _NAME}, required=("name",), takes=BYTES,
    ),
    Endpoint(
        "GET", "/files", "Show or save a file of the workspace", show_file,
        query={"path": _NAME, "download": _SWITCH}, required=("path",), gives="*/*",
    ),
    Endpoint(
        "GET", "/sessions/{session}/picture", "Show a picture of a result", show_picture,
        query={"call": _CALL, "index": _COUNT}, required=("call",), gives="image/*",
    ),
    Endpoint(
        "GET", "/sessions/{session}/result", "Read a part of a long result", read_result,
        query={"call": _CALL, "after": _COUNT}, required=("call",),
    ),
    Endpoint(
        "GET", "/sessions/{session}/result.txt", "Show a long result whole", show_result,
        query={"call": _CALL}, required=("call",), gives="text/plain",
    ),
)  # fmt: skip
