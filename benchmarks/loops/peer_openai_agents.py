"""openai-agents: `Runner.run` with a model of our own, tracing off."""

import asyncio
import json
from importlib.metadata import version
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, function_tool, set_tracing_disabled
from lap import add, arguments, race
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText


class Played(Model):
    rounds = calls = asked = 0

    async def get_response(self, *args: Any, **more: Any) -> ModelResponse:
        number, self.asked = self.asked, self.asked + 1
        if number >= self.rounds:
            text = ResponseOutputText(text="done", type="output_text", annotations=[])
            output: list[Any] = [
                ResponseOutputMessage(
                    id="m", content=[text], role="assistant", status="completed", type="message"
                )
            ]
        else:
            output = [
                ResponseFunctionToolCall(
                    arguments=json.dumps(arguments(number, each)),
                    call_id=f"c{number}-{each}",
                    name="counted",
                    type="function_call",
                )
                for each in range(self.calls)
            ]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **more: Any) -> Any:
        raise NotImplementedError


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

    async def run(rounds: int, calls: int) -> int:
        nonlocal made
        made, model.asked, model.rounds, model.calls = 0, 0, rounds, calls
        await Runner.run(agent, "go", max_turns=rounds + 2, run_config=untraced)
        return made

    await race("openai-agents", version("openai-agents"), run)


if __name__ == "__main__":
    asyncio.run(main())
