"""langgraph: its ready-made agent (`ready`), and the same graph made by hand (`graph`), which is quicker."""

import asyncio
import sys
import warnings
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from lap import Run, add, arguments, race
from pydantic import PrivateAttr

warnings.simplefilter("ignore")
from langgraph.prebuilt import ToolNode, create_react_agent, tools_condition  # noqa: E402

NAMES = {"ready": "create_react_agent", "graph": "StateGraph by hand"}


class Played(BaseChatModel):
    _script: Iterator[AIMessage] = PrivateAttr()

    @property
    def _llm_type(self) -> str:
        return "played"

    def play(self, script: list[AIMessage]) -> None:
        self._script = iter(script)

    def bind_tools(self, tools: Any, **more: Any) -> Any:
        return self

    def _generate(self, messages: Any, *args: Any, **more: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=next(self._script))])

    async def _agenerate(self, messages: Any, *args: Any, **more: Any) -> ChatResult:
        return self._generate(messages)


def write(rounds: int, calls: int) -> list[AIMessage]:
    """What the model answers."""
    answers = [
        [
            ToolCall(name="counted", args=arguments(number, each), id=f"c{number}-{each}")
            for each in range(calls)
        ]
        for number in range(rounds)
    ]
    return [*(AIMessage("", tool_calls=each) for each in answers), AIMessage("done")]


def put_together(model: Played, tools: list[Any]) -> Any:
    async def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", tools_condition)
    graph.add_edge("tools", "ask")
    return graph.compile()


async def main(entry: str) -> None:
    made = 0

    @tool
    async def counted(a: int, b: int) -> int:
        """Add two numbers."""
        nonlocal made
        made += 1
        return add(a, b)

    model = Played()
    agent = (create_react_agent if entry == "ready" else put_together)(model, [counted])

    def prepare(rounds: int, calls: int) -> Run:
        nonlocal made
        made = 0
        model.play(write(rounds, calls))

        async def run() -> int:
            await agent.ainvoke({"messages": [("user", "go")]}, {"recursion_limit": 2 * rounds + 10})
            return made

        return run

    await race(f"langgraph, {NAMES[entry]}", version("langgraph"), prepare)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
