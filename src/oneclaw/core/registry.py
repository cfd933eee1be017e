"""Registry: tools by name and group, each validated once."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from oneclaw.core.check.arguments import ArgumentCheck
from oneclaw.core.errors import DuplicateTool, InvalidTool, NotFound
from oneclaw.core.permit.policy import GROUP, match, unused
from oneclaw.core.tool import Context, Execute, Tool, ToolDefinition

if TYPE_CHECKING:
    from oneclaw.core.check.output import OutputCheck


@runtime_checkable
class ToolLike(Protocol):
    """A class-based tool: any object with a definition and an `execute(arguments, context)`."""

    definition: ToolDefinition

    def execute(self, arguments: dict[str, Any], context: Context) -> Any: ...


@dataclass(frozen=True, slots=True, eq=False)
class RegisteredTool:
    """A registered tool and the checks its arguments and results go through."""

    tool: Tool
    arguments: ArgumentCheck
    output: "OutputCheck | None" = None


class Registry:
    """The tools there are, in the order they were registered."""

    def __init__(self, tools: Iterable[Tool | ToolLike | Callable[..., Any]] = ()) -> None:
        self._entries: dict[str, RegisteredTool] = {}
        self._aliases: dict[str, RegisteredTool] = {}
        self.version = 0  # another number whenever the tools are others
        for tool in tools:
            self.register(tool)

    def register(self, tool: Tool | ToolLike | Callable[..., Any], origin: str = "") -> Tool:
        """Add a tool: a `Tool`, a class-based one, or a plain function, which is made into one.

        `origin` is the plugin it comes from, by the name the settings give its rules under.
        """
        made = as_tool(tool, origin)
        self._check_free(made)
        self.add(make_entry(made))
        return made

    def add(self, entry: RegisteredTool) -> None:
        """Add a tool that was checked before. Raises `DuplicateTool`."""
        self._check_free(entry.tool)
        self._entries[entry.tool.name] = entry
        self._aliases |= dict.fromkeys(entry.tool.definition.aliases, entry)
        self.version += 1

    def become(self, other: "Registry") -> None:
        """Have the tools of another registry, in its order and in one step."""
        if list(self._entries.values()) != list(other._entries.values()):
            self._entries, self._aliases = dict(other._entries), dict(other._aliases)
            self.version += 1

    def _check_free(self, tool: Tool) -> None:
        for name in (tool.definition.name, *tool.definition.aliases):
            first = self.find(name)
            if first is not None:
                raise DuplicateTool(
                    f"Two tools are named {name!r}: one from {_origin(first.tool)}, one from {_origin(tool)}."
                    " Rename one of them or leave it out."
                )

    def remove(self, name: str) -> None:
        removed = self._entries.pop(name, None)
        for alias in removed.tool.definition.aliases if removed is not None else ():
            del self._aliases[alias]
        self.version += 1

    def find(self, name: str) -> RegisteredTool | None:
        """The tool of this name, or the one that has it as an alias."""
        return self._entries.get(name) or self._aliases.get(name)

    def __contains__(self, name: str) -> bool:
        return name in self._entries or name in self._aliases

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Tool]:
        return (entry.tool for entry in self._entries.values())

    def definitions(self) -> list[ToolDefinition]:
        return [entry.tool.definition for entry in self._entries.values()]

    def group(self, name: str) -> list[Tool]:
        return [tool for tool in self if tool.definition.group == name]

    def get(self, name: str) -> Tool:
        """The tool of this name or alias; raises `NotFound`, which names the nearest, or all there are."""
        entry = self.find(name)
        if entry is None:
            near = nearest(name, self._entries)
            raise NotFound("tool", name, "tools", near, "" if near else suggest(name, list(self._entries)))
        return entry.tool

    def select(self, *names: str) -> list[Tool]:
        """The tools of these names, globs and groups, as `select("read_*", "group:web")`, each once.

        They stand in the order of the registry. A name or group that matches none raises `NotFound`.
        """
        for name in unused(names, self.definitions()):
            if name.startswith(GROUP) or not name.isidentifier():
                raise NotFound("tool that matches", name, "tools")
            self.get(name)
        return [tool for tool in self if match(names, tool.definition) is not None]


def make_entry(tool: Tool) -> RegisteredTool:
    """A tool with the checks of its arguments and results; raises `InvalidTool` where they cannot be made."""
    definition = tool.definition
    if definition.output is None:
        return RegisteredTool(tool, ArgumentCheck(definition))
    from oneclaw.core.check.output import OutputCheck  # loads the validator, which takes a while

    return RegisteredTool(tool, ArgumentCheck(definition), OutputCheck(definition.name, definition.output))


def nearest(name: str, names: Iterable[str], most: int = 3) -> list[str]:
    """The names most like `name`, the best first, however it was spelled; else those that it is a part of."""
    wanted = name[:100].lower().replace("-", "_").replace(".", "_").replace(" ", "_")
    known = list(names)
    near = get_close_matches(wanted, known, n=most, cutoff=0.5)
    return near or ([each for each in known if wanted in each][:most] if len(wanted) > 2 else [])


def suggest(name: str, names: Sequence[str], chars: int = 700) -> str:
    """Which tools a name that no tool has may mean; all there are, within `chars`, if none is like it."""
    if not names:
        return "There are no tools."
    near = nearest(name, names)
    if near:
        return f"The nearest names are: {', '.join(near)}."
    shown = ", ".join(names)
    if len(shown) > chars:
        shown = shown[:chars].rpartition(", ")[0]
        shown += f" and {len(names) - shown.count(', ') - 1:,} more"
    return f"The tools are: {shown}."


def as_tool(thing: Tool | ToolLike | Callable[..., Any], origin: str = "") -> Tool:
    """The tool that something is; `origin` says where it comes from, where that is given."""
    made = _as_tool(thing)
    return replace(made, origin=origin) if origin and made.origin != origin else made


def _as_tool(thing: Tool | ToolLike | Callable[..., Any]) -> Tool:
    if isinstance(thing, Tool):
        if thing.function is not None:
            return thing
        definition = _placed(thing.definition, thing.execute)
        return replace(thing, definition=definition, execute=_two_parameters(thing.execute))
    if isinstance(thing, ToolLike) and not isinstance(thing, type):
        definition = _placed(thing.definition, thing.execute)
        return Tool(definition, _two_parameters(thing.execute), origin=type(thing).__module__)
    if callable(thing) and not isinstance(thing, type):
        from oneclaw.core.define.function import tool

        return tool(thing)
    raise InvalidTool(
        f"{thing!r} is not a tool: give a function, a Tool, or an object with `definition` and `execute`."
    )


def _placed(definition: ToolDefinition, execute: Callable[..., Any]) -> ToolDefinition:
    """The definition with its isolation said: what does not await would hold up the loop past its limit."""
    if definition.isolation is not None:
        return definition
    is_async = inspect.iscoroutinefunction(execute) or inspect.iscoroutinefunction(type(execute).__call__)
    return replace(definition, isolation="inline" if is_async else "thread")


def _two_parameters(execute: Callable[..., Any]) -> Execute:
    """Let a tool leave the context out when it has no use for it."""
    try:
        count = len(inspect.signature(execute).parameters)
    except (TypeError, ValueError):
        return execute
    return execute if count != 1 else _WithoutContext(execute)


@dataclass(frozen=True, slots=True)
class _WithoutContext:
    """A class and not a closure, so that it can be sent to a worker process."""

    execute: Callable[[dict[str, Any]], Any]

    def __call__(self, arguments: dict[str, Any], context: Context) -> Any:
        return self.execute(arguments)


def _origin(tool: Tool) -> str:
    work = tool.function or tool.execute
    code = getattr(work, "__code__", None)
    if code is None:
        place = f"{getattr(work, '__module__', '?')}.{getattr(work, '__qualname__', type(work).__name__)}"
    else:
        place = f"{code.co_filename}:{code.co_firstlineno}"
    return f"{tool.origin} ({place})" if tool.origin not in ("", place) else place
