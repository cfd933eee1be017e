"""agno: a function call made from the model's text and executed."""

import asyncio
import json
from importlib.metadata import version

from agno.tools.function import Function
from agno.utils.functions import get_function_call
from round import Road, add, race

function = Function.from_callable(add)
function.process_entrypoint()
functions = {"add": function}


async def one(text: str) -> str:
    call = get_function_call("add", text, "c1", functions)
    if call is None:
        raise SystemExit("agno did not find the tool.")
    return json.dumps((await call.aexecute()).result)


if __name__ == "__main__":
    asyncio.run(race(Road("agno", "FunctionCall.aexecute", version("agno"), True, False, False), one))
