"""Whether the functions that manifests name are there: sources are loaded in a worker, nothing is called."""

from collections.abc import Iterable

from oneclaw.core.errors import ToolError
from oneclaw.core.load import Problem
from oneclaw.js.runtime import Runtime
from oneclaw.js.work import Work


async def check_functions(works: Iterable[Work], runtime: Runtime) -> list[Problem]:
    """What is wrong with the sources of these tools, and with the functions that the tools name."""
    sharing: dict[int, list[Work]] = {}
    for work in works:
        sharing.setdefault(id(work.source), []).append(work)
    problems: list[Problem] = []
    for group in sharing.values():
        source = group[0].source
        try:
            reasons = await runtime.check(source, [work.function for work in group])
        except ToolError as error:
            place = group[0].place.removesuffix(".json") + ".js"
            problems.append(Problem(place, f"it cannot be loaded: {error.message}"))
            continue
        problems += [
            Problem(work.place, f"{work.definition.name}: {reason}", work.index)
            for work in group
            if (reason := reasons.get(work.function, ""))
        ]
    return problems
