"""One worker process as the program sees it: start it, ask it, and end it with all it has started.

The worker is a child of its keeper (`keeper.py`). The program has two sockets: the line, on which the worker
is asked and answers, and the lifeline, on which the keeper says how the worker ended. To shut the lifeline
down is to kill the worker; the end of the lifeline is the proof that nothing is left of it. A tool that kills
its keepers ends the lifeline too: where a control group can be made, it holds what is then left.
"""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from oneclaw.guard.sandbox.group import Group, make_group
from oneclaw.run.wire import REPLY_BYTES, FrameReader, Garbled, Message, decode, frame

READ_BYTES = 256 * 1024
MESSAGES = 100_000
"""The most messages of one call, its reports of progress above all."""

GONE_SECONDS = 2.0
"""How long a killed worker is waited for before the kernel is asked directly."""

TASKS = 1 << 22
"""As many as there can be: a control group of the older kind is made by giving it a limit."""

_KEEPER = Path(__file__).with_name("keeper.py")
_SAID_BYTES = 16 * 1024
_KEPT = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TMPDIR", "TZ", "LD_LIBRARY_PATH")

Heed = Callable[[Message], bool]
"""Takes a message of a running call; True if it was news on the way and not the reply."""


class Ended(Exception):
    """The worker ended instead of replying; the text says how."""


class Worker:
    """A started process. `tool` is what it has loaded; it serves no other."""

    def __init__(self, memory_bytes: int, when_gone: Callable[["Worker"], None]) -> None:
        self.tool: object = None
        self._when_gone = when_gone
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._frames = FrameReader(REPLY_BYTES)
        self._unsent = bytearray()
        self._reply: asyncio.Future[Message] | None = None
        self._heed: Heed | None = None
        self._messages = 0
        self._said = b""
        self._reason = ""
        self._is_killed = False
        self._group = make_group(tasks=TASKS)
        self._line, self._lifeline, self._keeper = _start(memory_bytes, self._group)
        self._loop.add_reader(self._line, self._read_line)
        self._loop.add_reader(self._lifeline, self._read_lifeline)

    @property
    def is_alive(self) -> bool:
        return not self._is_killed and not self._ended.done() and b'"status"' not in self._said

    async def ask(self, request: bytes, heed: Heed | None = None) -> Message:
        """Send a request and wait for its reply. Raises `Ended`, or `TimeoutError` after `give_up`."""
        if not self.is_alive:
            raise Ended(self._how_it_ended())
        self._reply, self._heed, self._messages = self._loop.create_future(), heed, 0
        try:
            self.tell(request)
            return await self._reply
        finally:
            self._reply = self._heed = None

    def give_up(self) -> None:
        """Wait for the reply no longer."""
        if self._reply is not None and not self._reply.done():
            self._reply.set_exception(TimeoutError())

    def tell(self, request: bytes) -> None:
        """Send without waiting; what the socket does not take at once follows when it does."""
        self._unsent += frame(request)
        self._write()

    def kill(self, reason: str = "") -> None:
        """End the process and all it has started; returns at once, `gone` waits for it."""
        if self.is_alive:
            self._is_killed = True
            self._reason = reason
            self._loop.remove_reader(self._line)
            with suppress(OSError):
                self._line.shutdown(socket.SHUT_RDWR)
            with suppress(OSError):
                self._lifeline.shutdown(socket.SHUT_WR)

    async def gone(self) -> None:
        """Wait until nothing is left of a killed process; a keeper that does not answer is killed as well.

        Its parent then ends what is left; only if that does not answer either, both are killed.
        """
        for names in (("keeper",), ("parent", "pid")):
            await asyncio.wait([self._ended], timeout=GONE_SECONDS)
            if self._ended.done():
                return
            told = {**self._told(), "parent": self._keeper.pid}
            for name in names:
                with suppress(OSError, KeyError):
                    os.killpg(told[name], signal.SIGKILL)
        await asyncio.wait([self._ended], timeout=GONE_SECONDS)

    def _write(self) -> None:
        try:
            del self._unsent[: self._line.send(self._unsent)]
        except BlockingIOError:
            pass
        except OSError:  # the lifeline will say why
            self._unsent.clear()
        if self._unsent:
            self._loop.add_writer(self._line, self._write)
        else:
            self._loop.remove_writer(self._line)

    def _read_line(self) -> None:
        try:
            data = self._line.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._loop.remove_reader(self._line)
            with suppress(OSError):
                self._lifeline.send(b"?")  # the keeper is to look after it
            return
        try:
            for payload in self._frames.feed(data):
                self._take(decode(payload))
        except Garbled as error:
            self.kill(f"it sent {error}")

    def _take(self, message: Message) -> None:
        if self._reply is None or self._reply.done():
            raise Garbled("a message nobody had asked for")
        self._messages += 1
        if self._messages > MESSAGES:
            raise Garbled(f"more than {MESSAGES:,} messages")
        if self._heed is None or not self._heed(message):
            self._reply.set_result(message)

    def _read_lifeline(self) -> None:
        try:
            data = self._lifeline.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self._said = (self._said + data)[-_SAID_BYTES:]
        if not data:
            self._finish()

    def _finish(self) -> None:
        """The keeper has ended, and with it all it kept."""
        self._loop.remove_reader(self._line)
        self._loop.remove_writer(self._line)
        self._loop.remove_reader(self._lifeline)
        self._line.close()
        self._lifeline.close()
        self._keeper.wait()  # it closed the lifeline by ending, so this does not wait
        if self._group is not None:
            self._group.remove()
        self._ended.set_result(None)
        self._when_gone(self)
        if self._reply is not None and not self._reply.done():
            self._reply.set_exception(Ended(self._how_it_ended()))

    def _told(self) -> dict[str, Any]:
        """What the keeper has said so far."""
        told: dict[str, Any] = {}
        for line in self._said.splitlines():
            with suppress(ValueError):
                told |= json.loads(line)
        return told

    def _how_it_ended(self) -> str:
        told = self._told()
        if self._is_killed:
            return f"The tool's process was stopped: {self._reason or 'the program is closing'}."
        status, lines = told.get("status"), str(told.get("tail", "")).split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        shown = f"; its last output was {last[:200]!r}" if last else ""
        return f"The tool's process ended: {_name(status)}{shown}"


def _name(status: int | None) -> str:
    if status is None:
        return "nobody knows how"
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        return f"killed by signal {-code} ({signal.Signals(-code).name})"
    return f"killed by signal {-code}"


def _start(
    memory_bytes: int, group: Group | None
) -> tuple[socket.socket, socket.socket, subprocess.Popen[bytes]]:
    """Start a keeper; our ends of the line and the lifeline."""
    joined = () if group is None else group.files
    line, their_line = socket.socketpair()
    lifeline, their_lifeline = socket.socketpair()
    descriptors = their_line.fileno(), their_lifeline.fileno()
    with their_line, their_lifeline:
        try:
            keeper = subprocess.Popen(
                [sys.executable, "-E", "-P", str(_KEEPER), *map(str, (*descriptors, memory_bytes, *joined))],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment(os.environ),
                pass_fds=descriptors,
                start_new_session=True,
            )
        except BaseException:
            line.close()
            lifeline.close()
            if group is not None:
                group.remove()
            raise
    line.setblocking(False)
    lifeline.setblocking(False)
    return line, lifeline, keeper


def environment(ours: Mapping[str, str]) -> dict[str, str]:
    """What a worker is given of our environment: where things are and how to write, no keys."""
    return {name: value for name, value in ours.items() if name in _KEPT or name.startswith("LC_")}
