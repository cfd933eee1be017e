"""What the embedded model makes of a message: calls in their order, a question back, or plain talk."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from oneclaw.core.call import ToolCall
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.local.grammar import call_grammar
from oneclaw.providers.local.message import read_message
from oneclaw.providers.local.parameters import read_parameters
from oneclaw.providers.local.pieces import read_pieces
from oneclaw.providers.local.prompt import read_answer, read_question, write_prompt
from oneclaw.providers.local.reply import is_beyond, is_greeting, prepared
from oneclaw.providers.local.steps import (
    find_path,
    means_before,
    name_it,
    save_it,
    says_nothing,
    split_steps,
)
from oneclaw.providers.local.verbs import is_file_itself, undone_verb

Complete = Callable[[str, str], Awaitable[str]]
"""Has the model continue a prompt within a grammar."""


@dataclass(frozen=True, slots=True)
class Step:
    """One request of a message. Without `tool` and `asks` it is talk.

    tool     the tool to call, with `arguments`
    carries  the parameter that is given what the step before came to
    asks     the tool that would be called if the message said enough
    undone   the verb of a request that no tool does
    """

    text: str
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    carries: str = ""
    asks: str = ""
    undone: str = ""


async def make_plan(
    text: str, tools: Sequence[ToolDefinition], complete: Complete, before: ToolCall | None = None
) -> tuple[Step, ...]:
    """The steps of a message; `before` is the last call that went well, for what `it` means.

    A message is taken apart only if every part of it is a call, or plainly asks for what nobody here can do:
    else it is one request, as it stands. What comes after a request that no tool does may rely on it, and is
    not done either.
    """
    path = _path_of(before)
    parts = _without_greetings(split_steps(text), text) or [text]
    if len(parts) > 1:
        steps: list[Step] = []
        for part in parts:
            step = await _decide_later(part, path, tools, complete, bool(steps) or before is not None)
            is_beside = is_beyond(part) or (bool(step.undone) and not _is_dictated(text))
            if not step.tool and not (steps and is_beside and _is_joined(part, text)):
                break
            steps.append(step)
            if step.undone:
                return (*steps, *map(Step, parts[len(steps) :]))
            path = _path_of(ToolCall(step.tool, step.arguments)) or find_path(part) or path
        else:
            return tuple(steps)
    whole = parts[0] if len(parts) == 1 else text
    return (await _decide_later(whole, path, tools, complete, before is not None),)


def _without_greetings(parts: Sequence[str], text: str) -> list[str]:
    """The parts that want something; after a colon, as in a letter, `Thanks.` may be what to write."""
    return [part for at, part in enumerate(parts) if not is_greeting(part) or (at and _is_dictated(text))]


def _is_dictated(text: str) -> bool:
    """Whether what follows a colon is a text to be written: then a request in it is none."""
    return re.search(r":\s", text) is not None


async def _decide_later(
    text: str, path: str, tools: Sequence[ToolDefinition], complete: Complete, is_later: bool
) -> Step:
    """Decide on a text that may speak of what came before it, if anything did."""
    if not is_later:
        return _questioned(await _decide(text, tools, complete), tools)
    saving = save_it(text)
    if saving is None:
        step = _carrying(await _decide(name_it(text, path), tools, complete), tools)
        return step if step.carries else _questioned(step, tools)
    writers = [tool for tool in tools if _puts_text_into_file(tool)]
    return _carrying(await _decide(saving, writers or tools, complete), tools)


async def _decide(text: str, tools: Sequence[ToolDefinition], complete: Complete) -> Step:
    if not tools or prepared(text, tools) is not None:
        return Step(text)
    undone = undone_verb(read_message(text), tools)
    if undone:
        return Step(text, undone=undone)
    said = await complete(write_prompt(tools, text), call_grammar(tools, text, asks=True))
    call = read_answer(said)
    if call is not None:
        return Step(text, *call)
    return Step(text, asks=read_question(said) or "")


def _is_joined(part: str, text: str) -> bool:
    """Whether a part hangs on by `and` or `then`: a sentence of its own may belong to a text."""
    return re.search(rf"\b(?:and|then)\s+{re.escape(part)}", text, re.IGNORECASE) is not None


def _puts_text_into_file(tool: ToolDefinition) -> bool:
    needed = [each.kind for each in read_parameters(tool) or [] if each.is_required]
    return "path" in needed and "text" in needed


def _questioned(step: Step, tools: Sequence[ToolDefinition]) -> Step:
    """The step as a question, if a text it must have is only a word for one: `Save a file as todo.txt`."""
    tool = next((tool for tool in tools if tool.name == step.tool), None)
    needed = [each for each in read_parameters(tool) or [] if each.is_required] if tool else []
    given = [step.arguments.get(each.name) for each in needed if each.kind == "text"]
    is_empty = any(says_nothing(value) and not _is_quoted(value, step.text) for value in given)
    if tool is not None and _puts_text_into_file(tool):
        # `Dump the file a.log` asks for no writing: a text to be written does not begin the message.
        is_empty |= any(step.text.lstrip().startswith(str(value)) for value in given)
        is_empty |= any(_names_file(value, step.text) for value in given) or is_file_itself(step.text)
    return Step(step.text, asks=step.tool) if is_empty else step


def _names_file(value: Any, text: str) -> bool:
    """`Save a.txt as b.txt` gives no text to write: the name of a file is none, unless it is quoted."""
    return value in read_message(text).paths and not _is_quoted(value, text)


def _is_quoted(value: Any, text: str) -> bool:
    return any(piece.is_quoted and piece.text == value for piece in read_pieces(text))


def _carrying(step: Step, tools: Sequence[ToolDefinition]) -> Step:
    """The step with `it`, where a text is wanted, taken for what came before."""
    tool = next((tool for tool in tools if tool.name == step.tool), None)
    texts = [each.name for each in read_parameters(tool) or [] if each.kind == "text"] if tool else []
    meant = [name for name in texts if means_before(step.arguments.get(name))]
    return replace(step, carries=meant[0]) if meant else step


def _path_of(call: ToolCall | None) -> str:
    if call is None or not isinstance(call.arguments, Mapping):
        return ""
    path = call.arguments.get("path")
    return path if isinstance(path, str) and path not in ("", ".") else ""
