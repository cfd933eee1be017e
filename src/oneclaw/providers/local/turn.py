"""One answer of the embedded model: the next call of its plan, or what the calls came to."""

import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from oneclaw.core.answer import Answer, Answered, ArgumentsAdded, CallBegun, TextAdded
from oneclaw.core.call import ToolCall, ToolResult, new_call_id
from oneclaw.core.message import (
    AssistantMessage,
    CallPart,
    Echo,
    Message,
    Part,
    ResultsMessage,
    TextPart,
    Usage,
    UserMessage,
)
from oneclaw.core.subschema import is_object
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import ProviderError, Request
from oneclaw.providers.local import reply
from oneclaw.providers.local.message import read_message
from oneclaw.providers.local.parameters import read_parameters
from oneclaw.providers.local.plan import Step, make_plan
from oneclaw.providers.local.prompt import without_tags
from oneclaw.providers.local.report import report
from oneclaw.providers.local.steps import is_request, join_answer
from oneclaw.providers.openai_chat.usage import read_usage

WIRE = "local"
MOST_CHARS = 4_000
"""The longest message the model is asked about: it copies from it, and has little room."""
CHAT_TOKENS = 60
SHORT_WORDS = 6
_KEPT_PLANS = 32
# Without any instructions: with them a model of this size answers worse.
_CHAT = "<|im_start|>user\n{text}<|im_end|>\n<|im_start|>assistant\n"
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
    """Answers requests with the embedded model. Plans are kept for the requests of one run."""

    def __init__(self) -> None:
        self._plans: dict[object, tuple[Step, ...]] = {}

    async def answer(self, request: Request, complete: Complete) -> AsyncGenerator[Answer]:
        spoken = read_conversation(request.messages)
        if len(spoken.text) > MOST_CHARS:
            raise ProviderError(
                f"The embedded model reads messages of up to {MOST_CHARS:,} characters and this one has"
                f" {len(spoken.text):,}; shorten it, or use a bigger model.",
                "window",
            )
        usage = _Counted()
        plan = await self._plan(spoken, request.tools, complete, usage)
        call = _next_call(plan, spoken) if request.can_call else None
        if call is not None:
            yield CallBegun(0, call.name)
            yield ArgumentsAdded(0, json.dumps(call.arguments, ensure_ascii=False))
            yield Answered(_message(CallPart(call), usage=usage.total))
            return
        text, echo = _compose(plan, spoken, request.tools)
        if text is None:
            said: list[str] = []
            async with aclosing(_talk(spoken.text, complete, usage)) as pieces:
                async for piece in pieces:
                    said.append(piece)
                    yield TextAdded(piece)
            text = "".join(said)
        else:
            yield TextAdded(text)
        yield Answered(_message(TextPart(text, echo), usage=usage.total))

    async def _plan(
        self, spoken: Spoken, tools: Sequence[ToolDefinition], complete: Complete, usage: "_Counted"
    ) -> tuple[Step, ...]:
        before = None if spoken.before is None else spoken.before[0]
        text = _with_question(spoken)
        key = (text, repr(before), tuple(tool.name for tool in tools))
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
        found = read_usage(chunk)
        if found is not None:
            self.total += found


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
    is_answer = not is_request(spoken.text) and not reply.is_declined(spoken.text)
    if spoken.asked and is_short and is_answer:
        return join_answer(spoken.asked, spoken.text)
    return spoken.text


def _next_call(plan: Sequence[Step], spoken: Spoken) -> ToolCall | None:
    """The call that is due; None when there is none, or it needs what the one before did not give."""
    steps = [step for step in plan if step.tool]
    if len(spoken.done) >= len(steps):
        return None
    step = steps[len(spoken.done)]
    arguments = dict(step.arguments)
    if step.carries:
        carried = _carried(spoken)
        if carried is None:
            return None
        arguments[step.carries] = carried
    return ToolCall(step.tool, arguments, new_call_id())


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
) -> tuple[str | None, Echo | None]:
    """The answer from results and prepared words; None where the model may speak for itself."""
    step = plan[0]
    if step.asks:
        tool = next((tool for tool in tools if tool.name == step.asks), None)
        if tool is not None:
            return reply.question(tool, _missing(tool, step.text)), {"asked": step.text}
    if not any(each.tool for each in plan):
        words = reply.prepared(step.text, tools)
        if step.undone:
            words = reply.undone_text(step.undone, tools)
        elif words is None and reply.is_beyond(step.text):
            words = reply.beyond_text(tools)
        elif words is None and reply.is_order(step.text):
            words = reply.unclear_text(tools)
        return words, None
    told = [report(call, result) for call, result in spoken.done]
    steps = [each for each in plan if each.tool]
    told += [f"I did not do this: “{each.text}”." for each in steps[len(spoken.done) :]]
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


async def _talk(text: str, complete: Complete, usage: _Counted) -> AsyncGenerator[str]:
    """One sentence of the model itself, with its adapter off, and the mark: what follows only gets worse."""
    prompt = _CHAT.format(text=text)
    options = {"n_predict": CHAT_TOKENS, "stop": ["<|im_end|>", "\n"], "lora": [{"id": 0, "scale": 0.0}]}
    said = ""
    async with aclosing(complete({"prompt": prompt, **options, **_GREEDY})) as chunks:
        async for chunk in chunks:
            usage.take(chunk)
            piece = _text_of(chunk)
            if piece[:1].isspace() and said.rstrip().endswith((".", "!", "?")):
                break
            if piece:
                said += piece
                yield piece
    yield ("" if said.rstrip().endswith((".", "!", "?")) else "…") + f"\n\n{reply.MARK}"


def _text_of(chunk: Mapping[str, Any]) -> str:
    choices: Any = chunk.get("choices") or [{}]
    return str(choices[0].get("text") or "")


def _message(part: Part, usage: Usage) -> AssistantMessage:
    finish = "calls" if isinstance(part, CallPart) else "stop"
    return AssistantMessage((part,), finish, WIRE, "", usage)
