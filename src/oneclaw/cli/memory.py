"""`oneclaw memory`: lists, searches, removes, exports and imports memories."""

import argparse
import json
import os
import stat
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from oneclaw.cli.opened import open_app, read_config, read_json
from oneclaw.cli.parser import WrongUse
from oneclaw.cli.terminal import list_time, print_json, print_line, print_table, printable, time_text
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.text.display import visible
from oneclaw.operations import memory
from oneclaw.operations.memory import Memory, MemoryDetails, read_digest
from oneclaw.operations.reading import reading

WANTED = {"show": "KEY", "search": "WORDS", "forget": "KEY", "import": "FILE"}


async def run(arguments: argparse.Namespace) -> int:
    action, text, agent = arguments.action, " ".join(arguments.words), arguments.agent
    if action in WANTED and not text:
        raise WrongUse(f"say which: oneclaw memory {action} {WANTED[action]}")
    if action == "import":
        return await import_memories(arguments, Path(text))
    if action in ("on", "off"):
        return await switch_memory(arguments)
    with reading(read_config(arguments)) as store:
        if action == "export":
            return write_document(await memory.export_memories(store), text)
        if action in ("show", "forget"):
            found = await memory.find_memory(store, text, agent=agent)
            return (
                show_memory(found, arguments.json)
                if action == "show"
                else await forget_memory(arguments, text)
            )
        if store is None:
            return show_nothing(action, arguments.json)
        if action == "search":
            fits = await memory.search_memories(store, text, agent=agent, limit=arguments.limit)
            return list_memories(fits, arguments.json)
        if action == "list":
            known = await memory.list_memories(store, agent=agent, limit=arguments.limit + 1)
            return list_first(known, arguments.limit, arguments.json)
    return await print_digest(arguments)


def list_first(known: list[Memory], limit: int, is_json: bool) -> int:
    if not known:
        return show_nothing("list", is_json)
    list_memories(known[:limit], is_json)
    if len(known) > limit:
        print(f"The last {limit} are shown; --limit N shows more.", file=sys.stderr)
    return 0


def list_memories(found: list[Memory], is_json: bool) -> int:
    if is_json:
        return print_json([asdict(memory) for memory in found])
    if not found:
        print("Nothing is remembered that fits.", file=sys.stderr)
        return 0
    return print_table(
        ("KEY", "CATEGORY", "AGENT", "HITS", "CHANGED", "VALUE"),
        [
            (
                memory.key,
                memory.category,
                memory.agent,
                str(memory.hits),
                list_time(memory.updated),
                " ".join(memory.value.split()),
            )
            for memory in found
        ],
        ("bold", "", "", "", "dim"),
        wrapped=0,
    )


def show_nothing(action: str, is_json: bool) -> int:
    if is_json:
        return print_json("" if action == "digest" else [])
    print("Nothing is remembered yet. Agents note things with the tool memory_store.", file=sys.stderr)
    return 0


def show_memory(details: MemoryDetails, is_json: bool) -> int:
    memory, versions = details.memory, details.versions
    if is_json:
        return print_json({**asdict(memory), "versions": [asdict(version) for version in versions]})
    print_line(visible(memory.key), "bold")
    print_line(printable(memory.value))
    whose = f"of the agent {visible(memory.agent)}" if memory.agent else "shared by all agents"
    told = f"changed {time_text(memory.updated)}, noted {time_text(memory.created)}"
    category = f"{visible(memory.category)} · " if memory.category else ""
    print_line(f"\n{category}{whose} · hits: {memory.hits} · {told}", "dim")
    for version in reversed(versions):
        print_line(
            f"version {version.version}, {time_text(version.created)}: {visible(version.value)}", "dim"
        )
    return 0


async def print_digest(arguments: argparse.Namespace) -> int:
    agent = arguments.agent or "default"
    async with open_app(arguments).looking() as app:
        digest = await read_digest(app, agent)
    if arguments.json:
        print_json(digest.text)
    elif digest.text:
        print(printable(digest.text.strip()))
    elif digest.why_none:
        print(f"Nothing is told to agent {agent}: {digest.why_none}", file=sys.stderr)
    else:
        return show_nothing("digest", False)
    return 0


def write_document(document: dict[str, Any], file: str) -> int:
    """Print an export, or write it to a file."""
    if file in ("", "-"):
        return print_json(document)
    try:
        # What is remembered is for its owner alone, as the store is.
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):  # one that was there may have been open to others
            os.fchmod(descriptor, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
            json.dump(document, opened, ensure_ascii=False, indent=2)
    except OSError as error:
        raise InvalidConfig(f"{file} cannot be written ({error.strerror}).") from None
    count = len(document["memories"])
    print(f"{count} {'memory is' if count == 1 else 'memories are'} in {file}.")
    return 0


async def import_memories(arguments: argparse.Namespace, path: Path) -> int:
    document = read_json(path)
    async with open_app(arguments) as app:
        made = await memory.import_memories(app, document)
    if arguments.json:
        return print_json(asdict(made))
    taken, kept = made.taken, made.memories - made.taken
    here = f"; {kept} {'was' if kept == 1 else 'were'} here already." if kept else "."
    print(f"{taken} {'memory was' if taken == 1 else 'memories were'} taken in{here}")
    return 0


async def forget_memory(arguments: argparse.Namespace, key: str) -> int:
    async with open_app(arguments) as app:
        await memory.forget_memory(app, key, agent=arguments.agent)
    if arguments.json:
        return print_json({"forgotten": key})
    print(f"{visible(key)} is forgotten.")
    return 0


async def switch_memory(arguments: argparse.Namespace) -> int:
    from oneclaw.cli.features import show_switched
    from oneclaw.operations.features import switch_feature  # loads the registry: only to switch

    is_on = arguments.action == "on"
    async with open_app(arguments) as app:
        state = await switch_feature(app, "memory", is_on, arguments.agent or "default")
    if arguments.json:
        return show_switched(state, arguments.action, is_json=True)
    if is_on:
        print("Agents remember: the memory tools are there, and conversations begin with a digest.")
    else:
        print("Agents remember nothing now; what they know is kept until it is switched on again.")
    return 0
