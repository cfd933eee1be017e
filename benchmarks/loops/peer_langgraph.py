"""langgraph: its ready-made agent (`ready`), and the same graph made by hand (`graph`), which is quicker."""

import asyncio
import sys
import warnings
from importlib.metadata import version
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from lap import add, arguments, race

warnings.simplefilter("ignore")
from langgraph.prebuilt import ToolNode, create_react_agent, tools_condition  # noqa: E402

NAMES = {"ready": "create_react_agent", "graph": "StateGraph by hand"}


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

    async def run(rounds: int, calls: int) -> int:
        nonlocal made
        made, model.asked, model.rounds, model.calls = 0, 0, rounds, calls
        await agent.ainvoke({"messages": [("user", "go")]}, {"recursion_limit": 2 * rounds + 10})
        return made

    await race(f"langgraph, {NAMES[entry]}", version("langgraph"), run)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
