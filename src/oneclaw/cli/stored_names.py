"""Names that Tab offers from the store: sessions, runs, calls, agents, memories, questions and grants."""

import argparse
from typing import TYPE_CHECKING, TypeVar

from oneclaw.cli.completion import fitting

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from oneclaw.operations.reading import Store

StoredNames = TypeVar("StoredNames")

_MOST_OFFERED = 50


def agent_names(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The agents Tab offers: those of the files and of the store."""
    from oneclaw.cli.opened import open_app

    roster = open_app(parsed_args).agents
    roster.saved = _read(parsed_args, lambda store: store.agents.all()) or {}
    return fitting(prefix, roster.all())


def grant_ids(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The remembered answers that can be revoked."""
    if parsed_args.action != "revoke":
        return []
    grants = _read(parsed_args, lambda store: store.grants.all()) or ()
    return fitting(prefix, (grant.id for grant in grants))


def memory_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> "Iterable[str]":
    """Completes arguments of `oneclaw memory` actions: keys or files."""
    if parsed_args.action in ("export", "import"):
        from argcomplete.completers import FilesCompleter

        return FilesCompleter((".json",))(prefix)
    if parsed_args.action not in ("show", "forget"):
        return []
    found = _read(parsed_args, lambda store: store.memories.of(parsed_args.agent).all()) or ()
    return [memory.key for memory in found if memory.key.startswith(prefix)][:_MOST_OFFERED]


def agents_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> "Iterable[str]":
    """Completes arguments of `oneclaw agents` actions: agents or files."""
    if parsed_args.action == "add":
        from argcomplete.completers import FilesCompleter

        return FilesCompleter((".toml", ".md"))(prefix)
    return agent_names(prefix, parsed_args)


def sessions_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> "Iterable[str]":
    """Completes arguments of `oneclaw sessions` actions: sessions or files."""
    if parsed_args.action == "import":
        from argcomplete.completers import FilesCompleter

        return FilesCompleter((".json", ".jsonl"))(prefix)
    return session_ids(prefix, parsed_args)


def session_ids(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The sessions Tab offers: the last ones, and `last`."""
    found = _read(parsed_args, lambda store: store.sessions.totals(limit=50))
    ids = [] if found is None else ["last", *(each.session.id for each in found)]
    return fitting(prefix, ids)


def run_ids(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The runs Tab offers: the last ones."""
    found = _read(parsed_args, lambda store: store.runs.list(limit=_MOST_OFFERED)) or []
    return fitting(prefix, (each.id for each in found))


def interrupted_run_ids(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The runs Tab offers: those that were interrupted."""
    found = _read(parsed_args, lambda store: store.runs.list(state="interrupted")) or []
    return fitting(prefix, (each.id for each in found))


def undo_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The calls and runs Tab offers: the last ones."""
    runs = _read(parsed_args, lambda store: store.runs.list()) or []
    calls = _read(parsed_args, lambda store: store.calls.history(limit=20)) or []
    changing = [str(call.key) for call in calls if call.effect != "read"]
    return fitting(prefix, (*changing, *(run.id.rpartition("-")[2][:8] for run in runs)))


def question_ids(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """The questions Tab offers: those that wait for an answer."""
    found = _read(parsed_args, lambda store: store.questions.list()) or []
    return [each.question.id for each in found if each.question.id.startswith(prefix)]


def answer_words(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """Completes the answers of a question."""
    record = _read(parsed_args, lambda store: store.questions.find(parsed_args.name))
    if record is None or parsed_args.words:
        return []
    fields = (record.question.schema or {}).get("properties", {})
    yes = ("yes",) if record.question.kind == "permission" else ()
    offered = (*yes, *record.question.answers, *(f"{name}=" for name in fields))
    return [each for each in offered if each.startswith(prefix)]


def _read(
    parsed_args: argparse.Namespace, read: "Callable[[Store], Awaitable[StoredNames]]"
) -> "StoredNames | None":
    """Names found in the store; None without a store."""
    import asyncio

    from oneclaw.cli.opened import read_config
    from oneclaw.operations.reading import reading

    async def look() -> "StoredNames | None":
        with reading(read_config(parsed_args)) as store:
            return None if store is None else await read(store)

    return asyncio.run(look())
