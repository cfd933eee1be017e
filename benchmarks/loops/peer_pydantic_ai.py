"""pydantic-ai: `Agent.run` with a function as its model."""

import asyncio
from importlib.metadata import version

from lap import add, arguments, race
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage, UsageLimits

# An answer that says what it took spares the function model counting the words of the whole history.
USAGE = RequestUsage(input_tokens=1, output_tokens=1)


async def main() -> None:
    made = asked = asks = width = 0

    async def counted(a: int, b: int) -> int:
        nonlocal made
        made += 1
        return add(a, b)

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nonlocal asked
        number, asked = asked, asked + 1
        if number >= asks:
            return ModelResponse([TextPart("done")], usage=USAGE)
        calls = [
            ToolCallPart("counted", arguments(number, each), f"c{number}-{each}") for each in range(width)
        ]
        return ModelResponse(calls, usage=USAGE)

    counted.__doc__ = add.__doc__
    agent = Agent(FunctionModel(answer), tools=[counted])
    unlimited = UsageLimits(request_limit=None)

    async def run(rounds: int, calls: int) -> int:
        nonlocal made, asked, asks, width
        made, asked, asks, width = 0, 0, rounds, calls
        await agent.run("go", usage_limits=unlimited)
        return made

    await race("pydantic-ai", version("pydantic-ai-slim"), run)


if __name__ == "__main__":
    asyncio.run(main())
