"""Validates tool files and runs their examples."""

from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oneclaw.core.call import ToolCall
from oneclaw.core.errors import InvalidConfig, ToolError
from oneclaw.core.load import Loaded, LoadProblem
from oneclaw.js.loader import MANIFEST, SOURCE, load_folder, load_pair
from oneclaw.js.runtime import Runtime
from oneclaw.js.work import JavaScriptWork
from oneclaw.operations.tool_files import ToolFiles, brought_tools, file_of
from oneclaw.operations.tools import find_tool, place_of

if TYPE_CHECKING:
    from oneclaw.app import App
    from oneclaw.core.tool import Tool


@dataclass(frozen=True, slots=True)
class TriedExample:
    """An example of a manifest that was run: `why` says in which way its result is not the promised one."""

    tool: str
    example: int
    ok: bool
    why: str
    result: str
    seconds: float
    log: str


async def check_files(app: "App", path: Path | None = None) -> ToolFiles:
    """Problems of the tool files at a path, or of all. Raises `InvalidConfig`."""
    runtime = Runtime(size=1)
    try:
        loaded = Loaded(brought_tools(app), list(app.problems)) if path is None else _load(path, runtime)
        works = [tool.execute for tool in loaded.tools if isinstance(tool.execute, JavaScriptWork)]
        found = [*loaded.problems, *await _check_functions(works, runtime)]
    finally:
        await runtime.close()
    problems = sorted(found, key=lambda problem: (problem.place, problem.index or 0))
    bad = {(problem.place, problem.index) for problem in problems if not problem.is_warning}
    sources = {one.place.removesuffix(SOURCE) for one in problems if one.place.endswith(SOURCE)}

    def is_right(tool: "Tool") -> bool:
        place, index = place_of(tool), getattr(tool.execute, "index", None)
        return (place, index) not in bad and place.removesuffix(MANIFEST) not in sources

    return ToolFiles(tuple(file_of(tool, is_right(tool)) for tool in loaded.tools), tuple(problems))


async def _check_functions(works: Iterable[JavaScriptWork], runtime: Runtime) -> list[LoadProblem]:
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


def _load(path: Path, runtime: Runtime) -> Loaded:
    if path.is_dir():
        return load_folder(path, runtime, "checked")
    if path.suffix not in (MANIFEST, SOURCE):
        raise InvalidConfig(f"{path} is no folder and no .json or .js file; name one of these.")
    if not path.exists():
        raise InvalidConfig(f"{path} is not there.")
    return load_pair(path.parent, path.stem, runtime, "checked")


async def try_examples(
    app: "App", name: str | None = None, agent: str = "default"
) -> AsyncGenerator[TriedExample]:
    """Run the examples of a tool, of a group, or of all tools from outside; raises `NotFound`."""
    for tool in _named(app, name):
        session = app.new_session(agent)
        examples = tool.execute.examples if isinstance(tool.execute, JavaScriptWork) else ()
        for number, example in enumerate(examples):
            result = await app.engine.call(ToolCall(tool.name, example.arguments), session)
            why = example.judge(result)
            log = str((result.details or {}).get("log") or "") if why else ""
            yield TriedExample(tool.name, number, not why, why, result.text, result.seconds, log)


def _named(app: "App", name: str | None) -> "list[Tool]":
    if not name:
        return brought_tools(app)
    group = [tool for tool in app.registry.group(name) if tool in app.sources.outside]
    return group if group and name not in app.registry else [find_tool(app, name)]
