"""Converts pages to Markdown: short ones inline, long ones in a child process.

The converter holds the interpreter from start to end, and a page of a megabyte can take seconds. So a long
page goes to a child, which has bounds of its own on time and memory and is killed when its time is up. Few of
them run at once: a model may ask for sixty pages in one breath, and each may take half a gigabyte.
"""

import asyncio
import resource
import sys
from functools import lru_cache
from math import ceil

from oneclaw.child.child_spec import ChildSpec, environment
from oneclaw.child.exit_report import Ended
from oneclaw.child.worker import Worker
from oneclaw.guard.network.readable import to_readable

SHORT_CHARS = 16 * 1024
MAX_CHARS = 4 * 1024 * 1024
"""The most characters of a readable page: as many as a source has letters, though whole links are longer."""

_CHAR_BYTES = 4
"""The most bytes of a character in UTF-8."""

MEMORY_BYTES = 1 << 30
CHILDREN = 4
_CHILD = "oneclaw.guard.network.conversion_child"


async def convert(html: str, base_url: str | None = None, seconds: float = 10.0) -> str | None:
    """The page as Markdown; None when it cannot be read as HTML, or not within `seconds` and the memory."""
    if len(html) <= SHORT_CHARS:
        return to_readable(html, base_url)
    spec = ChildSpec(
        module=_CHILD,
        arguments=(base_url, MAX_CHARS),
        path=sys.path,
        environment=environment(),
        limits={resource.RLIMIT_CPU: ceil(seconds) + 1, resource.RLIMIT_AS: MEMORY_BYTES},
        is_guarded=False,
    )
    try:
        async with asyncio.timeout(seconds), _turns(asyncio.get_running_loop()):
            return await _ask_child(spec, html.encode("utf-8", "replace"))
    except TimeoutError:
        return None


@lru_cache(8)
def _turns(loop: asyncio.AbstractEventLoop) -> asyncio.Semaphore:
    return asyncio.Semaphore(CHILDREN)


async def _ask_child(spec: ChildSpec, page: bytes) -> str | None:
    try:
        worker = Worker(spec, _CHAR_BYTES * MAX_CHARS)
    except OSError:
        return None
    try:
        worker.send(page)
        return (await worker.receive()).decode("utf-8", "replace")
    except Ended:
        return None
    finally:
        worker.kill()
        await worker.gone()
