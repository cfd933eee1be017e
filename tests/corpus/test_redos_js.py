"""Catastrophic patterns of others as regular expressions of a tool: they end by the limit, others go on."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.corpus.conftest import Judged, Rows, attack_texts
from tests.js.caller import Echo

from oneclaw.core.call import Output, ToolCall, ToolResult
from oneclaw.core.engine import Engine
from oneclaw.core.errors import Kind
from oneclaw.core.registry import Registry
from oneclaw.core.tool import Context, Tool, ToolDefinition
from oneclaw.js.runtime import JavaScriptSource, Runtime
from oneclaw.run.runner import CallRunner

SECONDS = 0.5
SOURCE = JavaScriptSource.of("match.js", "function match(p) { return new RegExp(p.pattern).test(p.text); }")


@pytest.fixture
async def engine() -> AsyncIterator[Engine]:
    runtime, runner = Runtime(size=3), CallRunner()

    async def execute(arguments: dict[str, Any], context: Context) -> Output:
        return Output((await runtime.call(SOURCE, "match", arguments, Echo(), context)).text)

    text = {"type": "string"}
    parameters = {"type": "object", "properties": {"pattern": text, "text": text}}
    definitions = [
        ToolDefinition(name=name, parameters=parameters, isolation="inline", seconds=seconds)
        for name, seconds in (("match", SECONDS), ("match_patiently", 60.0))
    ]
    yield Engine(Registry([Tool(each, execute) for each in definitions]), runner)
    await runtime.close()
    await runner.close()


@pytest.mark.slow
async def test_a_catastrophic_pattern_ends_by_its_limit_and_others_go_on(
    rows: Rows, engine: Engine, judged: Judged
) -> None:
    turns = asyncio.Semaphore(2)

    async def attack(row: dict[str, Any]) -> list[ToolResult]:
        async with turns:
            results: list[ToolResult] = []
            for text in attack_texts(row):
                arguments = json.dumps({"pattern": row["pattern"], "text": text})
                results.append(await engine.call(ToolCall("match", arguments)))
                patient = ToolCall("match_patiently", {"pattern": "^a+$", "text": "aaa"})
                results.append(await engine.call(patient))
            return results

    every = rows("redos")
    for row, results in zip(every, await asyncio.gather(*map(attack, every)), strict=True):
        with judged(row["id"]):
            for result, other in zip(results[::2], results[1::2], strict=True):
                check(result)
                assert other.value == "true"


def check(result: ToolResult) -> None:
    if result.ok:
        assert result.value in ("true", "false")
    elif result.kind is Kind.EXECUTION_ERROR:
        assert result.message.startswith(("SyntaxError", "InternalError")), result.message
    else:
        assert result.kind is Kind.TIMEOUT, result
        assert result.seconds < SECONDS + 5
