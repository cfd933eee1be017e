"""One answer of the tiny model: the next call of its plan, what the calls came to, or written words."""

import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from oneclaw import ToolCall, ToolDefinition, ToolResult
from oneclaw.core.subschema import is_object
from oneclaw.providers import (
    Answered,
    AnswerEvent,
    ArgumentsAdded,
    AssistantMessage,
    CallBegun,
    CallPart,
    Message,
    Part,
    ProviderError,
    Request,
    ResultsMessage,
    TextAdded,
    TextPart,
    Usage,
    UserMessage,
)
from oneclaw_smollm2 import answers
from oneclaw_smollm2.follow_ups import read_before
from oneclaw_smollm2.message import read_message
from oneclaw_smollm2.parameters import read_parameters
from oneclaw_smollm2.plan import Step, make_plan
from oneclaw_smollm2.prompt import without_tags
from oneclaw_smollm2.report import report
from oneclaw_smollm2.steps import is_request, join_answer

WIRE = "local"
SHORT_WORDS = 6
_KEPT_PLANS = 32
_GREEDY = {"temperature": 0.0, "seed": 1, "cache_prompt": True}
_PARTIAL = re.compile(r"\n\(These are [^\n]*\)\s*\Z")

Complete = Callable[[dict[str, Any]], AsyncGenerator[dict[str, Any]]]
"""Has the process complete a prompt; yields its chunks."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """Where a conversation stands.

    text    what the user said last
    done    the calls made since, with their results
    before  the last call before that which went well, and its result
    asked   what the user had said when we asked back; empty where we did not
    """

    text: str
    done: tuple[tuple[ToolCall, ToolResult], ...] = ()
    before: tuple[ToolCall, ToolResult] | None = None
    asked: str = ""


class Turns:
    """Answers requests. Plans are kept for the requests of one run.

    What the model writes is read as a call or a question back, and never shown.
    """

    def __init__(self) -> None:
        self._plans: dict[object, tuple[Step, ...]] = {}

    async def answer(self, request: Request, complete: Complete) -> AsyncGenerator[AnswerEvent]:
        spoken = read_conversation(request.messages)
        usage = _Counted()
        if len(spoken.text) > answers.MOST_CHARS:
            plan: Sequence[Step] = (Step("", words=answers.too_long(len(spoken.text))),)
        else:
            plan = await self._plan(spoken, request.tools, complete, usage)
        call = _next_call(plan, spoken) if request.can_call else None
        if isinstance(call, ToolCall):
            yield CallBegun(0, call.name)
            yield ArgumentsAdded(0, json.dumps(call.arguments, ensure_ascii=False))
            yield Answered(_message(CallPart(call), usage=usage.total))
            return
        text, echo = _compose(plan, spoken, request.tools)
        yield TextAdded(text)
        yield Answered(_message(TextPart(text, echo), usage=usage.total))

    async def _plan(
        self, spoken: Spoken, tools: Sequence[ToolDefinition], complete: Complete, usage: "_Counted"
    ) -> tuple[Step, ...]:
        before = None if spoken.before is None else read_before(*spoken.before)
        text = _with_question(spoken)
        key = (text, before, tuple(tool.name for tool in tools))
        known = self._plans.pop(key, None)
        if known is None:

            async def write(prompt: str, grammar: str) -> str:
                most = 64 + len(spoken.text)
                body = {"prompt": prompt, "grammar": grammar, "n_predict": most, **_GREEDY}
                said: list[str] = []
                async with aclosing(complete(body)) as chunks:
                    async for chunk in chunks:
                        said.append(_text_of(chunk))
                        usage.take(chunk)
                return "".join(said)

            known = await make_plan(text, tools, write, before)
        self._plans[key] = known  # last in the row: the first is let go of
        while len(self._plans) > _KEPT_PLANS:
            self._plans.pop(next(iter(self._plans)))
        return known


class _Counted:
    """The tokens of the requests that one answer took."""

    def __init__(self) -> None:
        self.total = Usage()

    def take(self, chunk: Mapping[str, Any]) -> None:
        found: Any = chunk.get("usage")
        if is_object(found):
            read: Any = found.get("prompt_tokens_details") or {}
            tokens = found.get("prompt_tokens", 0), found.get("completion_tokens", 0)
            self.total += Usage(*tokens, read.get("cached_tokens", 0))


def read_conversation(messages: Sequence[Message]) -> Spoken:
    """Where the conversation stands; raises `ProviderError` when the user has said nothing."""
    at = len(messages) - 1
    while at >= 0 and not _is_users(messages[at]):
        at -= 1
    if at < 0:
        raise ProviderError("There is no message to answer. Say something.", "request")
    text = without_tags(cast(UserMessage, messages[at]).text)
    earlier = [pair for pair in _pairs(messages[:at]) if pair[1].ok]
    asked = ""
    if at and isinstance(last := messages[at - 1], AssistantMessage) and last.wire == WIRE:
        echoes = (part.echo for part in last.parts if isinstance(part, TextPart) and part.echo)
        asked = next((str(echo["asked"]) for echo in echoes if "asked" in echo), "")
    return Spoken(text, tuple(_pairs(messages[at:])), earlier[-1] if earlier else None, asked)


def _is_users(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.origin == "user"


def _pairs(messages: Sequence[Message]) -> list[tuple[ToolCall, ToolResult]]:
    found: list[tuple[ToolCall, ToolResult]] = []
    for message, after in pairwise(messages):
        if isinstance(message, AssistantMessage) and isinstance(after, ResultsMessage):
            found += zip(message.calls, after.results, strict=False)
    return found


def _with_question(spoken: Spoken) -> str:
    """What was said; a short word after a question of ours belongs to what was said before it."""
    is_short = len(spoken.text.split()) <= SHORT_WORDS and not spoken.text.rstrip().endswith("?")
    is_answer = not is_request(spoken.text) and not answers.is_declined(spoken.text)
    if spoken.asked and is_short and is_answer:
        return join_answer(spoken.asked, spoken.text)
    return spoken.text


def _next_call(plan: Sequence[Step], spoken: Spoken) -> ToolCall | str | None:
    """The call that is due; None when there is none, words when it cannot be made after what came before."""
    steps = [step for step in plan if step.tool]
    if len(spoken.done) >= len(steps):
        return None
    step = steps[len(spoken.done)]
    filled = step.arguments if step.fill is None else step.fill(spoken.done)
    if isinstance(filled, str):
        return filled
    arguments = dict(filled)
    if step.carries:
        carried = _carried(spoken)
        if carried is None:
            return None
        arguments[step.carries] = carried
    return ToolCall(step.tool, arguments)


def _carried(spoken: Spoken) -> str | None:
    """What the call before gave, whole; None when it failed, or gave only a part."""
    pair = spoken.done[-1] if spoken.done else spoken.before
    if pair is None or not pair[1].ok or pair[1].truncated_from is not None:
        return None
    if pair[0].name == "write_file" and isinstance(pair[0].arguments, Mapping):
        return str(pair[0].arguments.get("content", ""))  # what was written, and not that it was
    return None if _PARTIAL.search(pair[1].text) else pair[1].text


def _compose(
    plan: Sequence[Step], spoken: Spoken, tools: Sequence[ToolDefinition]
) -> tuple[str, Mapping[str, Any] | None]:
    """The answer from results and written words, and what to remember of it."""
    step = plan[0]
    tool = next((tool for tool in tools if tool.name == step.asks), None)
    if tool is not None:
        return answers.question(tool, _missing(tool, step.text)), {"asked": step.text}
    steps = [each for each in plan if each.tool]
    if not steps:
        return step.words, None
    pairs = zip(steps, spoken.done, strict=False)
    told = [report(call, result) for step, (call, result) in pairs if not step.is_quiet]
    left = [each for each in steps[len(spoken.done) :] if not each.is_quiet]
    stopped = _next_call(plan, spoken)
    if isinstance(stopped, str):
        told.append(stopped)
        left = left[1:]
    told += [f"I did not do this: “{each.text}”." for each in left]
    told += [f"I cannot do this: “{each.text}”." for each in plan if not each.tool]
    return "\n\n".join(told), None


def _missing(tool: ToolDefinition, text: str) -> list[tuple[str, str]]:
    """The parameters a tool must have and the message does not show, each with what it means."""
    message = read_message(text)
    shown = {"path": message.paths, "folder": message.paths, "url": message.urls, "mail": message.mails}
    is_quoted = any(piece.is_quoted for piece in message.pieces)
    found: list[tuple[str, str]] = []
    for each in read_parameters(tool) or []:
        if each.is_required and not shown.get(each.kind) and not (each.kind == "text" and is_quoted):
            schema: Any = each.schema
            meaning = str(schema.get("description", "")) if is_object(schema) else ""
            found.append((each.name, meaning.partition(". ")[0].rstrip(".")))
    return found


def _text_of(chunk: Mapping[str, Any]) -> str:
    choices: Any = chunk.get("choices") or [{}]
    return str(choices[0].get("text") or "")


def _message(part: Part, usage: Usage) -> AssistantMessage:
    finish = "calls" if isinstance(part, CallPart) else "stop"
    return AssistantMessage((part,), finish, WIRE, "", usage)
