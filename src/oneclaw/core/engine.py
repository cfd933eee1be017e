"""Engine: runs a call through find, check, permit, journal, run, trim and result.

Each step moves the call on or raises. What is raised is caught once, in `_call`, and becomes the one
result of the call.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from oneclaw.core import hook
from oneclaw.core.call import ToolCall, ToolResult, cancelled, unique_ids
from oneclaw.core.call_state import CallState
from oneclaw.core.errors import Kind, StoreError, ToolError
from oneclaw.core.event import Emit, Listeners, ToolFinished, ToolStarted
from oneclaw.core.hook import Hooks
from oneclaw.core.journal import Journal
from oneclaw.core.order import Order, resource_key
from oneclaw.core.pauses import Pauses
from oneclaw.core.permit.need import PERSON
from oneclaw.core.permit.permission import Permissions
from oneclaw.core.permit.policy import Policy, Why, match
from oneclaw.core.progress import Progress
from oneclaw.core.registry import RegisteredTool, Registry, suggest
from oneclaw.core.result import Redactor, ResultMaker, Spill
from oneclaw.core.session import Session
from oneclaw.core.settings.tree import DEFAULTS
from oneclaw.core.slots import Slots
from oneclaw.core.tool import Context, Tool, ToolDefinition

log = logging.getLogger("oneclaw")


class Runner(Protocol):
    """Runs the work of a call and stops it when its time is up."""

    def run(
        self, tool: Tool, arguments: dict[str, Any], context: Context, seconds: float
    ) -> Awaitable[Any]: ...


class Engine:
    """Runs calls. It needs a registry and a runner; everything else has a safe default."""

    def __init__(
        self,
        registry: Registry,
        runner: Runner,
        *,
        policy: Policy | None = None,
        permissions: Permissions | None = None,
        hooks: Hooks | None = None,
        journal: Journal | None = None,
        secrets: Callable[[Iterable[str]], Mapping[str, str]] | None = None,
        redactor: Redactor | None = None,
        spill: Spill | None = None,
        session: Session | None = None,
        listeners: Listeners | None = None,
        parallel: int = DEFAULTS.limits.parallel,
        refresh: Callable[[], Awaitable[None] | None] = lambda: None,
        why_missing: Callable[[str], Awaitable[str]] | None = None,
    ) -> None:
        """`refresh` is called before the policy is asked, so that the owner can change it meanwhile; what it
        returns is awaited first. `why_missing` may wait for a tool that is not there, and says why it is not.
        """
        self.registry = registry
        self.policy = policy or Policy()
        self.permissions = permissions or Permissions()
        self.hooks = hooks or Hooks()
        self.session = session or Session()
        self._runner = runner
        self._journal = journal
        self._secrets = secrets
        self._results = ResultMaker(redactor, spill)
        self._redact = None if redactor is None else redactor.redact
        self._listeners = Listeners() if listeners is None else listeners
        self._parallel = parallel
        self._look = refresh
        self._why_missing = why_missing
        self._order = Order()
        self.clocks: dict[str, Pauses] = {}
        """By session: what stops the clock of its run while a person is asked."""
        self._available: dict[Any, tuple[Policy, int, tuple[ToolDefinition, ...]]] = {}

    def subscribe(self, listener: Emit, session: str | None = None) -> Callable[[], None]:
        """Have `listener` told of every event, or of those of one session; returns what ends that."""
        return self._listeners.add(listener, session)

    async def refresh(self) -> None:
        """Take up what the owner has changed."""
        due = self._look()
        if due is not None:
            await due

    def available(self, session: Session | None = None) -> tuple[ToolDefinition, ...]:
        """The tools the session's agent may call, as of the last `refresh`; one tuple until they change."""
        session = session or self.session
        agents = session.agent if session.parent is None else tuple([each.agent for each in session.line])
        key = agents, session.only, not self.permissions.why_nobody(session)
        known = self._available.get(key)
        if known is None or known[0] is not self.policy or known[1] != self.registry.version:
            found = tuple(tool.definition for tool in self.registry if not self.why_not(tool, session))
            known = self._available[key] = (self.policy, self.registry.version, found)
        return known[2]

    def why(self, name: str, *, agent: str = "", session: Session | None = None) -> Why:
        """Why an agent has a tool or not; raises `NotFound`."""
        tool = self.registry.get(name)
        agent = agent or (session or self.session).agent
        return self.policy.why(tool.definition, agent=agent, origin=tool.origin)

    def polls(self, name: str) -> bool:
        """Whether a tool is meant to be called again and again until its result is another."""
        entry = self.registry.find(name)
        return entry is not None and entry.tool.definition.polls

    def why_not(self, tool: Tool, session: Session) -> str:
        """Why the session may not call the tool: by its own rules, or by those of whoever asked for it."""
        definition = tool.definition
        # Whoever is asked is bound by the whole line: that it may be asked gives nobody more rights.
        alone = definition.agents is not None or session.parent is None
        for each in (session,) if alone else session.line:
            decision = self.policy.decide(definition, each.agent, tool.origin)
            if not decision.allowed:
                return decision.reason
            if each.only is not None and match(each.only, definition) is None:
                return "the model that answers gets the tools for small models only."
        return self.permissions.why_nobody(session) if PERSON in definition.needs else ""

    def call(self, call: ToolCall, session: Session | None = None) -> Coroutine[Any, Any, ToolResult]:
        """Run one call; whatever happens, it gets one result."""
        return self._call(self._named(call), session or self.session)

    def _named(self, call: ToolCall) -> ToolCall:
        """The call with an id, and without secrets in it."""
        redact, has_id = self._redact, call.id and type(call.id) is str and type(call.name) is str
        if has_id and (redact is None or redact(call.id) == call.id):
            return call
        return unique_ids((call,), redact=redact)[0]

    async def call_all(
        self,
        calls: Iterable[ToolCall],
        session: Session | None = None,
        done: dict[str, ToolResult] | None = None,
    ) -> list[ToolResult]:
        """Run calls side by side; the results stand in the order of the calls.

        Whoever may be cancelled meanwhile gives `done`: each result is put there under the id of its call.
        """
        session = session or self.session
        calls = calls if isinstance(calls, Sequence) else list(calls)
        if len(calls) == 1:  # it needs no task of its own
            call = self._named(calls[0])
            try:
                return [await self._call(call, session, None, done)]
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise
                return [cancelled(call)]  # it was not the caller who was cancelled, but the work itself
        named = unique_ids(calls, redact=self._redact)
        slots = Slots(self._parallel) if len(named) > self._parallel else None
        begin = asyncio.get_running_loop().create_task
        tasks = [begin(self._call(call, session, slots, done)) for call in named]
        try:
            # One by one: most have ended by the time the first has, and need not be waited for.
            for task in tasks:
                if not task.done():
                    await asyncio.wait((task,))
        except asyncio.CancelledError:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            raise
        return [
            cancelled(call) if task.cancelled() else task.result()
            for call, task in zip(named, tasks, strict=True)
        ]

    async def _call(
        self,
        call: ToolCall,
        session: Session,
        slots: Slots | None = None,
        done: dict[str, ToolResult] | None = None,
    ) -> ToolResult:
        walk = CallState(call, session, self.permissions, self.clocks)
        try:
            try:
                result = self._results.from_value(walk, await self._walk(walk, slots))
                if walk.long_text is not None:
                    result = await self._results.cut(walk, result)
            except Exception as error:
                result = self._fail(walk, error)
            walk.result = result
            for after in self.hooks.after:
                said = hook.show(after, walk.call, result, session)
                if said is not None:
                    result = await self._take(walk, result, said)
            if self._journal is not None:
                result = await self._write(self._journal, walk, result)
            self._tell(walk, result)
            if done is not None:
                done[call.id] = result
            walk.context = (
                None  # it knows the walk: a cycle would keep both until the garbage collector comes
            )
            return result
        except asyncio.CancelledError as error:
            result = walk.result or self._fail(walk, ToolError("The call was cancelled.", Kind.CANCELLED))
            if done is not None:
                done[call.id] = result
            await asyncio.shield(self._settle(walk, result))
            raise error
        finally:
            if walk.ticket is not None:
                walk.ticket.leave()

    async def _walk(self, walk: CallState, slots: Slots | None) -> Any:
        if walk.call.fault:
            raise ToolError(walk.call.fault, Kind.VALIDATION_ERROR)
        due = self._look()
        if due is not None:
            await due
        entry = self.registry.find(walk.call.name) or await self._find_late(walk)
        why_not = self.why_not(entry.tool, walk.session)
        if why_not:
            reason = f"Tool {walk.call.name!r} is not available for this agent: {why_not}"
            raise ToolError(reason, Kind.TOOL_NOT_AVAILABLE)
        definition = walk.definition = entry.tool.definition
        walk.output = entry.output
        self._check(walk, entry, walk.call.arguments)
        if definition.resource is not None:
            await self._take_turn(walk, definition)
        for before in self.hooks.before:
            said = hook.ask(before, walk.call, definition, walk.arguments, walk.session)
            if said is not None:
                answer = await self._apply_verdict(walk, entry, await hook.heed(said))
                if answer is not None:
                    return answer.value
        kept: frozenset[str] = frozenset()
        if not self.permissions.quick(definition, walk.session):
            with walk.asking():
                kept = await self.permissions.check(walk.call.id, definition, walk.arguments, walk.session)
        if slots is None:
            return await self._run(walk, entry.tool, kept)
        if not slots.take():
            await slots.turn()
        try:
            return await self._run(walk, entry.tool, kept)
        finally:
            slots.leave()

    async def _find_late(self, walk: CallState) -> RegisteredTool:
        """A tool that is not there, or not yet."""
        name = walk.call.name
        hint = "" if self._why_missing is None else await self._why_missing(name)
        entry = self.registry.find(name)
        if entry is not None:
            return entry
        near = suggest(name, [definition.name for definition in self.available(walk.session)])
        shown = f"{name[:100]!r}"[:120]  # of letters that cannot be shown, each takes up to ten
        raise ToolError(f"Tool {shown} not found. {near} {hint}".rstrip(), Kind.TOOL_NOT_FOUND)

    def _check(self, walk: CallState, entry: RegisteredTool, raw: Mapping[str, Any] | str | bytes) -> None:
        checked = entry.arguments.check(raw)
        walk.arguments = checked.arguments
        walk.repairs = checked.repairs

    async def _take_turn(self, walk: CallState, definition: ToolDefinition) -> None:
        key = resource_key(definition, walk.arguments, walk.session)
        if walk.ticket is not None:
            if walk.ticket.key == key:
                return
            walk.ticket.leave()
        walk.ticket = self._order.take(key, definition.effect != "read")
        await walk.ticket.turn()

    async def _apply_verdict(
        self, walk: CallState, entry: RegisteredTool, verdict: hook.Rewrite | hook.Answer | None
    ) -> hook.Answer | None:
        if isinstance(verdict, hook.Rewrite):
            self._check(walk, entry, verdict.arguments)
            walk.repairs = (*walk.repairs, "the arguments were changed by a hook")
            if entry.tool.definition.resource is not None:
                await self._take_turn(walk, entry.tool.definition)
            return None
        return verdict

    async def _run(self, walk: CallState, tool: Tool, kept: frozenset[str]) -> Any:
        call, session, definition = walk.call, walk.session, tool.definition
        secrets = self._secrets(definition.secrets) if definition.secrets and self._secrets else None
        shown = self._results.redact(walk.arguments)
        if self._journal is not None:
            try:
                walk.key = await self._journal.open(call, definition, session, shown)
            except StoreError as error:
                raise ToolError(f"The journal cannot be written, so the call was not run: {error}") from error
        progress = None
        if self._listeners.hear(session.id):
            emit = self._listeners.emit
            progress = Progress(walk, emit, self._redact)
            walk.label = definition.label_in()
            said = (shown, call.parent, walk.label)
            emit(ToolStarted(call.id, definition.name, session.id, session.agent, *said))
        redact, name, seconds = self._redact, definition.name, definition.seconds
        given = (call.id, session, secrets, progress, walk.require, name, seconds, redact, kept, walk.ask)
        context = walk.context = Context(*given)
        return await self._runner.run(tool, walk.arguments, context, seconds)

    def _fail(self, walk: CallState, error: Exception) -> ToolResult:
        if walk.context is not None:
            walk.context.cancel()
        return self._results.from_error(walk, error)

    async def _take(
        self, walk: CallState, result: ToolResult, said: ToolResult | Awaitable[ToolResult | None]
    ) -> ToolResult:
        taken = await hook.take(result, said)
        walk.result = result if taken is result else self._results.from_hook(taken)
        return walk.result

    async def _settle(self, walk: CallState, result: ToolResult) -> None:
        """Finishes a cancelled call, even while its result is being written."""
        if self._journal is not None and not walk.is_written:
            result = await self._write(self._journal, walk, result)
        self._tell(walk, result)

    def _tell(self, walk: CallState, result: ToolResult) -> None:
        call, session = walk.call, walk.session
        if not walk.is_told and self._listeners.hear(session.id):
            walk.is_told = True
            refused = self._results.redact(walk.arguments) if walk.context is None else None
            label = walk.label or (walk.definition.label_in() if walk.definition else "")
            said = (result, call.parent, refused, label, walk.key or 0)
            self._listeners.emit(ToolFinished(call.id, result.tool, session.id, session.agent, *said))

    async def _write(self, journal: Journal, walk: CallState, result: ToolResult) -> ToolResult:
        try:
            if walk.key is not None:
                await journal.close(walk.key, result)
                walk.is_written = True
            else:
                # A refused call has no open row to close: its one row is not written a second time.
                walk.is_written = True
                understood = (
                    None if result.kind is Kind.VALIDATION_ERROR else self._results.redact(walk.arguments)
                )
                walk.key = await journal.record(walk.call, walk.session, understood, result)
        except StoreError as error:
            log.warning("The result of call %s could not be written: %s", walk.call.id, error)
            return replace(result, details={**(result.details or {}), "not_journaled": str(error)})
        return result
