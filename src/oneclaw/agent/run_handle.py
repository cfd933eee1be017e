"""RunHandle: reads a run's events from any point, waits for it, steers it and stops it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Literal

from oneclaw.agent.inbox import Inbox, Queued
from oneclaw.agent.recording import ReadOn, Recording
from oneclaw.core.call import ToolResult
from oneclaw.core.envelope import Envelope
from oneclaw.core.message import UserMessage
from oneclaw.core.run_event import MessageQueued, MessageWithdrawn, RunFinished
from oneclaw.core.session import Session

if TYPE_CHECKING:
    from oneclaw.agent.loop import Run

RunStatus = Literal["running", "done", "stopped", "failed"]


class RunHandle:
    """One run. It belongs to the program: it goes on whether anybody reads its events or not."""

    def __init__(
        self, run: "Run", recording: Recording, inbox: Inbox, task: "asyncio.Task[RunFinished]"
    ) -> None:
        self._run = run
        self._recording = recording
        self._inbox = inbox
        self._task = task
        task.add_done_callback(recording.wake)

    @property
    def id(self) -> str:
        return self._recording.run

    @property
    def session(self) -> Session:
        return self._run.conversation.session

    @property
    def status(self) -> RunStatus:
        """How it stands: `done` is a run that ended by itself, be it at a limit."""
        if not self._task.done():
            return "running"
        if self._task.exception() is not None:
            return "failed"
        return status_of(self._task.result())

    def events(self, after: int = 0) -> AsyncGenerator[Envelope]:
        """The events with higher numbers than `after`, then those to come, until the run is over.

        Any number of readers may read at once; one that leaves stops nothing.
        """
        return self._recording.read(after, self._task.done)

    def follow(self, after: int | None = None) -> "AbstractContextManager[ReadOn]":
        """A reader of the events after a number, or of those since the start; see `Recording.reader`."""
        after = self._recording.began_after if after is None else after
        return self._recording.reader(after, self._task.done)

    def result_of(self, call_id: str) -> ToolResult | None:
        """The result of a call of this run, with its pictures; None where it has none yet."""
        return self._recording.result_of(call_id)

    async def wait(self) -> RunFinished:
        """Wait for the end. Raises what ended the run, where that was no answer of a model."""
        return await asyncio.shield(self._task)

    async def stop(self) -> None:
        """Stop the run where it is, and wait until it has: the conversation can go on from there."""
        if not self._task.done():
            self._task.cancel()
            await asyncio.wait((self._task,))

    def say(self, message: UserMessage | str) -> str:
        """Have the model read a message at its next round; returns the id to withdraw it by."""
        return self.queue(Queued(UserMessage(message) if isinstance(message, str) else message))

    def queue(self, queued: Queued) -> str:
        """`say` for a message that has its id already."""
        self._inbox.put(queued)
        self._recording.tell(MessageQueued(queued.id, queued.message.text))
        return queued.id

    @property
    def foreign(self) -> set[str]:
        """The ids of the messages from other programs that wait for the next round."""
        return self._inbox.foreign

    def withdraw(self, message_id: str) -> bool:
        """Take back a message that the model has not read yet; False when it has, or there is none."""
        if not self._inbox.withdraw(message_id):
            return False
        self._recording.tell(MessageWithdrawn(message_id))
        return True


def status_of(finished: RunFinished) -> RunStatus:
    """How a run stands that ended so."""
    if finished.reason == "stopped":
        return "stopped"
    return "failed" if finished.reason == "failed" else "done"
