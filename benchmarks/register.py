"""How long it takes to register many tools, each with a schema of its own."""

import sys
import time
from statistics import median
from typing import Any

from table import draw

COUNT = 10_000


def definitions() -> list[Any]:
    from oneclaw import Tool, ToolDefinition

    def work(arguments: dict[str, Any], context: Any) -> str:
        return ""

    return [
        Tool(
            ToolDefinition(
                name=f"tool_{number}",
                description=f"Does thing {number}.",
                parameters={
                    "type": "object",
                    "properties": {
                        "path": {"type": "string", "description": f"Where thing {number} lies."},
                        "count": {"type": "integer", "minimum": 0, "maximum": number},
                        "tags": {"type": "array", "items": {"type": "string"}},
                    },
                    "required": ["path"],
                },
            ),
            work,
        )
        for number in range(COUNT)
    ]


def measure(rounds: int) -> str:
    from oneclaw.core.registry import Registry

    took: list[float] = []
    for _ in range(max(1, rounds // 3)):
        tools = definitions()
        start = time.perf_counter()
        Registry(tools)
        took.append(time.perf_counter() - start)
    rows = [[f"{COUNT:,} tools", f"{min(took):.2f}", f"{median(took):.2f}", f"{min(took) / COUNT * 1e6:.0f}"]]
    return draw("Registering", ["what", "min s", "median s", "µs each"], rows)


if __name__ == "__main__":
    sys.stdout.write(measure(3))
