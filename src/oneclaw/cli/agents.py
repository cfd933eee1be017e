"""`oneclaw agents`: lists agents and their tools, saves and removes stored agents."""

import argparse
import sys
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oneclaw.agent.document import write_agent
from oneclaw.agent.small import SmallModel
from oneclaw.cli.opened import open_app
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import STATE, print_json, print_line, print_table, printable
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.text.display import visible
from oneclaw.operations import agents
from oneclaw.operations.agents import agent_state
from oneclaw.operations.skills import ProjectNotes, project_notes

if TYPE_CHECKING:
    from oneclaw.app import App

LABEL_CHARS = 12


async def run(arguments: argparse.Namespace) -> int:

    if arguments.action != "list" and not arguments.name:
        wanted = "FILE.toml" if arguments.action == "add" else "NAME"
        raise WrongUse(f"say which: oneclaw agents {arguments.action} {wanted}")
    if arguments.action == "add":
        return await add_agent(arguments, Path(arguments.name))
    if arguments.action == "remove":
        return await remove_agent(arguments, arguments.name)
    async with open_app(arguments).looking() as app:
        if arguments.action == "list":
            return list_agents(app, arguments.json)
        return show_agent(app, arguments.name, arguments.json)


def list_agents(app: "App", is_json: bool) -> int:
    found = agents.list_agents(app)
    if is_json:
        return print_json([asdict(one) for one in found])
    return print_table(
        ("", "AGENT", "MODEL", "TOOLS", "FROM", "WHAT"),
        [
            (
                "✗" if one.problem else "✓",
                one.name,
                one.model or "(no model)",
                "" if one.problem else str(len(one.tools)),
                one.source,
                one.problem or one.description,
            )
            for one in found
        ],
        (STATE, "bold", "", "", "dim"),
    )


def show_agent(app: "App", name: str, is_json: bool) -> int:
    agent, state = app.agents.get(name), agent_state(app, name)
    if is_json:
        return print_json(asdict(state) | {"document": write_agent(agent), "limits": asdict(agent.limits)})
    limits = asdict(agent.limits).items()
    facts = (
        ("description", agent.description),
        ("model", state.model or "none: give --model, or set models.default"),
        ("small", SmallModel(app.catalog, app.agents, name).note),
        ("fallbacks", ", ".join(agent.fallbacks)),
        ("tools", ", ".join(state.tools) or "none"),
        ("skills", ", ".join(state.skills)),
        ("notes", ", ".join(_notes_text(each) for each in project_notes(app))),
        ("agents", ", ".join(agent.agents)),
        ("output", "" if agent.answer_type is None else agent.answer_type.sent.name),
        ("limits", ", ".join(f"{key} {'none' if value is None else f'{value:,}'}" for key, value in limits)),
        ("options", ", ".join(f"{key} = {value!r}" for key, value in agent.options.items())),
        ("from", state.place or state.source),
    )
    print_line(visible(name), "bold")
    for label, text in facts:
        if text:
            print_line(f"  {label:<{LABEL_CHARS}}{visible(text)}", indent=LABEL_CHARS)
    if agent.instructions:
        print()
        for line in printable(agent.instructions).splitlines():
            print_line(f"  {line}")
    return 0


def _notes_text(notes: ProjectNotes) -> str:
    return f"{notes.file} ({notes.problem or f'{notes.told:,} characters'})"


def read_document(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidConfig(
            f"{path} cannot be read ({error.strerror}); name a file as writer.toml."
        ) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidConfig(f"{path} is not TOML ({error}); mend it.") from None


async def add_agent(arguments: argparse.Namespace, path: Path) -> int:
    document = read_document(path)
    async with open_app(arguments) as app:
        kept = await agents.add_agent(app, document, path.stem, str(path))
    agent = kept.agent
    if arguments.json:
        return print_json(asdict(agent))
    print(f"{agent.name} is {'kept' if kept.is_new else 'kept in place of the one before'}.")
    if agent.source != "store":
        print(f"{agent.place or 'Code'} has an agent of that name too, and wins.", file=sys.stderr)
    return 0


async def remove_agent(arguments: argparse.Namespace, name: str) -> int:
    async with open_app(arguments) as app:
        await agents.remove_agent(app, name)
    print(f"{visible(name)} is forgotten.")
    return 0
