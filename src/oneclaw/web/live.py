"""The socket of a tab: events of the sessions it watches, open questions, and what else has changed.

The tab says what it watches, `{"watch": {SESSION: {"run": RUN, "after": NUMBER}}}`, whenever that changes.
The server sends

    {"events": [...]}        envelopes of one session, in order; the last one is the tab's next cursor
    {"questions": [...]}     all open questions, when they have changed
    {"changed": "sessions"}  sessions, or the marks beside them, are others now

A tab that reads slowly holds up nobody: its readers wait, and the runs do not. One that takes nothing for
half a minute is closed; it comes back with its cursors, and misses nothing.
"""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from oneclaw.core.envelope import Envelope
from oneclaw.core.errors import OneClawError
from oneclaw.core.event_json import envelope_json
from oneclaw.core.subschema import is_object
from oneclaw.operations.questions import list_questions, question_json
from oneclaw.operations.runs import list_runs
from oneclaw.operations.watching import watch_session

if TYPE_CHECKING:
    from oneclaw.app import App

MOST_WATCHED = 64
QUEUE = 64
SEND_SECONDS = 30.0
LOOK_SECONDS = 0.5
"""How often questions and runs are looked at, once for all tabs."""
IDLE_SECONDS = 10.0
"""How often a session that is watched is looked at though no run of it was seen to begin."""
_ENCODED = 4_096


class Live:
    """Shared by all tabs: the texts of events, and one look at questions and runs for all of them."""

    def __init__(self, app: "App") -> None:
        self.app = app
        self._tabs: set[Tab] = set()
        self._texts: OrderedDict[tuple[str, int], str] = OrderedDict()
        self._looking: asyncio.Task[None] | None = None
        self._wakeup = asyncio.Event()
        self.questions = "[]"
        self._state = ""
        self._known: frozenset[tuple[str, str]] = frozenset()

    def text_of(self, envelope: Envelope) -> str:
        """The JSON of an event, made once for all tabs."""
        key = envelope.run, envelope.number
        text = self._texts.get(key)
        if text is None:
            text = self._texts[key] = json.dumps(envelope_json(envelope), default=str)
            if len(self._texts) > _ENCODED:
                self._texts.popitem(last=False)
        return text

    def wake(self) -> None:
        """Have the next look come at once: something was asked for or answered here."""
        self._wakeup.set()

    async def serve(self, socket: WebSocket) -> None:
        """Speak with one tab until it leaves."""
        await socket.accept()
        tab = Tab(self, socket)
        self._tabs.add(tab)
        if self._looking is None:
            self._looking = asyncio.get_running_loop().create_task(self._look())
        try:
            await tab.run()
        finally:
            self._tabs.discard(tab)
            if not self._tabs:
                self._looking.cancel()
                self._looking, self._state, self.questions = None, "", "[]"

    async def _look(self) -> None:
        remove = self.app.listeners.add(lambda _: self.wake())
        try:
            while True:
                with suppress(OneClawError):  # the next look may find it
                    await self._look_once()
                self._wakeup.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._wakeup.wait(), LOOK_SECONDS)
                await asyncio.sleep(0.02)  # of many events at once, one look
        finally:
            remove()

    async def _look_once(self) -> None:
        store = self.app.store
        found = await list_questions(store, is_open=True, limit=100)
        told = json.dumps([question_json(each) for each in found], default=str)
        latest = await list_runs(store, limit=50)
        for run in latest:
            if (run.id, run.state) not in self._known:  # it may be of another program
                self.app.runs.ring(run.session)
        self._known = frozenset((run.id, run.state) for run in latest)
        state = json.dumps([(run.id, run.state, run.session) for run in latest])
        if told != self.questions:
            self.questions = told
            self._tell(f'{{"questions":{told}}}')
        if state != self._state:
            self._state = state
            self._tell('{"changed":"sessions"}')

    def _tell(self, text: str) -> None:
        for tab in self._tabs:
            tab.tell(text)


class Tab:
    """One socket: a queue of what is to be sent, and a reader for each session that it watches."""

    def __init__(self, live: Live, socket: WebSocket) -> None:
        self._live = live
        self._socket = socket
        self._queue: asyncio.Queue[str] = asyncio.Queue(QUEUE)
        self._readers: dict[str, asyncio.Task[None]] = {}

    def tell(self, text: str) -> None:
        """Send something unless the tab is far behind: it asks for all of it when it comes back."""
        with suppress(asyncio.QueueFull):
            self._queue.put_nowait(text)

    async def run(self) -> None:
        self.tell(f'{{"questions":{self._live.questions}}}')
        sending = asyncio.get_running_loop().create_task(self._send())
        receiving = asyncio.get_running_loop().create_task(self._receive())
        tasks = (sending, receiving)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (*tasks, *self._readers.values()):
                task.cancel()
            await asyncio.gather(*tasks, *self._readers.values(), return_exceptions=True)
            with suppress(Exception):  # it may be closed already
                await self._socket.close()

    async def _send(self) -> None:
        while True:
            text = await self._queue.get()
            async with asyncio.timeout(SEND_SECONDS):
                await self._socket.send_text(text)

    async def _receive(self) -> None:
        with suppress(WebSocketDisconnect):
            while True:
                said = json.loads(await self._socket.receive_text())
                if is_object(said) and is_object(watched := said.get("watch")):
                    await self._watch(watched)

    async def _watch(self, wanted: Mapping[str, Any]) -> None:
        """Read the sessions of `wanted`, from their cursors, and no others."""
        for session in [each for each in self._readers if each not in wanted]:
            self._readers.pop(session).cancel()
        for session, cursor in wanted.items():
            if session not in self._readers and len(self._readers) < MOST_WATCHED:
                run, after = _cursor(cursor)
                reading = self._read(session, run, after)
                self._readers[session] = asyncio.get_running_loop().create_task(reading)

    async def _read(self, session: str, run: str, after: int) -> None:
        app = self._live.app
        try:
            async for found in watch_session(app.store, session, run, after, app.runs, IDLE_SECONDS):
                texts = ",".join(self._live.text_of(each) for each in found)
                await self._queue.put(f'{{"events":[{texts}]}}')
        except OneClawError as error:
            await self._queue.put(json.dumps({"error": str(error), "session": session}))


def _cursor(given: Any) -> tuple[str, int]:
    """The run and the number that a tab has read last."""
    if not is_object(given):
        return "", 0
    after: Any = given.get("after")
    return str(given.get("run", "")), after if isinstance(after, int) else 0
