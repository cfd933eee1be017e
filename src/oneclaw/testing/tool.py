"""Contract checks of a tool: its schema, its results, its errors, and that its time limit stops it."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.engine import Engine
from oneclaw.core.errors import InvalidTool, Kind
from oneclaw.core.make.portable import lint
from oneclaw.core.permit.need import State
from oneclaw.core.permit.permission import Permissions
from oneclaw.core.registry import Registry, ToolLike, as_tool
from oneclaw.core.result import FAILED
from oneclaw.core.session import Session
from oneclaw.core.subschema import is_object
from oneclaw.core.tool import Tool
from oneclaw.providers.definitions import definitions_for
from oneclaw.run.runner import Runner
from oneclaw.testing.contract import Checklist, Report
from oneclaw.testing.fixture import WIRES

Arguments = Mapping[str, Any]
_LIMIT_SECONDS = 0.5
_LATE_SECONDS = 3.0
_BROKEN: tuple[Any, ...] = ("{", "[1, 2]", '"text"')
_WRONG: dict[str, Any] = {
    "string": {"not": "text"},
    "integer": "no number",
    "number": "no number",
    "boolean": "no boolean",
    "array": {"not": "a list"},
    "object": "no object",
}
"""A value that is no value of the type, and that no repair makes one."""


async def check_tool(
    thing: Tool | ToolLike | Callable[..., Any],
    examples: Sequence[Arguments],
    *,
    bad: Sequence[Arguments] = (),
    slow: Arguments | None = None,
    portable: bool = True,
    session: Session | None = None,
    secrets: Mapping[str, str] | None = None,
) -> Report:
    """Check a tool with calls that must work; raises `ContractBroken`.

    examples  arguments of calls that succeed; they are run
    bad       arguments that must be refused as `validation_error`; they are run too
    slow      arguments of a call that takes longer than half a second: it must be stopped
    portable  whether the schema must be one that every provider takes as it is; OneClaw converts others
    session   the session of the calls, as for a workspace
    secrets   the secrets the tool is given

    All needs of the tool are granted. For a tool that says `effect="read"`, each example is also tried with
    one argument left out: that may succeed or be refused, but not raise.
    """
    checklist = Checklist(f"The tool {getattr(thing, 'name', None) or getattr(thing, '__name__', thing)!s}")
    try:
        tool = as_tool(thing)
        Registry([tool])
    except InvalidTool as error:
        checklist.expect("definition", False, str(error))
        return checklist.close()
    _check_definition(tool, portable, checklist)
    await _check_refusals(tool, examples, checklist)
    calls = _Calls(tool, session, secrets or {})
    try:
        await _check_examples(tool, calls, examples, checklist)
        await _check_bad(calls, bad, checklist)
        if slow is not None:
            await _check_slow(tool, calls, slow, checklist)
    finally:
        await calls.close()
    return checklist.close()


class _Calls:
    """Calls of one tool through the engine, with all its needs granted."""

    def __init__(self, tool: Tool, session: Session | None, secrets: Mapping[str, str]) -> None:
        self.runner = Runner()
        self._name = tool.name
        self._session = session
        self._secrets = secrets
        self._engine = self._make(tool)

    def _make(self, tool: Tool) -> Engine:
        return Engine(
            Registry([tool]),
            self.runner,
            permissions=Permissions(states=dict.fromkeys(tool.definition.needs, State.GRANTED)),
            session=self._session,
            secrets=lambda names: {name: self._secrets[name] for name in names if name in self._secrets},
        )

    async def call(self, arguments: Arguments | str) -> ToolResult:
        return await self._engine.call(ToolCall(self._name, arguments))

    async def call_limited(self, tool: Tool, arguments: Arguments, seconds: float) -> ToolResult:
        """A call of the tool with another time limit."""
        limited = replace(tool, definition=replace(tool.definition, seconds=seconds))
        return await self._make(limited).call(ToolCall(self._name, arguments))

    async def close(self) -> None:
        await self.runner.close()


def _check_definition(tool: Tool, portable: bool, checklist: Checklist) -> None:
    definition = tool.definition
    checklist.expect(
        "description", definition.description.strip(), "It has no description; a model needs one."
    )
    findings = [str(each) for each in lint(definition.parameters, definition.name)] if portable else []
    checklist.expect("schema", not findings, " ".join(findings))
    for wire in WIRES:
        sent = definitions_for((definition,), wire).tools
        checklist.expect("dialects", _is_json(sent), f"{wire} cannot be sent it: it is not JSON.")


async def _check_refusals(tool: Tool, examples: Sequence[Arguments], checklist: Checklist) -> None:
    """Arguments that do not fit the schema never reach the tool: it is replaced, so nothing is run."""
    reached: list[Any] = []

    async def record(arguments: dict[str, Any], context: object) -> str:
        reached.append(arguments)
        return "reached"

    definition = replace(tool.definition, isolation="inline", output=None)
    calls = _Calls(Tool(definition, record), None, dict.fromkeys(definition.secrets, "-"))
    try:
        for arguments in _unfitting(tool, examples):
            result = await calls.call(arguments)
            checklist.expect(
                "bad arguments",
                result.kind is Kind.VALIDATION_ERROR,
                f"{_shown(arguments)} reach the tool; say the types and `required` in its schema.",
            )
    finally:
        await calls.close()


def _unfitting(tool: Tool, examples: Sequence[Arguments]) -> Iterator[Arguments | str]:
    yield from _BROKEN
    parameters = tool.definition.parameters
    properties = parameters.get("properties")
    for example in examples:
        for name in example:
            schema: Any = properties.get(name) if is_object(properties) else None
            kind: Any = schema.get("type") if is_object(schema) else None
            if isinstance(kind, str) and kind in _WRONG:
                yield {**example, name: _WRONG[kind]}
            if name in parameters.get("required", ()):
                yield {other: value for other, value in example.items() if other != name}


async def _check_examples(
    tool: Tool, calls: _Calls, examples: Sequence[Arguments], checklist: Checklist
) -> None:
    checklist.expect("examples", examples, "There is no example; give the arguments of a call that works.")
    for example in examples:
        result = await calls.call(example)
        if checklist.expect("examples", result.ok, f"{_shown(example)} give {_outcome(result)}."):
            checklist.expect(
                "result",
                _is_json(result.value),
                f"{_shown(example)} give {result.value!r}, which is not JSON.",
            )
            checklist.expect(
                "result", result.text or result.images, f"{_shown(example)} give an empty result."
            )
        if tool.definition.effect == "read":
            for name in example:
                fewer = {other: value for other, value in example.items() if other != name}
                _expect_no_exception(await calls.call(fewer), fewer, checklist)


async def _check_bad(calls: _Calls, bad: Sequence[Arguments], checklist: Checklist) -> None:
    for arguments in bad:
        result = await calls.call(arguments)
        _expect_no_exception(result, arguments, checklist)
        checklist.expect(
            "bad arguments",
            result.kind is Kind.VALIDATION_ERROR,
            f"{_shown(arguments)} give {_outcome(result)}, not validation_error.",
        )


def _expect_no_exception(result: ToolResult, arguments: Arguments, checklist: Checklist) -> None:
    raised = result.kind is Kind.EXECUTION_ERROR and result.message.startswith(FAILED)
    said = result.message.removeprefix(FAILED)
    checklist.expect(
        "no exceptions",
        not raised,
        f"{_shown(arguments)} raise {said!r}; raise ToolError with one sentence.",
    )


async def _check_slow(tool: Tool, calls: _Calls, slow: Arguments, checklist: Checklist) -> None:
    began = time.monotonic()
    result = await calls.call_limited(tool, slow, _LIMIT_SECONDS)
    took = time.monotonic() - began
    checklist.expect(
        "time limit",
        result.kind is Kind.TIMEOUT and took < _LIMIT_SECONDS + _LATE_SECONDS,
        f"{_shown(slow)} give {_outcome(result)} after {took:.1f} seconds; the limit is {_LIMIT_SECONDS:g}.",
    )
    checklist.expect(
        "stopped in time",
        calls.runner.stuck_threads == 0,
        "Its thread runs on after the time limit; make it `async`, or say isolation='process'.",
    )


def _outcome(result: ToolResult) -> str:
    return f"{result.kind or 'a result'} ({result.text[:200]!r})"


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _shown(arguments: Arguments | str) -> str:
    text = arguments if isinstance(arguments, str) else json.dumps(dict(arguments), default=str)
    return f"The arguments {text[:200]}"
