"""The floor: nothing but json.loads, await and json.dumps."""

import asyncio
import json
import platform

from round import Road, add, race


async def one(text: str) -> str:
    return json.dumps({"status": "success", "result": await add(**json.loads(text))})


if __name__ == "__main__":
    road = Road(
        "bare Python", "json.loads, await, json.dumps", platform.python_version(), False, False, False
    )
    asyncio.run(race(road, one))
