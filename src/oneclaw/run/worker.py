"""Worker process: loads a tool and runs its calls."""

import os
import pickle
import site
import sys
import threading
from contextlib import suppress
from functools import partial
from inspect import isawaitable
from io import TextIOWrapper
from time import monotonic
from typing import Any

from oneclaw.child.frames import Line, encode
from oneclaw.core.errors import ToolError, describe
from oneclaw.core.tool import Context, Execute
from oneclaw.run.failure import failed
from oneclaw.run.packed_tool import PackedTool, unpack
from oneclaw.run.value_message import REPLY_BYTES, Message, value_message

PROGRESS_SECONDS = 0.05
PROGRESS_CHARS = 5_000


class ToolLine:
    """The line to the program: pickles come in, JSON goes out."""

    def __init__(self) -> None:
        self._line = Line()
        self._process = os.getpid()
        self._asking = threading.Lock()

    def receive(self) -> Any:
        return pickle.loads(self._line.read())  # noqa: S301 - written by the program

    def send(self, message: Message) -> None:
        payload = encode(message)
        if len(payload) > REPLY_BYTES:
            told = f"{len(payload):,} bytes as JSON, more than the {REPLY_BYTES:,} that are passed on"
            remedy = "return less, or write it to a file and return its name."
            payload = encode({"error": f"The tool's result is {told}; {remedy}"})
        if os.getpid() != self._process:
            os._exit(0)  # a fork the tool made has come back from the call as well: one reply is enough
        self._line.write(payload)

    def ask(self, message: Message) -> Any:
        """Send a question and wait for its answer."""
        with self._asking:
            self.send(message)
            return self.receive()


def main() -> None:
    """Answer requests until the program ends this process."""
    site.main()  # the supervisor was started without what it sets up
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(line_buffering=True)  # so that a crash does not swallow the last words
    line = ToolLine()
    execute: Execute | None = None
    while True:
        what, *rest = line.receive()
        if what == "load":
            execute, reply = load(*rest)
        else:
            assert execute is not None
            reply = run(line, execute, *rest)
        for stream in (sys.stdout, sys.stderr):
            with suppress(BaseException):  # the tool may have closed or replaced it
                stream.flush()
        line.send(reply)


def load(parcel: PackedTool, path: list[str]) -> tuple[Execute | None, Message]:
    """Make the tool from what was sent of it."""
    sys.path[:] = path
    try:
        return unpack(parcel), {"loaded": True}
    except ModuleNotFoundError as error:
        return None, {"missing": error.name or "", "error": describe(error)}
    except BaseException as error:
        return None, {"error": describe(error)}


def run(line: ToolLine, execute: Execute, arguments: dict[str, Any], about: dict[str, Any]) -> Message:
    """Run one call to its reply, whatever happens."""
    progress = WorkerProgress(line)
    context = Context(progress=progress, require=partial(_require, line), ask=partial(_ask, line), **about)
    try:
        value = execute(arguments, context)
        if isawaitable(value):
            import asyncio

            value = asyncio.run(_wait_for(value))
        return value_message(value)
    except ToolError as error:
        return {"error": str(error.message), "kind": str(error.kind), "effects": error.effects}
    except MemoryError:
        return {"error": "The tool ran out of memory", "is_worn": True}
    except BaseException as error:
        return {"error": failed(error).message, "is_foreign": True}
    finally:
        progress.end()


class WorkerProgress:
    """`context.progress` in a worker: sends messages now and then, none after the reply."""

    def __init__(self, line: ToolLine) -> None:
        self._line = line
        self._last = 0.0
        self._is_over = False
        self._telling = threading.Lock()

    def __call__(self, text: str, fraction: float | None = None) -> None:
        with self._telling:
            now = monotonic()
            is_due = now - self._last >= PROGRESS_SECONDS or (fraction is not None and fraction >= 1)
            if is_due and not self._is_over:
                self._last = now
                part = None if fraction is None else float(fraction)
                self._line.send({"progress": [str(text)[:PROGRESS_CHARS], part]})

    def end(self) -> None:
        with self._telling:
            self._is_over = True


async def _wait_for(awaitable: Any) -> Any:
    return await awaitable


async def _require(line: ToolLine, need: str, reason: str) -> None:
    import asyncio

    await asyncio.to_thread(_put, line, {"require": [str(need), str(reason)]})


async def _ask(line: ToolLine, text: str, options: Any, schema: Any, seconds: float | None) -> Any:
    import asyncio

    return await asyncio.to_thread(_put, line, {"ask": [str(text), list(options), schema, seconds]})


def _put(line: ToolLine, message: Message) -> Any:
    """Have the program ask a person, and wait for the answer."""
    refusal, value = line.ask(message)
    if refusal is not None:
        raise ToolError(*refusal)
    return value
