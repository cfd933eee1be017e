"""`oneclaw skills`: lists, shows, adds, checks, removes and trusts skills."""

import argparse
import os
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from oneclaw.cli.conversation import print_markdown
from oneclaw.cli.lines import count_text
from oneclaw.cli.open_here import open_here
from oneclaw.cli.opened import read_config
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import STATE, is_terminal, print_json, print_line, print_table
from oneclaw.cli.tool_files import open_named
from oneclaw.core.text.display import visible
from oneclaw.operations import skills
from oneclaw.operations.skills import SkillList, SkillState, TrustedSkills

if TYPE_CHECKING:
    from oneclaw.app import App

LABEL_CHARS = 13
WHAT_CHARS = 120
NEEDS_NAME = {"show": "NAME", "add": "FOLDER", "remove": "NAME"}


async def run(arguments: argparse.Namespace) -> int:
    if arguments.action in NEEDS_NAME and not arguments.name:
        wanted = NEEDS_NAME[arguments.action]
        raise WrongUse(f"say which: oneclaw skills {arguments.action} {wanted}")
    if arguments.action == "add":
        return add(arguments)
    if arguments.action in ("trust", "untrust"):
        return await trust(arguments)
    here, _ = await open_here(arguments)
    async with here.looking() as app:
        await app.sources.wait()
        if arguments.action == "list":
            return show_list(skills.list_skills(app), arguments.json)
        if arguments.action == "show":
            return show(app, arguments.name, arguments.json)
        if arguments.action == "check":
            return check(app, arguments.name or "", arguments.json)
        return remove(app, arguments.name, arguments.json)


def show_list(found: SkillList, is_json: bool = False) -> int:
    if is_json:
        return print_json(asdict(found))
    if found.skills:
        print_table(
            ("", "SKILL", "FROM", "WHAT"),
            [
                ("!" if one.warnings else "✓", one.name, _from(one, found.project), _short(one.description))
                for one in found.skills
            ],
            (STATE, "bold", "dim"),
        )
    elif not found.untrusted:
        print_line(
            "No skills. Put a folder with a SKILL.md into ~/.agents/skills, or type:"
            " oneclaw skills add FOLDER",
            stream=sys.stderr,
        )
    for problem in found.problems:
        mark = "!" if problem.is_warning else "✗"
        print_line(f"{mark} {visible(str(problem))}", "yellow", sys.stderr, 2)
    if any(one.warnings for one in found.skills) and is_terminal(sys.stdout):
        print_line("! has warnings: oneclaw skills check", "dim")
    tell_untrusted(found)
    return 0


def tell_untrusted(found: SkillList, command: str = "") -> None:
    """One line where skills of the project are not loaded, with the command that loads them."""
    if found.untrusted:
        count = count_text(len(found.untrusted), "skill")
        are, them = ("is", "it") if len(found.untrusted) == 1 else ("are", "them")
        place = os.path.dirname(os.path.dirname(found.untrusted[0]))
        command = command or f"oneclaw skills trust {shlex.quote(found.project)}"
        print_line(
            f"{count} of this project {are} not loaded because its folder is not trusted. Look at {them} in"
            f" {visible(place)}, then type: {visible(command)}",
            "yellow",
            sys.stderr,
        )


def show(app: "App", name: str, is_json: bool) -> int:
    content = skills.show_skill(app, name)
    state = content.skill
    if is_json:
        return print_json(asdict(content))
    print_line(visible(state.name), "bold")
    facts = (
        ("description", state.description),
        ("from", f"{state.scope}: {state.folder}"),
        ("loaded by", f"a person only: /{state.name} in a chat" if state.by_person_only else ""),
        ("files", ", ".join(content.files)),
        *(("warning", each) for each in state.warnings),
    )
    for label, text in facts:
        if text:
            print_line(f"  {label:<{LABEL_CHARS}}{visible(text)}", indent=LABEL_CHARS)
    print()
    print_markdown(content.body)
    return 0


def add(arguments: argparse.Namespace) -> int:
    added = skills.add_skills(read_config(arguments), Path(arguments.name), is_replacing=arguments.replace)
    if arguments.json:
        return print_json([asdict(one) for one in added])
    for one in added:
        print_line(f"{visible(one.name)} is added: {visible(one.folder)}")
    print_line(f"Look at it with: oneclaw skills show {added[0].name}", "dim")
    return 0


def remove(app: "App", name: str, is_json: bool) -> int:
    folder = skills.remove_skill(app, name)
    if is_json:
        print_json({"name": name, "folder": folder})
    else:
        print_line(f"{visible(name)} is removed: {visible(folder)}")
    return 0


def check(app: "App", named: str, is_json: bool) -> int:
    """Hold skills to the standard; 1 where one breaks it."""
    found = skills.check_skills(app, named)
    is_wrong = any(one.problems for one in found)
    if is_json:
        print_json([asdict(one) for one in found])
        return int(is_wrong)
    if not found:
        print_line("No skills to check.", stream=sys.stderr)
        return 0
    rows = [
        ("✓" if not one.problems else "!" if one.is_loaded else "✗", one.name, each)
        for one in found
        for each in (one.problems or ("It keeps to the standard.",))
    ]
    print_table(("", "SKILL", "WHAT"), rows, (STATE, "bold"))
    if is_wrong:
        print_line("! is loaded all the same, ✗ is left out.", "dim", sys.stderr)
    return int(is_wrong)


async def trust(arguments: argparse.Namespace) -> int:
    folder = Path(arguments.name) if arguments.name else None
    async with await open_named(arguments) as app:
        made = await skills.trust_skills(app, folder, arguments.action == "trust")
    if arguments.json:
        return print_json(asdict(made))
    show_trust(made)
    return 0


def show_trust(made: TrustedSkills) -> None:
    """Say whether a folder is trusted, and which skills are loaded from it."""
    shown = visible(made.folder)
    if not made.trusted:
        said = "is no longer trusted." if made.changed else "was not trusted."
        print_line(f"{shown} {said}")
        return
    print_line(f"{shown} is {'' if made.changed else 'already '}trusted: its skills and tools are loaded.")
    if made.skills:
        print_line(f"Skills: {visible(', '.join(made.skills))}")


def _from(skill: SkillState, project: str) -> str:
    """Where a skill is from: `added`, or the folder of skills it lies in, from the project or the home on."""
    if skill.scope == "own":
        return "added"
    place = os.path.dirname(skill.folder)
    if skill.scope == "project":
        return os.path.relpath(place, project)
    home = os.path.realpath(os.path.expanduser("~"))
    return f"~{place[len(home) :]}" if place.startswith(f"{home}/") else place


def _short(text: str) -> str:
    """The first sentence of a description, on a terminal; all of it in a pipe."""
    if not is_terminal(sys.stdout):
        return text
    sentence = text.split(". ")[0]
    return f"{sentence[:WHAT_CHARS].rstrip()}…" if len(sentence) > WHAT_CHARS else sentence
