"""openai-agents: `Runner.run` with a model of our own, tracing off."""

import asyncio
import json
from importlib.metadata import version
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, function_tool, set_tracing_disabled
from lap import Run, add, arguments, race
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText


class Played(Model):
    script = iter(list[ModelResponse]())

    async def get_response(self, *args: Any, **more: Any) -> ModelResponse:
        return next(self.script)

    def stream_response(self, *args: Any, **more: Any) -> Any:
        raise NotImplementedError


def write(rounds: int, calls: int) -> list[ModelResponse]:
    """What the model answers."""
    answers: list[list[Any]] = [
        [
            ResponseFunctionToolCall(
                arguments=json.dumps(arguments(number, each)),
                call_id=f"c{number}-{each}",
                name="counted",
                type="function_call",
            )
            for each in range(calls)
        ]
        for number in range(rounds)
    ]
    text = ResponseOutputText(text="done", type="output_text", annotations=[])
    done = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
    return [ModelResponse(output=output, usage=Usage(), response_id=None) for output in (*answers, [done])]


async def main() -> None:
    set_tracing_disabled(True)
    made = 0

    async def counted(a: int, b: int) -> int:
        nonlocal made
        made += 1
        return add(a, b)

    counted.__doc__ = add.__doc__
    model = Played()
    agent = Agent(name="a", model=model, tools=[function_tool(counted)])
    untraced = RunConfig(tracing_disabled=True)

    def prepare(rounds: int, calls: int) -> Run:
        nonlocal made
        made, model.script = 0, iter(write(rounds, calls))

        async def run() -> int:
            await Runner.run(agent, "go", max_turns=rounds + 2, run_config=untraced)
            return made

        return run

    await race("openai-agents", version("openai-agents"), prepare)


if __name__ == "__main__":
    asyncio.run(main())
