"""pydantic-ai: `Agent.run` with a function as its model."""

import asyncio
from importlib.metadata import version

from lap import Run, add, arguments, race
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage, UsageLimits

# An answer that says what it took spares the function model counting the words of the whole history.
USAGE = RequestUsage(input_tokens=1, output_tokens=1)


def write(rounds: int, calls: int) -> list[ModelResponse]:
    """What the model answers."""
    answers = [
        [ToolCallPart("counted", arguments(number, each), f"c{number}-{each}") for each in range(calls)]
        for number in range(rounds)
    ]
    return [ModelResponse(parts, usage=USAGE) for parts in (*answers, [TextPart("done")])]


async def main() -> None:
    made, script = 0, iter(list[ModelResponse]())

    async def counted(a: int, b: int) -> int:
        nonlocal made
        made += 1
        return add(a, b)

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return next(script)

    counted.__doc__ = add.__doc__
    agent = Agent(FunctionModel(answer), tools=[counted])
    unlimited = UsageLimits(request_limit=None)

    def prepare(rounds: int, calls: int) -> Run:
        nonlocal made, script
        made, script = 0, iter(write(rounds, calls))

        async def run() -> int:
            await agent.run("go", usage_limits=unlimited)
            return made

        return run

    await race("pydantic-ai", version("pydantic-ai-slim"), prepare)


if __name__ == "__main__":
    asyncio.run(main())
