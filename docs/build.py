"""Writes the pages that are made from code. `--check` writes nothing and fails when one is stale."""

import argparse
import ast
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import FunctionType, UnionType
from typing import Any, get_args

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "oneclaw"
SOURCES = (SOURCE, ROOT / "packages" / "oneclaw-smollm2" / "src" / "oneclaw_smollm2")
DECISIONS = ROOT / "docs" / "decisions"
MADE = "<!-- Made by docs/build.py from {source}; change that and run `make docs`. -->\n\n"
SETTINGS_PAGE = """\
# Settings

They stand in `oneclaw.toml` in your own configuration folder (`~/.config/oneclaw` on Linux), or in the file \
that `--config` or `ONECLAW_CONFIG` names. One that merely lies in the current folder is not read. \
`oneclaw config` says which file it is and what it sets, `oneclaw config explain NAME` what one setting \
takes. A `*` stands for a name of your own; a name with a dot is written in quotes.

A name that is no setting and a value of another type or beyond its bounds are errors: nothing that is set \
is ignored. A variable of the environment wins over the file. In Python, `Config(home, values={...})` \
takes the same names, dotted or as nested tables, and refuses the same; `config.settings` has all of them \
with their types, as `config.settings.permissions.mode`.

```toml
[workspace]
read = ["~/books"]

[agents.writer.tools]
deny = ["http_request"]

[permissions.needs]
"network.private" = "granted"

[limits.tools.http_request]
seconds = 10
```

"""
PUBLIC = ("events", "guards", "hooks", "permissions", "providers", "schema", "sources", "testing")
PYTHON = """\
# Python

These modules are public: what they list keeps its name and its meaning within a major version, and what is \
to go is announced one minor version before. While the version begins with 0, a minor version may change \
them; the changelog says how to adapt. All other modules are inner parts and may change at any time.

`import oneclaw` loads almost nothing; each name is loaded when it is first used.
"""
PROTECTED_PAGE = """\
# Protected files

Your own programs run or obey these files without asking you: a git hook, a task of an editor, a \
start-up file of your shell. So a file tool asks before it writes one (the need `files.protected`), and \
a command in the sandbox cannot change one that is there. One that a command makes is renamed to \
`NAME.set-aside`, and the result says so. [How it holds, and where it does \
not](../shell.md#protected-files).

What you open by name with `workspace.write`, as `workspace.write = ["~/project/.vscode"]`, is not \
protected.

## In a project

File tools know these names in every folder. For commands they count in the workspace, in the folders of \
`workspace.write`, and in the repositories inside of them that were there before the command.

{project}
In a folder of git (`.git`, a bare repository, a submodule in `.git/modules`, a worktree in \
`.git/worktrees`, and where a `.git` file leads): `hooks`, `config`, `config.worktree`, `commondir`, \
`gitdir`, and the folder that `core.hooksPath` names. File tools write nothing in a `.git`.

## In your home

They count where your home is the workspace, or lies in a folder that tools may write.

{home}"""
HELP_PAGE = """\
# Short guides

`oneclaw help TOPIC` prints these in the terminal.
"""
FILES_PAGE = """\
# Files

Every file of the package, with the first line of its docstring. [ARCHITECTURE.md](../../ARCHITECTURE.md) \
explains the packages.

"""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; a bar inside a cell is escaped."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"

    return "\n".join([line(head), "|" + "---|" * len(head), *map(line, rows)]) + "\n"


def code(value: object) -> str:
    return f"`{value}`" if value not in ("", None) else ""


# The list of files


def files() -> str:
    """Every file of the package with the first line of its docstring."""
    return MADE.format(source="the first line of each file") + FILES_PAGE + f"```\n{tree()}```\n"


def tree() -> str:
    """Every file of the packages with the first line of its docstring."""
    lines = {source: list(branches(source, "")) for source in SOURCES}
    width = max(len(name) for rows in lines.values() for name, _ in rows) + 2

    def body(rows: Sequence[tuple[str, str]]) -> str:
        return "".join(f"{name.ljust(width)}{text}".rstrip() + "\n" for name, text in rows)

    return "\n".join(f"{source.relative_to(ROOT)}/\n{body(rows)}" for source, rows in lines.items())


def branches(folder: Path, indent: str) -> Iterator[tuple[str, str]]:
    entries = sorted(filter(is_shown, folder.iterdir()), key=lambda entry: (entry.is_dir(), entry.name))
    for entry in entries:
        last = entry is entries[-1]
        yield (
            f"{indent}{'└' if last else '├'}── {entry.name}{'/' if entry.is_dir() else ''}",
            first_line(entry),
        )
        if entry.is_dir():
            yield from branches(entry, indent + ("    " if last else "│   "))


def is_shown(path: Path) -> bool:
    if path.is_dir():
        return any(is_shown(inner) for inner in path.iterdir())
    if path.name == "__init__.py":
        return path.parent in SOURCES
    return path.suffix == ".py"


def first_line(path: Path) -> str:
    """What a file says of itself; a folder speaks through its __init__.py."""
    if path.is_dir():
        path = path / "__init__.py"
        if not path.exists():
            return ""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    if not docstring:
        raise SystemExit(f"{path.relative_to(ROOT)} does not say what is in it: give it a docstring.")
    return docstring.partition("\n")[0]


# Reference pages


def tools() -> str:
    parts = [MADE.format(source="src/oneclaw/tools") + "# Built-in tools\n"]
    parts += map(describe_tool, shipped_definitions())
    return "\n".join(parts)


def shipped_definitions() -> list[Any]:
    """Every tool that comes with OneClaw; `ask_NAME` stands for the tools that agents become."""
    from dataclasses import replace

    from oneclaw.agent.agent import Agent
    from oneclaw.agent.delegate import delegate_tools
    from oneclaw.agent.session_tools import session_tools
    from oneclaw.js.code_mode import code_tools
    from oneclaw.js.loader import BUILTIN, load_folder
    from oneclaw.js.runtime import Runtime
    from oneclaw.tools.builtin import load_all

    def nothing() -> Any:
        raise RuntimeError("The tools are only described here.")

    asked = Agent(name="name", description="what the agent NAME says of itself.")
    (ask,) = delegate_tools([asked, Agent(name="asker", agents=("name",))], nothing)
    made = [
        *load_all(),
        *code_tools(Runtime(), nothing),
        *load_folder(BUILTIN, Runtime(), "").tools,
        *session_tools(nothing, nothing),
    ]
    definitions: list[Any] = [tool.definition for tool in made]
    # The name is a pattern, which no tool may have: it is put in the text.
    return [*definitions, replace(ask.definition, label="ask_NAME")]


def describe_tool(definition: Any) -> str:
    properties: Mapping[str, Mapping[str, Any]] = definition.parameters.get("properties", {})
    required = definition.parameters.get("required", ())
    rows = [
        [
            code(name),
            type_of(schema),
            "required" if name in required else code(default_of(schema)),
            str(schema.get("description", "")),
        ]
        for name, schema in properties.items()
    ]
    place = {"inline": "in the loop", "thread": "in a thread"}.get(definition.isolation, "in a process")
    facts = [
        f"Needs {', '.join(map(code, definition.needs)) or 'nothing'}.",
        f"Effect: {definition.effect}.",
        f"Limits: {definition.seconds:g} s, {definition.chars:,} characters of the result.",
        f"Runs {place}.",
        f"Group {code(definition.group)}." if definition.group else "",
        "" if definition.default_on else "Off until switched on.",
    ]
    parameters = table(["parameter", "type", "default", "meaning"], rows) if rows else "No parameters.\n"
    told = " ".join(filter(None, facts))
    name = "ask_NAME" if definition.label == "ask_NAME" else definition.name
    return f"## {name}\n\n{definition.description}\n\n{parameters}\n{told}\n"


def default_of(schema: Mapping[str, Any]) -> str:
    value = schema.get("default")
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def type_of(schema: Mapping[str, Any]) -> str:
    """A schema in a few words."""
    if "enum" in schema:
        return ", ".join(code(value) for value in schema["enum"] if value is not None)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or ".join(type_of(one) for one in schema[key] if one.get("type") != "null")
    kind = schema.get("type", "any")
    kinds = [one for one in kind if one != "null"] if isinstance(kind, list) else [kind]
    if kinds == ["array"] and schema.get("items"):
        return f"array of {type_of(schema['items'])}"
    return " or ".join(kinds)


def python() -> str:
    import oneclaw

    modules = {"oneclaw": oneclaw} | {f"oneclaw.{name}": import_module(f"oneclaw.{name}") for name in PUBLIC}
    parts = [MADE.format(source="the modules below src/oneclaw"), PYTHON]
    for title, module in modules.items():
        about = (module.__doc__ or "").partition("\n")[0].removesuffix(" Public.")
        names = sorted(name for name in module.__all__ if not name.startswith("_"))
        rows = [[code(name), about_name(getattr(module, name))] for name in names]
        parts.append(f"\n## `{title}`\n\n{about}\n\n" + table(["name", "what it is"], rows))
    return "".join(parts)


def about_name(value: object) -> str:
    """The first line of a class or function; of a union its members, of a table its keys."""
    if isinstance(value, UnionType):
        names = ("None" if each is type(None) else each.__name__ for each in get_args(value))
        return "One of " + ", ".join(map(code, names)) + "."
    if isinstance(value, dict):
        return f"A table: {', '.join(code(str(name)) for name in value)}."
    about = value.__doc__ if isinstance(value, type | FunctionType) else ""
    return (about or "").partition("\n")[0] or "A type for annotations."


def errors() -> str:
    from oneclaw.core.errors import MEANING, Kind

    return (
        MADE.format(source="src/oneclaw/core/errors.py")
        + "# Error kinds\n\nWhat a model reads in `error_type` when a call fails.\n\n"
        + table(["kind", "meaning"], [[code(kind.value), MEANING[kind]] for kind in Kind])
    )


def settings() -> str:
    from oneclaw.core.settings.schema import ENVIRONMENT, SETTINGS

    rows = [[code(one.key), one.type, one.bounds, one.default, one.meaning] for one in SETTINGS]
    return (
        MADE.format(source="src/oneclaw/core/settings/tree.py")
        + SETTINGS_PAGE
        + table(["setting", "type", "bounds", "default", "meaning"], rows)
        + "\n## Environment\n\n"
        + table(["variable", "meaning"], [[code(name), text] for name, text in ENVIRONMENT.items()])
    )


def commands() -> str:
    from oneclaw.cli.main import build_parser
    from oneclaw.cli.opened import EXIT_CODES

    parser = build_parser()
    kinds: dict[int, list[str]] = {2: ["wrong use or settings"]}
    for kind, number in EXIT_CODES.items():
        kinds.setdefault(number, []).append(code(kind.value) if kind else "done")
    return "\n".join(
        [
            MADE.format(source="src/oneclaw/cli") + f"# Commands\n\n{parser.description}\n",
            *describe_command(parser, "##"),
            "## Exit codes of a call\n",
            table(["code", "when"], [[str(number), ", ".join(kinds[number])] for number in sorted(kinds)]),
        ]
    )


def describe_command(parser: argparse.ArgumentParser, heading: str) -> Iterator[str]:
    """A command, its options, and then the commands below it."""
    inner = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    options = [action for action in parser._actions if action.help != argparse.SUPPRESS]
    rows = [describe_option(one) for one in options if one not in inner and one.dest != "help"]
    title = f"{heading} {parser.prog}\n"
    about = f"{parser.description}\n" if parser.description and heading != "##" else ""
    parts = [title, about, table(["option", "meaning"], rows) if rows else ""]
    yield "\n".join(part for part in parts if part)
    for action in inner:
        for one in dict.fromkeys(action.choices.values()):
            yield from describe_command(one, "###")


def describe_option(action: argparse.Action) -> list[str]:
    metavar = action.metavar if isinstance(action.metavar, str) else (action.dest or "").upper()
    value = "" if action.nargs == 0 else "|".join(map(str, action.choices)) if action.choices else metavar
    names = ", ".join(action.option_strings) or value
    shown = f"{names} {value}".strip() if action.option_strings else names
    return [code(shown), action.help or ""]


def protected() -> str:
    from oneclaw.guard.files.protected import IN_HOME, IN_PROJECT

    def rows(places: Mapping[str, Sequence[str]]) -> list[list[str]]:
        return [[who, ", ".join(map(code, paths))] for who, paths in places.items()]

    return MADE.format(source="src/oneclaw/guard/files/protected.py") + PROTECTED_PAGE.format(
        project=table(["programs", "files and folders"], rows(IN_PROJECT)),
        home=table(["programs", "files and folders"], rows(IN_HOME)),
    )


def help_topics() -> str:
    """Every topic of `oneclaw help`, its title one level lower."""
    from oneclaw.cli.topics import read_topic, topics

    parts = [MADE.format(source="src/oneclaw/cli/topics") + HELP_PAGE]
    parts += [f"## {name}: {read_topic(name).removeprefix('# ')}" for name in topics()]
    return "\n".join(parts)


def decisions() -> str:
    rows = []
    for path in sorted(DECISIONS.glob("[0-9]*.md")):
        heading = path.read_text(encoding="utf-8").partition("\n")[0]
        number, title = path.name[:4], heading.removeprefix("#").strip()
        title = title.removeprefix(number).lstrip(".:– ").strip()
        rows.append([f"[{number}]({path.name})", title])
    return (
        MADE.format(source="the records in this folder")
        + "# Decisions\n\nWhat was decided, why, and what was turned down; one screen each.\n\n"
        + table(["number", "decision"], rows)
    )


PAGES: dict[Path, Callable[[], str]] = {
    ROOT / "docs" / "reference" / "files.md": files,
    ROOT / "docs" / "reference" / "tools.md": tools,
    ROOT / "docs" / "reference" / "python.md": python,
    ROOT / "docs" / "reference" / "errors.md": errors,
    ROOT / "docs" / "reference" / "commands.md": commands,
    ROOT / "docs" / "reference" / "help.md": help_topics,
    ROOT / "docs" / "reference" / "settings.md": settings,
    ROOT / "docs" / "reference" / "protected-files.md": protected,
    DECISIONS / "README.md": decisions,
}


def stale() -> dict[Path, str]:
    """The pages that no longer say what the code says, with what they should say."""
    fresh = {path: make() for path, make in PAGES.items()}
    return {
        path: text
        for path, text in fresh.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    }


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say which pages are stale")
    only_check = parser.parse_args(words).check
    pages = stale()
    for path, text in pages.items():
        name = path.relative_to(ROOT)
        if only_check:
            print(f"{name} is stale: run `make docs`.")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"{name} written.")
    return 1 if only_check and pages else 0


if __name__ == "__main__":
    sys.exit(main())
