"""Decides whether a call may run, by its needs, the mode, settings and grants.

Each need of a call stands in one of four states. From the first line that holds:

    denied for good   a grant that denies covers the call                  (`oneclaw grants revoke ID`)
    denied for good   the owner set the need to `denied`                   (the setting is named)
    ask, each time    the session asks for it (`Session.asks`); in the mode `deny` it is denied
    granted           the owner set it to `granted`, or nobody set it and the mode grants it
    granted           a grant that allows covers the call, or a rule of the owner covers its arguments
    denied            the mode is `deny`: nobody is asked
    ask               otherwise

One denied need refuses the call; those that ask are asked together, in one question. A call whose effect is
not `read` has the need `changes` besides those it declares: it is what the modes differ in.

    mode   changes  needs that ask by default
    auto   granted  ask
    ask    ask      ask
    deny   denied   denied

An agent that another one asked (`Session.parent`) has what the one a person talks to is allowed, less what is
denied to any agent on the way.

The arguments of a call decide nothing here, save through the pattern of a grant and the owner's rules for
arguments (`judgement`): no name of an argument does. Where such rules speak of a call, an answer that is kept
holds for exactly what they say would happen.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from oneclaw.core.errors import Kind, OneClawError, ToolError
from oneclaw.core.permit.broker import Broker
from oneclaw.core.permit.grant import Grant, GrantBook, MemoryBook, definition_hash, find, fits
from oneclaw.core.permit.judgement import Judge, Judgement, bound_to
from oneclaw.core.permit.need import MODES, Mode, State, base_state, needs_of
from oneclaw.core.permit.need_status import NeedStatus, raise_denied, refusal, setting_of, why_refused
from oneclaw.core.permit.prompt import Fits, grant_for
from oneclaw.core.permit.request import PermissionRequest, question_of
from oneclaw.core.question import YES, Question, Reply
from oneclaw.core.session import Session
from oneclaw.core.tool import ToolDefinition

if TYPE_CHECKING:
    from oneclaw.core.text.diff import Preview

_PREVIEW_SECONDS = 5.0

log = logging.getLogger("oneclaw")


class Permissions:
    """Checks calls, and asks people through the broker. Without a front bound there, asking means denied."""

    def __init__(
        self,
        *,
        mode: Mode = "auto",
        states: Mapping[str, State] | None = None,
        grants: GrantBook | None = None,
        broker: Broker | None = None,
        now: Callable[[], float] = time.time,
        redact: Callable[[Any], Any] | None = None,
        judge: Judge | None = None,
    ) -> None:
        self._quick: dict[str, tuple[ToolDefinition, int]] = {}
        self._digests: dict[str, tuple[ToolDefinition, str]] = {}
        self.mode = mode
        self.states = MappingProxyType({need: State(state) for need, state in (states or {}).items()})
        self.grants: GrantBook = MemoryBook() if grants is None else grants
        self.broker = Broker() if broker is None else broker
        self._now = now
        self._redact = redact
        self._judge = judge
        # Grants just given count before they are stored, so that a call in between is not asked about.
        self._fresh: dict[str, Grant] = {}
        self._storing: set[asyncio.Task[str]] = set()

    @property
    def mode(self) -> Mode:
        """The mode; it may be set while the program runs."""
        return self._mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        if mode not in MODES:
            raise ValueError(f"The mode is {mode!r}; it must be one of: {', '.join(MODES)}.")
        self._mode: Mode = mode
        self._quick.clear()

    def take_up(self, other: "Permissions") -> None:
        """Have the mode, the states and the rules of another one from the next call on."""
        self.states, self._judge = other.states, other._judge
        self.mode = other.mode

    def quick(self, definition: ToolDefinition, session: Session) -> bool:
        """True when a call of the tool is known to need no `check`: nothing about it could refuse it.

        The first `check` of a tool finds that out; it holds until the grants, the mode or the tool change.
        """
        known = self._quick.get(definition.name)
        return known is not None and known[0] is definition and 0 <= known[1] == self.grants.version

    async def check(
        self, call_id: str, definition: ToolDefinition, arguments: Mapping[str, Any], session: Session
    ) -> frozenset[str]:
        """Return when the call may run; raise `ToolError` when it may not. May wait for a person.

        The needs that are returned stand by an answer that was kept, and nobody was asked about the call.
        """
        kept = await self._permit(
            PermissionRequest(call_id, definition, arguments, session, needs_of(definition))
        )
        await self._note_quick(definition)
        return kept

    async def require(
        self,
        call_id: str,
        definition: ToolDefinition,
        arguments: Mapping[str, Any],
        session: Session,
        need: str,
        reason: str,
    ) -> None:
        """`check` for a need that only shows while running. A grant given here is for this reason alone."""
        about = reason if self._redact is None else self._redact(reason)
        try:
            await self._permit(PermissionRequest(call_id, definition, arguments, session, (need,), about))
        except ToolError as error:
            raise ToolError(f"{about} {error.message}", error.kind) from error

    async def standing(
        self,
        definition: ToolDefinition,
        need: str,
        session: Session,
        arguments: Mapping[str, Any] | None = None,
        reason: str = "",
        judged: Judgement | None = None,
    ) -> NeedStatus:
        """How a need stands for a call now, without asking anybody. Raises what reading the grants raises.

        `judged` is what the owner's rules say of the arguments.
        """
        is_ruled = judged is not None and judged.is_granted
        grant, grants = None, await self._grants_of(definition.name)
        for each in session.line:  # the last is the one a person talks to: only what it is allowed counts
            grant = find(
                grants,
                need=need,
                digest=self._digest(definition),
                agent=each.agent,
                session=each.id,
                arguments=arguments or {},
                now=self._now(),
                about=reason,
                holds=partial(_holds, _fits(arguments or {}, judged)),
            )
            if grant is not None and grant.verdict == "deny":
                break
        if grant is not None and grant.verdict == "deny":
            text = f"A person denied it permanently; `oneclaw grants revoke {grant.id}` takes that back."
            return NeedStatus(need, State.DENIED_FOR_GOOD, text, grant)
        state = self.state_of(need)
        if state is State.DENIED_FOR_GOOD:
            text = f"The owner denied it permanently with the setting {setting_of(need)}."
            return NeedStatus(need, state, text)
        is_asked = session.must_ask(need)
        if not is_asked and (state is State.GRANTED or grant is not None or is_ruled):
            return NeedStatus(need, State.GRANTED, grant=grant)
        if state is State.DENIED or (is_asked and self.mode == "deny"):
            text = f"In the mode deny nobody is asked; the owner can set {setting_of(need)} to granted."
            if is_asked:
                text = "In the mode deny nobody is asked, and this is done only when a person says yes to it."
            return NeedStatus(need, State.DENIED, text)
        return NeedStatus(need, State.ASK)

    async def foresee(
        self, definition: ToolDefinition, arguments: Mapping[str, Any], session: Session
    ) -> tuple[list[NeedStatus], list[str]]:
        """How the needs of a call with these arguments stand, and what is said of it, without asking."""
        request = self._judged(PermissionRequest("", definition, arguments, session, needs_of(definition)))
        return await self._standings(request), request.notes(self.redacted)

    def why_nobody(self, session: Session) -> str:
        """Why nobody can answer a question of the session; empty when somebody can."""
        return "in the mode deny nobody is asked." if self.mode == "deny" else self.broker.why_nobody(session)

    def redacted(self, value: Any) -> Any:
        """Plain data without known secrets."""
        return value if self._redact is None else self._redact(value)

    def state_of(self, need: str) -> State:
        """How a need stands by mode and settings, before any grant."""
        return base_state(need, self.mode, self.states)

    async def _note_quick(self, definition: ToolDefinition) -> None:
        """Remember a tool that needs no `check` next time: all is granted, and no grant denies anything."""
        version = self.grants.version  # taken before reading, so that a change meanwhile is seen next time
        if all(self.state_of(need) is State.GRANTED for need in needs_of(definition)):
            grants = await self._grants_of(definition.name)
            if not any(one.verdict == "deny" for one in grants):
                self._quick[definition.name] = (definition, version)

    async def _grants_of(self, tool: str) -> Sequence[Grant]:
        return [*await self.grants.of(tool), *(grant for grant in self._fresh.values() if grant.tool == tool)]

    def _digest(self, definition: ToolDefinition) -> str:
        known = self._digests.get(definition.name)
        if known is None or known[0] is not definition:
            known = self._digests[definition.name] = (definition, definition_hash(definition))
        return known[1]

    async def _standings(self, request: PermissionRequest) -> list[NeedStatus]:
        try:
            return [
                await self.standing(
                    request.definition,
                    need,
                    request.session,
                    request.arguments,
                    request.about,
                    request.judged.get(need),
                )
                for need in request.needs
            ]
        except OneClawError as error:
            text = f"The grants cannot be read, so the call was not run: {error}"
            raise ToolError(text, Kind.PERMISSION_DENIED) from error

    def _judged(self, request: PermissionRequest) -> PermissionRequest:
        """The request with what the owner's rules say; its answer is then about exactly that."""
        if self._judge is None:
            return request
        said = {need: self._judge(request.definition, need, request.arguments) for need in request.needs}
        judged = {need: one for need, one in said.items() if one is not None}
        about = request.about or bound_to(judged.values(), self._redact)
        return replace(request, judged=judged, about=about)

    async def _permit(self, request: PermissionRequest) -> frozenset[str]:
        request = self._judged(request)
        standings = await self._standings(request)
        raise_denied(standings)
        asked = tuple(one.need for one in standings if one.state is State.ASK)
        if not asked:
            kept = (one.need for one in standings if one.grant is not None)
            return frozenset(need for need in kept if self.state_of(need) is not State.GRANTED)
        digest, seconds = self._digest(request.definition), self.broker.seconds_for(request.session)
        preview = await self._preview(request)
        question = question_of(request, asked, digest, self._now(), seconds, self.redacted, preview)
        storing: list[asyncio.Task[str]] = []
        reply = await self.broker.ask(
            question,
            request.arguments,
            lambda reply: storing.append(self._remember(question, reply)),
            _fits(request.arguments, *request.judged.values()),
        )
        problem = await asyncio.shield(storing[0]) if storing else ""
        if reply.outcome == "never":
            raise_denied(await self._standings(request))  # it names the grant to revoke
        if reply.outcome not in YES:
            grantable = [need for need in asked if not request.session.must_ask(need)]
            raise refusal(asked, why_refused(reply, grantable))
        if problem:
            raise refusal(asked, f"{problem} Answer once, or mend the store.")
        return frozenset(asked if reply.by not in ("", question.id) else ())

    async def _preview(self, request: PermissionRequest) -> "Preview | None":
        """The preview of the call's changes; None if nobody can see it or the tool has none."""
        preview = request.definition.preview
        if preview is None or self.broker.why_nobody(request.session):
            return None
        try:
            telling = asyncio.to_thread(preview, request.arguments, request.session)
            return await asyncio.wait_for(telling, _PREVIEW_SECONDS)
        except Exception:  # what is wrong with the call is said when it runs
            return None

    def _remember(self, question: Question, reply: Reply) -> asyncio.Task[str]:
        """Have the grants hold from this moment, and store them whatever becomes of the call."""
        grants = [grant_for(question, need, reply, self._now()) for need in question.needs]
        self._fresh.update((grant.id, grant) for grant in grants)
        self._quick.clear()
        task = asyncio.ensure_future(self._store(grants))
        self._storing.add(task)
        task.add_done_callback(self._storing.discard)
        return task

    async def _store(self, grants: Sequence[Grant]) -> str:
        """Store grants; returns what went wrong, or nothing."""
        try:
            for grant in grants:
                await self.grants.add(grant)
        except Exception as error:
            log.exception("A grant could not be stored")
            return f"The answer could not be stored: {error}."
        finally:
            for grant in grants:
                self._fresh.pop(grant.id, None)
            self._quick.clear()
        return ""


def _holds(fits: Fits, pattern: Mapping[str, str]) -> bool:
    """Whether a stored pattern covers a call; one that can be no rule for such calls covers none."""
    try:
        return fits(pattern)
    except ValueError:
        return False


def _fits(arguments: Mapping[str, Any], *judged: Judgement | None) -> Fits:
    """How a pattern is held against a call: as the rules for such calls read it, or against its text."""
    rules = [one.fits for one in judged if one is not None and one.fits is not None]

    def check(pattern: Mapping[str, str]) -> bool:
        return rules[0](pattern) if rules and pattern else fits(pattern, arguments)

    return check
