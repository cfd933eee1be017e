"""Contract checks for tools."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.define.lint import lint
from oneclaw.core.engine import Engine
from oneclaw.core.errors import InvalidTool, Kind
from oneclaw.core.permit.need import State
from oneclaw.core.permit.permission import Permissions
from oneclaw.core.registry import Registry, ToolLike, as_tool
from oneclaw.core.result import FAILED
from oneclaw.core.session import Session
from oneclaw.core.tool import Tool
from oneclaw.run.runner import CallRunner
from oneclaw.testing.contract import Checklist, Report

Arguments = Mapping[str, Any]
_LIMIT_SECONDS = 0.5
_LATE_SECONDS = 3.0
_ODD: tuple[Any, ...] = (None, {"odd": ["value"]})


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
    one argument left out or odd: that may succeed or be refused, but not raise.
    """
    checklist = Checklist(f"The tool {getattr(thing, 'name', None) or getattr(thing, '__name__', thing)!s}")
    try:
        tool = as_tool(thing)
        Registry([tool])
    except InvalidTool as error:
        checklist.expect("definition", False, str(error))
        return checklist.close()
    definition = tool.definition
    checklist.expect(
        "description", definition.description.strip(), "It has no description; a model needs one."
    )
    findings = [str(each) for each in lint(definition.parameters, definition.name)] if portable else []
    checklist.expect("schema", not findings, " ".join(findings))
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
        self.runner = CallRunner()
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


def _variants(example: Arguments) -> Iterator[Arguments]:
    """The example with one argument left out, or with a value that it may not take."""
    for name in example:
        fewer = {other: value for other, value in example.items() if other != name}
        yield fewer
        yield from ({**fewer, name: odd} for odd in _ODD)


async def _check_examples(
    tool: Tool, calls: _Calls, examples: Sequence[Arguments], checklist: Checklist
) -> None:
    checklist.expect("examples", examples, "There is no example; give the arguments of a call that works.")
    for example in examples:
        result = await calls.call(example)
        if checklist.expect("examples", result.ok, f"{_shown(example)} give {_outcome(result)}."):
            checklist.expect(
                "result", result.text or result.images, f"{_shown(example)} give an empty result."
            )
        if tool.definition.effect == "read":
            for variant in _variants(example):
                _expect_no_exception(await calls.call(variant), variant, checklist)


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
        "no exceptions", not raised, f"{_shown(arguments)} raise {said!r}; raise ToolError with one sentence."
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


def _shown(arguments: Arguments | str) -> str:
    text = arguments if isinstance(arguments, str) else json.dumps(dict(arguments), default=str)
    return f"The arguments {text[:200]}"
