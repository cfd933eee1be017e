"""Checks in a worker that the functions named in manifests exist."""

from collections.abc import Iterable

from oneclaw.core.errors import ToolError
from oneclaw.core.load import LoadProblem
from oneclaw.js.runtime import Runtime
from oneclaw.js.work import JavaScriptWork


async def check_functions(works: Iterable[JavaScriptWork], runtime: Runtime) -> list[LoadProblem]:
    """Problems of the tools' sources and of the functions they name."""
    sharing: dict[int, list[JavaScriptWork]] = {}
    for work in works:
        sharing.setdefault(id(work.source), []).append(work)
    problems: list[LoadProblem] = []
    for group in sharing.values():
        source = group[0].source
        try:
            reasons = await runtime.check(source, [work.function for work in group])
        except ToolError as error:
            place = group[0].place.removesuffix(".json") + ".js"
            problems.append(LoadProblem(place, f"it cannot be loaded: {error.message}"))
            continue
        problems += [
            LoadProblem(work.place, f"{work.definition.name}: {reason}", work.index)
            for work in group
            if (reason := reasons.get(work.function, ""))
        ]
    return problems
