"""ToolServer: lists the tools of one session to MCP clients and runs their calls through the engine.

It takes requests and gives results as plain data, in the words of the protocol; `sdk.py` connects it to the
MCP SDK, which speaks both eras of the protocol. A call that fails is a result that says so, never a fault of
the protocol.
"""

import asyncio
import secrets
from contextlib import suppress
from dataclasses import replace
from typing import Any

from oneclaw.core.call import ToolCall, ToolResult, new_call_id
from oneclaw.core.engine import Engine
from oneclaw.core.event import Event, QuestionAsked, ToolProgressed
from oneclaw.core.permit.broker import Broker
from oneclaw.core.question import Question
from oneclaw.core.session import Session
from oneclaw.core.tool import ToolDefinition
from oneclaw.mcp.server.content import to_mcp
from oneclaw.mcp.server.elicitation import answer_of, can_elicit, form_of
from oneclaw.mcp.server.progress import ProgressReports
from oneclaw.mcp.server.result_files import NoSuchResource, ResultFiles
from oneclaw.mcp.server.served_call import ServedCall, current
from oneclaw.mcp.server.tool_list import MODERN, ToolList

MOST_WAITING = 1_000
"""The most calls that wait for their client to come back with an answer; the oldest is cancelled."""

UNCACHED = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
"""A list that is fetched anew each time, and is for this client alone."""


class UnknownState(Exception):
    """A client came back with a state that no call waits with."""


class ToolServer:
    """The tools of one session. `broker` is asked when a call needs a person."""

    def __init__(self, engine: Engine, broker: Broker, session: Session) -> None:
        self.engine = engine
        self.session = session
        self.files = ResultFiles(session.folder)
        self._broker = broker
        self._list = ToolList()
        self._running: dict[str, ServedCall] = {}
        self._reports: dict[str, ProgressReports] = {}
        self._waiting: dict[str, tuple[ServedCall, Question]] = {}
        self._unsubscribe = engine.subscribe(self._hear, session.id)

    async def close(self) -> None:
        """Cancel the calls that still run, and wait for their results."""
        tasks = [served.task for served in self._running.values()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._unsubscribe()

    def definitions(self, can_ask: bool = False) -> tuple[ToolDefinition, ...]:
        """The tools that the agent may use; `can_ask` says whether the client shows questions to a person."""
        return self.engine.available(replace(self.session, waits=True) if can_ask else self.session)

    async def list_tools(self, request: Any, params: Any = None) -> dict[str, Any]:
        await self.engine.refresh()
        can_ask = can_elicit(request.session.client_capabilities)
        return {**UNCACHED, "tools": self._list.of(self.definitions(can_ask), is_modern(request))}

    async def call_tool(self, request: Any, params: Any) -> dict[str, Any]:
        if getattr(params, "request_state", None):
            return await self._go_on(request, params)
        call = ToolCall(params.name, params.arguments or {}, new_call_id())
        can_ask = can_elicit(request.session.client_capabilities)
        served = ServedCall(self.engine, self._broker, call, self.session, can_ask, request)
        self._running[call.id] = served
        served.task.add_done_callback(lambda _: self._running.pop(call.id, None))
        return await self._see_through(request, served)

    async def list_resources(self, request: Any, params: Any = None) -> dict[str, Any]:
        return {**UNCACHED, "resources": await asyncio.to_thread(self.files.list)}

    async def list_templates(self, request: Any, params: Any = None) -> dict[str, Any]:
        return {**UNCACHED, "resourceTemplates": []}

    async def read_resource(self, request: Any, params: Any) -> dict[str, Any]:
        """The whole of a long result; raises `NoSuchResource`."""
        return {**UNCACHED, "contents": [await asyncio.to_thread(self.files.read, str(params.uri))]}

    async def _see_through(self, request: Any, served: ServedCall) -> dict[str, Any]:
        """Wait for the result of a call, and have its questions asked; a cancelled request cancels it."""
        reports = self._reports[served.call.id] = ProgressReports(request)
        try:
            while (question := await served.next_question()) is not None:
                if is_modern(request):
                    return self._ask_by_result(served, question)
                await self._ask_by_request(request, served, question)
        except asyncio.CancelledError:
            served.cancel()
            raise
        finally:
            self._reports.pop(served.call.id, None)
            await reports.sent()
        return await self._to_mcp(served.result(), is_modern(request))

    async def _to_mcp(self, result: ToolResult, modern: bool) -> dict[str, Any]:
        entry = self.engine.registry.find(result.tool)
        definition = None if entry is None else entry.tool.definition
        if result.truncated_from is None:
            return to_mcp(result, definition, modern)
        link = await asyncio.to_thread(self.files.link, result.call_id)
        whole: str | None = None
        if definition is not None and definition.output is not None and link is not None:
            with suppress(NoSuchResource):
                whole = await asyncio.to_thread(self.files.text, link["name"])
        return to_mcp(result, definition, modern, link, whole)

    async def _ask_by_request(self, request: Any, served: ServedCall, question: Question) -> None:
        """Ask the client while its request waits (2025-11-25); whoever answers first has answered."""
        settled = asyncio.ensure_future(served.settled(question.id).wait())
        asked = request.session.elicit_form(question.text, form_of(question), request.request_id)
        asking = asyncio.ensure_future(asked)
        try:
            await asyncio.wait((settled, asking), return_when=asyncio.FIRST_COMPLETED)
            if not settled.done():
                action, content = "cancel", None
                with suppress(Exception):  # a client that fails to ask has not said yes
                    said = asking.result()
                    action, content = said.action, said.content
                served.answer(question.id, answer_of(question, action, content), client_name(request))
        finally:
            settled.cancel()
            asking.cancel()
            await asyncio.gather(settled, asking, return_exceptions=True)

    def _ask_by_result(self, served: ServedCall, question: Question) -> dict[str, Any]:
        """Answer the request with the question (2026-07-28); the call waits for the client to come back."""
        while len(self._waiting) >= MOST_WAITING:
            oldest, _ = self._waiting.pop(next(iter(self._waiting)))
            oldest.cancel()
        state = secrets.token_urlsafe(24)
        self._waiting[state] = served, question
        served.task.add_done_callback(lambda _: self._forget_later(state))
        form = {"mode": "form", "message": question.text, "requestedSchema": form_of(question)}
        return {
            "resultType": "input_required",
            "inputRequests": {question.id: {"method": "elicitation/create", "params": form}},
            "requestState": state,
        }

    async def _go_on(self, request: Any, params: Any) -> dict[str, Any]:
        """Go on with a call whose client comes back; raises `UnknownState`.

        A client that brings no answer to the question is asked again.
        """
        found = self._waiting.get(params.request_state)
        if found is None:
            raise UnknownState(
                "No call waits with this requestState: it was answered or given up. Call again."
            )
        served, question = found
        if (params.name, params.arguments or {}) != (served.call.name, served.call.arguments):
            raise UnknownState("The requestState belongs to a call with another name or other arguments.")
        del self._waiting[params.request_state]
        responses: Any = params.input_responses or {}
        said = responses.get(question.id)
        if not hasattr(said, "action") and not served.task.done():
            return self._ask_by_result(served, question)
        if said is not None:
            served.answer(question.id, answer_of(question, said.action, said.content), client_name(request))
        served.request = request
        return await self._see_through(request, served)

    def _forget_later(self, state: str) -> None:
        """Keep a result a while for a client that is late."""
        asyncio.get_running_loop().call_later(60.0, lambda: self._waiting.pop(state, None))

    def _hear(self, event: Event) -> None:
        if isinstance(event, QuestionAsked):
            served = self._running.get(event.call_id) or current.get()
            if served is not None and self._running.get(served.call.id) is served:
                served.owns(event.question_id)
                reports = self._reports.get(served.call.id)
                if reports is not None:
                    reports.tell(f"Waiting for an answer: oneclaw answer {event.question_id}", None)
        elif isinstance(event, ToolProgressed):
            reports = self._reports.get(event.call_id)
            if reports is not None:
                reports.tell(event.text, event.fraction)


def is_modern(request: Any) -> bool:
    return request.protocol_version >= MODERN


def client_name(request: Any) -> str:
    """The name that a client gives itself, for the record of an answer."""
    said = request.session.client_params
    return f"mcp {said.client_info.name[:80]}" if said is not None else "mcp client"
