"""Converts pages to Markdown: short ones inline, long ones in a child process.

The converter holds the interpreter from start to end, and a page of a megabyte can take seconds. So a long
page goes to a child, which has bounds of its own on time and memory and is killed when its time is up. Few of
them run at once: a model may ask for sixty pages in one breath, and each may take half a gigabyte.
"""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from oneclaw.core.slots import Slots
from oneclaw.guard.network.readable import to_readable

SHORT_CHARS = 16 * 1024
MAX_CHARS = 4 * 1024 * 1024
"""The most characters of a readable page: as many as a source has letters, though whole links are longer."""

MEMORY_BYTES = 1 << 30
CHILDREN = 4
_CHILD = Path(__file__).with_name("conversion_child.py")


async def convert(html: str, base_url: str | None = None, seconds: float = 10.0) -> str | None:
    """The page as Markdown; None when it cannot be read as HTML, or not within `seconds` and the memory."""
    if len(html) <= SHORT_CHARS:
        return to_readable(html, base_url)
    limits = {"base_url": base_url, "seconds": seconds, "bytes": MEMORY_BYTES, "chars": MAX_CHARS}
    request = json.dumps(limits).encode() + b"\n" + html.encode("utf-8", "replace")
    slots = _slots(asyncio.get_running_loop())
    try:
        async with asyncio.timeout(seconds):
            if not slots.take():
                await slots.turn()
            try:
                return await _ask_child(request)
            finally:
                slots.leave()
    except TimeoutError:
        return None


@lru_cache(8)
def _slots(loop: asyncio.AbstractEventLoop) -> Slots:
    return Slots(CHILDREN)


async def _ask_child(request: bytes) -> str | None:
    try:
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-E", "-P", _CHILD, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=_environment()
        )
    except OSError:
        return None
    try:
        text, _ = await child.communicate(request)
    finally:
        await _end(child)
    return text.decode("utf-8", "replace") if child.returncode == 0 else None


async def _end(child: Process) -> None:
    if child.returncode is None:
        with suppress(ProcessLookupError):
            child.kill()
        await asyncio.shield(child.wait())


def _environment() -> dict[str, str]:
    """Where things are, and no keys."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH") if name in os.environ}
