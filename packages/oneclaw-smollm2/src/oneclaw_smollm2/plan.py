"""The plan for a message: calls in their order, a question back, or written words."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from oneclaw import ToolCall, ToolDefinition
from oneclaw_smollm2 import answers
from oneclaw_smollm2.dictation import read_dictation
from oneclaw_smollm2.follow_ups import Before, counts, means_before, name_it, read_before, resolve, save_it
from oneclaw_smollm2.grammar import call_grammar
from oneclaw_smollm2.look_first import Fill, look_first
from oneclaw_smollm2.message import read_message
from oneclaw_smollm2.named import name_file
from oneclaw_smollm2.parameters import read_parameters
from oneclaw_smollm2.pieces import read_pieces
from oneclaw_smollm2.prompt import read_answer, read_question, write_prompt
from oneclaw_smollm2.request import asked_how, bare_request, fix_typos
from oneclaw_smollm2.rules import RULED, read_call
from oneclaw_smollm2.steps import find_path, says_nothing, split_steps
from oneclaw_smollm2.verbs import (
    APPENDING,
    KNOWN_WORDS,
    asks_for_prose,
    is_file_itself,
    plain,
    request_verb,
    tools_for,
)

Complete = Callable[[str, str], Awaitable[str]]
"""Has the model continue a prompt within a grammar."""


@dataclass(frozen=True, slots=True)
class Step:
    """One request of a message: a call, a question back, or words.

    tool        the tool to call, with `arguments`
    carries     the parameter that is given what the step before came to
    fill        makes the arguments out of the calls before it, or says why it cannot
    is_quiet    whether it only looks something up for the next step, and is not told
    asks        the tool that would be called if the message said enough
    words       the written answer where there is no call
    is_refused  whether these words refuse a request
    """

    text: str
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    carries: str = ""
    fill: Fill | None = None
    is_quiet: bool = False
    asks: str = ""
    words: str = ""
    is_refused: bool = False


_TOLD_OF = re.compile(
    r"(?P<fact>(?:i|we|my \w+|there(?:'s| is)|the file|this)\b[^,;:\"]{3,60})[,.;]\s+(?:so |but |and )?"
    r"(?P<rest>(?:can|could|would|please|how about|delete|read|rename|move|copy|bring|get|restore|show"
    r"|undo|put)\b.+)",
    re.IGNORECASE,
)
"""A statement that says which file it is about, and a request about it."""


async def make_plan(
    text: str, tools: Sequence[ToolDefinition], complete: Complete, before: Before | None = None
) -> tuple[Step, ...]:
    """The steps of a message; `before` is for what `it` means.

    A message is taken apart only if every part of it is a call, or plainly asks for what nobody here can do:
    else it is one request, as it stands. What comes after a request that no tool does may rely on it, and is
    not done either.
    """
    words = answers.urgent_answer(text)
    if words:
        return (Step(text, words=words),)
    dictated = read_dictation(bare_request(text))
    if dictated is not None and any(tool.name == dictated.tool for tool in tools):
        return _looked_up([Step(text, dictated.tool, dictated.arguments or {})], tools)
    told = _TOLD_OF.fullmatch(text.strip())
    if told is not None and find_path(told["fact"]) and not find_path(told["rest"]):
        text, before = told["rest"], Before(path=find_path(told["fact"]))
    parts = _without_greetings(split_steps(text), text) or [text]
    if len(parts) > 1:
        steps = await _plan_parts(parts, text, tools, complete, before)
        if steps:
            return steps
    whole = parts[0] if len(parts) == 1 else text
    return _looked_up([await _decide_later(whole, tools, complete, before)], tools)


def _looked_up(steps: Sequence[Step], tools: Sequence[ToolDefinition]) -> tuple[Step, ...]:
    """The steps, each after the calls that look up what it needs."""
    found: list[Step] = []
    for step in steps:
        looks, fill = look_first(step.tool, step.arguments, {tool.name for tool in tools})
        found += [Step(step.text, name, given, fill=how, is_quiet=True) for name, given, how in looks]
        found.append(replace(step, fill=fill))
    return tuple(found)


async def _plan_parts(
    parts: Sequence[str],
    text: str,
    tools: Sequence[ToolDefinition],
    complete: Complete,
    before: Before | None,
) -> tuple[Step, ...]:
    """The steps of the parts of a message; empty where they are no requests of their own."""
    steps: list[Step] = []
    for part in parts:
        step = await _decide_later(part, tools, complete, before)
        if not step.tool:
            if not (steps and step.is_refused and _is_joined(part, text) and not _is_dictated(text)):
                return ()
            return _looked_up([*steps, step, *(Step(rest) for rest in parts[len(steps) + 1 :])], tools)
        steps.append(step)
        made = read_before(ToolCall(step.tool, step.arguments))
        path = made.path or find_path(part) or (before.path if before else "")
        before = replace(made, path=path)
    return _looked_up(steps, tools)


def _without_greetings(parts: Sequence[str], text: str) -> list[str]:
    """The parts that want something; after a colon, as in a letter, `Thanks.` may be what to write."""
    return [
        part for at, part in enumerate(parts) if not answers.is_greeting(part) or (at and _is_dictated(text))
    ]


def _is_dictated(text: str) -> bool:
    """Whether what follows a colon is a text to be written: then a request in it is none."""
    return re.search(r":\s", text) is not None


def _is_joined(part: str, text: str) -> bool:
    """Whether a part hangs on by `and` or `then`: a sentence of its own may belong to a text."""
    return re.search(rf"\b(?:and|then)\s+{re.escape(part)}", text, re.IGNORECASE) is not None


async def _decide_later(
    text: str, tools: Sequence[ToolDefinition], complete: Complete, before: Before | None
) -> Step:
    """Decide on a text that may speak of what came before it, if anything did."""
    text = fix_typos(text, KNOWN_WORDS)
    if before is None:
        return _questioned(await _decide(text, tools, complete), tools)
    count = counts(text, before)
    if count is not None:
        return Step(text, words=f"{count:,}.")
    bare = bare_request(text)
    named = name_it(resolve(bare, before), before.path)
    named = text if named == bare else named
    saving = save_it(text) if named == text else None
    if saving is None:
        step = _carrying(await _decide(named, tools, complete), tools)
        if (
            step.tool == "write_file"
            and named != text
            and not re.match(r"overwrite|replace", text, re.IGNORECASE)
        ):
            step = replace(step, arguments={**step.arguments, "mode": "append"})
        return step if step.carries else _questioned(step, tools)
    writers = [tool for tool in tools if _puts_text_into_file(tool)]
    return _carrying(await _decide(saving, writers or tools, complete), tools)


async def _decide(text: str, tools: Sequence[ToolDefinition], complete: Complete) -> Step:
    """What to do for one request: written words, a call by rule, or a call that the model chooses."""
    words = answers.written_answer(text, tools)
    if words or not tools:
        return Step(text, words=words or answers.last_answer(text, tools))
    request = name_file(bare_request(text))
    ruled = read_call(request)
    if ruled is not None:
        if not any(tool.name == ruled.tool for tool in tools):
            return Step(text, words=answers.refusal(ruled.verb, tools), is_refused=True)
        if ruled.arguments is None:
            return Step(text, asks=ruled.tool)
        return Step(text, ruled.tool, ruled.arguments)
    how = asked_how(text)
    if how:
        return _tell_how(text, how, tools)
    allowed = tools_for(read_message(request), tools)
    if not allowed:
        return _refuse(text, tools)
    shown = [tool for tool in tools if tool.name not in RULED]
    said = await complete(write_prompt(shown, request), call_grammar(allowed, request))
    call = read_answer(said)
    if call is not None:
        return _adjusted(Step(text, *call), request)
    asked = read_question(said)
    return Step(text, asks=asked) if asked else _refuse(text, tools)


def _refuse(text: str, tools: Sequence[ToolDefinition]) -> Step:
    message = read_message(bare_request(text))
    verb = "" if asks_for_prose(message) else plain(request_verb(message))
    words = answers.refusal(verb, tools) if verb else answers.last_answer(text, tools)
    return Step(text, words=words, is_refused=True)


def _tell_how(text: str, how: str, tools: Sequence[ToolDefinition]) -> Step:
    """`How do I rename a.txt to b.txt?` is answered with the words that do it, if a tool does."""
    ruled = read_call(bare_request(how))
    names = {tool.name for tool in tools}
    can_do = ruled.tool in names if ruled is not None else bool(request_verb(read_message(how)))
    if can_do and (ruled is not None or tools_for(read_message(how), tools)):
        example = how if find_path(how) or ruled is None else answers.example_of(ruled.tool)
        return Step(text, words=f"Just say it, such as “{example}”.")
    return _refuse(text, tools)


def _adjusted(step: Step, request: str) -> Step:
    """The call with what the program knows better: `add` never replaces a file, and no search minds case."""
    arguments = dict(step.arguments)
    verb = plain(request_verb(read_message(request)))
    is_into = re.search(
        r"\b(?:in|into|on|onto|inside) (?:(?:the|my) )?(?:file )?\S+\.\w+\Z", request.rstrip(".!?")
    )
    if step.tool == "write_file" and (verb in APPENDING or (verb == "write" and is_into)):
        arguments["mode"] = "append"
    if step.tool == "search_text":
        arguments["ignore_case"] = True
    return replace(step, arguments=arguments)


def _puts_text_into_file(tool: ToolDefinition) -> bool:
    needed = [each.kind for each in read_parameters(tool) or [] if each.is_required]
    return "path" in needed and "text" in needed and tool.name not in RULED


def _questioned(step: Step, tools: Sequence[ToolDefinition]) -> Step:
    """The step as a question, if a text it must have is only a word for one: `Save a file as todo.txt`."""
    tool = next((tool for tool in tools if tool.name == step.tool), None)
    if tool is None or tool.name in RULED:
        return step
    needed = [each for each in read_parameters(tool) or [] if each.is_required]
    given = [step.arguments.get(each.name) for each in needed if each.kind == "text"]
    is_empty = any(says_nothing(value) and not _is_quoted(value, step.text) for value in given)
    if _puts_text_into_file(tool) and "" not in given:
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
    tool = next((tool for tool in tools if tool.name == step.tool and tool.name not in RULED), None)
    texts = [each.name for each in read_parameters(tool) or [] if each.kind == "text"] if tool else []
    meant = [name for name in texts if means_before(step.arguments.get(name))]
    return replace(step, carries=meant[0]) if meant else step
