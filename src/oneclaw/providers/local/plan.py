"""What the embedded model makes of a message: calls in their order, a question back, or plain talk."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from oneclaw.core.call import ToolCall
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.local.grammar import call_grammar
from oneclaw.providers.local.parameters import read_parameters
from oneclaw.providers.local.prompt import read_answer, read_question, write_prompt
from oneclaw.providers.local.reply import is_greeting, prepared
from oneclaw.providers.local.steps import find_path, means_before, name_it, save_it, split_steps

Complete = Callable[[str, str], Awaitable[str]]
"""Has the model continue a prompt within a grammar."""


@dataclass(frozen=True, slots=True)
class Step:
    """One request of a message. Without `tool` and `asks` it is talk.

    tool     the tool to call, with `arguments`
    carries  the parameter that is given what the step before came to
    asks     the tool that would be called if the message said enough
    """

    text: str
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    carries: str = ""
    asks: str = ""


async def make_plan(
    text: str, tools: Sequence[ToolDefinition], complete: Complete, before: ToolCall | None = None
) -> tuple[Step, ...]:
    """The steps of a message; `before` is the last call that went well, for what `it` means.

    A message is taken apart only if every part of it is a call: else it is one request, as it stands.
    """
    path = _path_of(before)
    parts = [part for part in split_steps(text) if not is_greeting(part)] or [text]
    if len(parts) > 1:
        steps: list[Step] = []
        for part in parts:
            step = await _decide_later(part, path, tools, complete, bool(steps) or before is not None)
            if not step.tool:
                break
            steps.append(step)
            path = _path_of(ToolCall(step.tool, step.arguments)) or find_path(part) or path
        else:
            return tuple(steps)
    whole = parts[0] if len(parts) == 1 else text
    return (await _decide_later(whole, path, tools, complete, before is not None),)


async def _decide_later(
    text: str, path: str, tools: Sequence[ToolDefinition], complete: Complete, is_later: bool
) -> Step:
    """Decide on a text that may speak of what came before it, if anything did."""
    if not is_later:
        return await _decide(text, tools, complete)
    saving = save_it(text)
    if saving is None:
        return _carrying(await _decide(name_it(text, path), tools, complete), tools)
    writers = [tool for tool in tools if _puts_text_into_file(tool)]
    return _carrying(await _decide(saving, writers or tools, complete), tools)


async def _decide(text: str, tools: Sequence[ToolDefinition], complete: Complete) -> Step:
    if not tools or prepared(text, tools) is not None:
        return Step(text)
    said = await complete(write_prompt(tools, text), call_grammar(tools, text, asks=True))
    call = read_answer(said)
    if call is not None:
        return Step(text, *call)
    return Step(text, asks=read_question(said) or "")


def _puts_text_into_file(tool: ToolDefinition) -> bool:
    needed = [each.kind for each in read_parameters(tool) or [] if each.is_required]
    return "path" in needed and "text" in needed


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
