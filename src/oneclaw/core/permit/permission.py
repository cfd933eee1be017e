"""Permission: whether this call may happen now, by its needs, the mode, the owner's settings and the grants.

Each need of a call stands in one of four states. From the first line that holds:

    denied for good   a grant that denies covers the call                  (`oneclaw grants revoke ID`)
    denied for good   the owner set the need to `denied`                   (the setting is named)
    ask, each time    the session asks for it (`Session.asks`); in the mode `deny` it is denied
    granted           the owner set it to `granted`, or nobody set it and the mode grants it
    granted           a grant that allows covers the call, or a rule of the owner covers its arguments
    denied            the mode is `deny`: nobody is asked
    ask               otherwise

One denied need refuses the call; those that ask are asked together, in one prompt. A call whose effect is not
`read` has the need `changes` besides those it declares: it is what the modes differ in.

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
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from oneclaw.core.errors import Kind, OneClawError, ToolError
from oneclaw.core.permit.broker import Broker
from oneclaw.core.permit.grant import Grant, GrantBook, MemoryBook, definition_hash, find
from oneclaw.core.permit.judgement import Judge, Judgement, bound_to
from oneclaw.core.permit.need import MODES, Mode, State, base_state, meaning_of, needs_of
from oneclaw.core.permit.prompt import (
    ANSWERS,
    YES,
    Answer,
    Prompt,
    Reply,
    grant_for,
    prompt_text,
    shown_arguments,
)
from oneclaw.core.permit.standing import Standing, raise_denied, refusal, setting_of, why_refused
from oneclaw.core.session import Session
from oneclaw.core.text.display import TooDeep
from oneclaw.core.tool import ToolDefinition

log = logging.getLogger("oneclaw")


@dataclass(frozen=True, slots=True)
class _Question:
    """A call and the needs it is asked about, together."""

    call_id: str
    definition: ToolDefinition
    arguments: Mapping[str, Any]
    session: Session
    needs: tuple[str, ...]
    about: str = ""
    judged: Mapping[str, Judgement] = field(default_factory=dict[str, Judgement])


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
        self._quick: dict[str, tuple[ToolDefinition, int, bool]] = {}
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

    def quick(self, definition: ToolDefinition, session: Session) -> bool:
        """True when a call of the tool needs no `check`: no argument, session or grant could refuse it."""
        try:
            known = self._quick.get(definition.name)
            if known is not None and known[0] is definition and known[1] == self.grants.version:
                return known[2]
            return self._is_quick(definition)
        except OneClawError:
            return False  # the grants cannot be read: `check` says so

    async def check(
        self, call_id: str, definition: ToolDefinition, arguments: Mapping[str, Any], session: Session
    ) -> frozenset[str]:
        """Return when the call may run; raise `ToolError` when it may not. May wait for a person.

        The needs that are returned stand by an answer that was kept, and nobody was asked about the call.
        """
        return await self._permit(_Question(call_id, definition, arguments, session, needs_of(definition)))

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
            await self._permit(_Question(call_id, definition, arguments, session, (need,), about))
        except ToolError as error:
            raise ToolError(f"{about} {error.message}", error.kind) from error

    def standing(
        self,
        definition: ToolDefinition,
        need: str,
        session: Session,
        arguments: Mapping[str, Any] | None = None,
        reason: str = "",
        is_ruled: bool = False,
    ) -> Standing:
        """How a need stands for a call now, without asking anybody. Raises what reading the grants raises.

        `is_ruled` says that a rule of the owner covers the arguments.
        """
        grant = None
        for each in session.line:  # the last is the one a person talks to: only what it is allowed counts
            grant = find(
                self._grants_of(definition.name),
                need=need,
                digest=self._digest(definition),
                agent=each.agent,
                session=each.id,
                arguments=arguments or {},
                now=self._now(),
                about=reason,
            )
            if grant is not None and grant.verdict == "deny":
                break
        if grant is not None and grant.verdict == "deny":
            text = f"A person denied it for good; `oneclaw grants revoke {grant.id}` takes that back."
            return Standing(need, State.DENIED_FOR_GOOD, text, grant)
        state = self.state_of(need)
        if state is State.DENIED_FOR_GOOD:
            text = f"The owner denied it for good with the setting {setting_of(need)}."
            return Standing(need, state, text)
        is_asked = session.must_ask(need)
        if not is_asked and (state is State.GRANTED or grant is not None or is_ruled):
            return Standing(need, State.GRANTED, grant=grant)
        if state is State.DENIED or (is_asked and self.mode == "deny"):
            text = f"In the mode deny nobody is asked; the owner can set {setting_of(need)} to granted."
            if is_asked:
                text = "In the mode deny nobody is asked, and this is done only when a person says yes to it."
            return Standing(need, State.DENIED, text)
        return Standing(need, State.ASK)

    def foresee(
        self, definition: ToolDefinition, arguments: Mapping[str, Any], session: Session
    ) -> tuple[list[Standing], list[str]]:
        """How the needs of a call with these arguments stand, and what is said of it, without asking."""
        question = self._judged(_Question("", definition, arguments, session, needs_of(definition)))
        return self._standings(question), self._notes(question)

    def state_of(self, need: str) -> State:
        """How a need stands by mode and settings, before any grant."""
        return base_state(need, self.mode, self.states)

    def _is_quick(self, definition: ToolDefinition) -> bool:
        version = self.grants.version  # taken before reading, so that a change meanwhile is seen next time
        result = all(self.state_of(need) is State.GRANTED for need in needs_of(definition))
        result = result and not any(one.verdict == "deny" for one in self._grants_of(definition.name))
        self._quick[definition.name] = (definition, version, result)
        return result

    def _grants_of(self, tool: str) -> Sequence[Grant]:
        return [*self.grants.of(tool), *(grant for grant in self._fresh.values() if grant.tool == tool)]

    def _digest(self, definition: ToolDefinition) -> str:
        known = self._digests.get(definition.name)
        if known is None or known[0] is not definition:
            known = self._digests[definition.name] = (definition, definition_hash(definition))
        return known[1]

    def _standings(self, question: _Question) -> list[Standing]:
        try:
            return [
                self.standing(
                    question.definition,
                    need,
                    question.session,
                    question.arguments,
                    question.about,
                    need in question.judged and question.judged[need].is_granted,
                )
                for need in question.needs
            ]
        except OneClawError as error:
            text = f"The grants cannot be read, so the call was not run: {error}"
            raise ToolError(text, Kind.PERMISSION_DENIED) from error

    def _judged(self, question: _Question) -> _Question:
        """The question with what the owner's rules say; its answer is then about exactly that."""
        if self._judge is None:
            return question
        said = {need: self._judge(question.definition, need, question.arguments) for need in question.needs}
        judged = {need: one for need, one in said.items() if one is not None}
        about = question.about or bound_to(judged.values(), self._redact)
        return replace(question, judged=judged, about=about)

    async def _permit(self, question: _Question) -> frozenset[str]:
        question = self._judged(question)
        standings = self._standings(question)
        raise_denied(standings)
        asked = tuple(one.need for one in standings if one.state is State.ASK)
        if not asked:
            kept = (one.need for one in standings if one.grant is not None)
            return frozenset(need for need in kept if self.state_of(need) is not State.GRANTED)
        prompt = self._prompt(question, asked)
        storing: list[asyncio.Task[str]] = []
        reply = await self.broker.ask(
            prompt, question.arguments, lambda reply: storing.append(self._remember(prompt, reply))
        )
        problem = await asyncio.shield(storing[0]) if storing else ""
        if reply.outcome == "never":
            raise_denied(self._standings(question))  # it names the grant to revoke
        if reply.outcome not in YES:
            grantable = [need for need in asked if not question.session.must_ask(need)]
            raise refusal(asked, why_refused(reply, grantable))
        if problem:
            raise refusal(asked, f"{problem} Answer once, or mend the store.")
        return frozenset(asked if reply.by not in ("", prompt.id) else ())

    def _prompt(self, question: _Question, needs: tuple[str, ...]) -> Prompt:
        # Whom an agent asked has no rights of its own: the answer is remembered for the one that asked.
        definition, session = question.definition, question.session.line[-1]
        arguments = question.arguments if self._redact is None else self._redact(dict(question.arguments))
        try:
            shown = shown_arguments(arguments)
        except TooDeep as error:
            raise refusal(needs, f"{error} A person cannot read that; use flatter arguments.") from error
        meanings = {need: meaning_of(need) for need in needs}
        unnamed = {"session": not session.id, "agent": not session.agent}
        is_asked = any(question.session.must_ask(need) for need in needs)
        offered: tuple[Answer, ...] = ("once", "no", "never") if is_asked else ANSWERS
        created = self._now()
        return Prompt(
            call_id=question.call_id,
            tool=definition.name,
            session=session.id,
            agent=session.agent,
            needs=needs,
            about=question.about,
            digest=self._digest(definition),
            text=prompt_text(
                definition, meanings, shown, question.about, question.session, self._notes(question)
            ),
            arguments=shown,
            answers=tuple(answer for answer in offered if not unnamed.get(answer)),
            created=created,
            expires=created + self.broker.seconds,
        )

    def _notes(self, question: _Question) -> list[str]:
        notes = [note for one in question.judged.values() for note in one.notes]
        return notes if self._redact is None else [self._redact(note) for note in notes]

    def _remember(self, prompt: Prompt, reply: Reply) -> asyncio.Task[str]:
        """Have the grants hold from this moment, and store them whatever becomes of the call."""
        grants = [grant_for(prompt, need, reply, self._now()) for need in prompt.needs]
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
