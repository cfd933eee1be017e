"""langgraph: its ready-made agent with a chat model of our own."""

import asyncio
import warnings
from importlib.metadata import version
from typing import Any

from lap import add, arguments, race
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

warnings.simplefilter("ignore")
from langgraph.prebuilt import create_react_agent  # noqa: E402


class Played(BaseChatModel):
    rounds: int = 0
    calls: int = 0
    asked: int = 0

    @property
    def _llm_type(self) -> str:
        return "played"

    def bind_tools(self, tools: Any, **more: Any) -> Any:
        return self

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **more: Any) -> ChatResult:
        number, self.asked = self.asked, self.asked + 1
        if number >= self.rounds:
            message = AIMessage("done")
        else:
            calls = [
                ToolCall(name="counted", args=arguments(number, each), id=f"c{number}-{each}")
                for each in range(self.calls)
            ]
            message = AIMessage("", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(self, messages: Any, *args: Any, **more: Any) -> ChatResult:
        return self._generate(messages)


async def main() -> None:
    made = 0

    @tool
    async def counted(a: int, b: int) -> int:
        """Add two numbers."""
        nonlocal made
        made += 1
        return add(a, b)

    model = Played()
    agent = create_react_agent(model, [counted])

    async def run(rounds: int, calls: int) -> int:
        nonlocal made
        made, model.asked, model.rounds, model.calls = 0, 0, rounds, calls
        await agent.ainvoke({"messages": [("user", "go")]}, {"recursion_limit": 2 * rounds + 10})
        return made

    await race("langgraph", version("langgraph"), run)


if __name__ == "__main__":
    asyncio.run(main())
