"""pydantic-ai: `Agent.run` with a function as its model."""

import asyncio
from importlib.metadata import version

from lap import add, arguments, race
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import UsageLimits


async def main() -> None:
    made = 0

    def counted(a: int, b: int) -> int:
        nonlocal made
        made += 1
        return add(a, b)

    counted.__doc__ = add.__doc__

    async def run(rounds: int, calls: int) -> int:
        nonlocal made
        made, asked = 0, 0

        async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            nonlocal asked
            number, asked = asked, asked + 1
            if number >= rounds:
                return ModelResponse([TextPart("done")])
            return ModelResponse(
                [ToolCallPart("counted", arguments(number, each), f"c{number}-{each}") for each in range(calls)]
            )

        agent = Agent(FunctionModel(answer), tools=[counted])
        await agent.run("go", usage_limits=UsageLimits(request_limit=None))
        return made

    await race("pydantic-ai", version("pydantic-ai-slim"), run)


if __name__ == "__main__":
    asyncio.run(main())
