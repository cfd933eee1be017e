"""Lists, finds, exports, imports and removes sessions."""

import json
import shutil
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, cast

from oneclaw.agent.session import session_folder, undo_folder
from oneclaw.core.errors import InvalidConfig, NotFound
from oneclaw.core.message import Message, Usage, UserMessage
from oneclaw.core.run_event import RunStarted
from oneclaw.guard.files.kept import forget_session
from oneclaw.operations.replay import RUN as HISTORY
from oneclaw.operations.replay import replay
from oneclaw.store.messages import StoredMessage
from oneclaw.store.sessions import SessionRecord, SessionTotals
from oneclaw.store.store import Store

if TYPE_CHECKING:
    from oneclaw.app import App

OURS = "oneclaw"
# Where other agents keep the list in what they save.
MEMBERS = ("messages", "contents", "input", "items", "history")


@dataclass(frozen=True, slots=True)
class SessionContent:
    """A session with all its messages; `cost` is in US dollars where known, `answers` counts those of models.

    `summary` is what older messages were summarised to for the model, if they were.
    """

    session: SessionRecord
    messages: tuple[StoredMessage, ...]
    summary: str | None
    usage: Usage
    cost: float | None
    answers: int


@dataclass(frozen=True, slots=True)
class ImportedSession:
    """The session that an import made; `messages` counts them."""

    id: str
    agent: str
    messages: int


async def list_sessions(
    store: Store | None, *, agent: str | None = None, limit: int = 30
) -> list[SessionTotals]:
    """The conversations used last, newest first."""
    return [] if store is None else await store.sessions.totals(agent=agent, limit=limit)


async def find_session(store: Store | None, name: str) -> SessionRecord:
    """The session of an id, of the beginning of one, or the `last`; raises `NotFound`."""
    record = None if store is None else await store.sessions.find(name)
    if record is None:
        raise NotFound("session", name, "sessions")
    return record


async def read_session(store: Store, record: SessionRecord) -> SessionContent:
    summary = await store.messages.summary(record.id)
    return SessionContent(
        record,
        tuple(await store.messages.load(record.id)),
        None if summary is None else summary[0],
        *await store.messages.usage(record.id),
    )


async def export_session(store: Store, record: SessionRecord) -> dict[str, Any]:
    """A session with all that was said in it, as JSON that `import_session` reads."""
    from oneclaw.core.message_json import to_json

    content = await read_session(store, record)
    return {
        "format": OURS,
        **asdict(record),
        "usage": asdict(content.usage),
        "cost": content.cost,
        "summary": content.summary,
        "messages": [
            {"created": each.created, "cost": each.cost, **json.loads(to_json(each.message))}
            for each in content.messages
        ],
    }


async def remove_session(app: "App", name: str) -> SessionRecord:
    """Forget a session, the long results of its calls and what undoes them; raises `NotFound`."""
    record = await find_session(app.store, name)
    await app.store.sessions.remove(record.id)
    forget_session(undo_folder(app.config), record.id)
    shutil.rmtree(session_folder(app.config, record.id), ignore_errors=True)
    return record


async def rename_session(app: "App", name: str, title: str) -> SessionRecord:
    """Give a session another title; raises `NotFound`."""
    record = await find_session(app.store, name)
    await app.store.sessions.touch(record.id, title)
    return await find_session(app.store, record.id)


async def fork_session(app: "App", name: str, run: str = "", number: int = 0) -> ImportedSession:
    """Make a session that begins with what was said in another one; raises `NotFound`.

    run     only what was said before this run of the session, as to say something else in its place
    number  of the event `run_started`, where `run` stands for messages that no run wrote
    """
    record = await find_session(app.store, name)
    document = await export_session(app.store, record)
    if run:
        left = await _said_before(app.store, record, run, number)
        document["messages"] = document["messages"][:left]
    return await import_session(
        app, {**document, "title": f"{record.title} (copy)"}, agent=record.agent, is_empty_taken=bool(run)
    )


async def _said_before(store: Store, record: SessionRecord, run: str, number: int) -> int:
    """How many messages of a session stand before a run, or before an event of its older messages."""
    messages = await store.messages.load(record.id)
    if run == HISTORY:
        marks = [at for at, each in enumerate(messages) if isinstance(each.message, UserMessage)]
        starts = [each.number for each in replay(record, messages) if isinstance(each.event, RunStarted)]
        if number not in starts:
            raise NotFound("message of the session", f"{record.id} {number}", "sessions")
        return marks[starts.index(number)]
    begun = await store.messages.first_of_run(record.id, run)
    if begun is None:
        raise NotFound("run of the session", run, "runs")
    return sum(each.number < begun for each in messages)


async def search_sessions(app: "App", query: str, *, limit: int = 50) -> list[tuple[SessionTotals, str]]:
    """The sessions with these words in the title or in what was said, and where: the newest titles first."""
    wanted = query.casefold()
    listed = {each.session.id: each for each in await list_sessions(app.store, limit=1_000)}
    found = {key: "" for key, each in listed.items() if wanted in each.session.title.casefold()}
    past = await app.store.history.search(
        query, tuple({each.session.agent for each in listed.values()}), limit=limit
    )
    for each in past:
        if each.session in listed and each.session not in found:
            found[each.session] = excerpt(each.text, query)
    return [(listed[key], text) for key, text in list(found.items())[:limit]]


def excerpt(text: str, query: str, chars: int = 160) -> str:
    """The part of a text around the first word of a query that it has."""
    folded = text.casefold()
    at = min((place for word in query.casefold().split() if (place := folded.find(word)) >= 0), default=0)
    begin = max(0, at - chars // 3)
    cut = " ".join(text[begin : begin + chars].split())
    return f"{'…' if begin else ''}{cut}{'…' if begin + chars < len(text) else ''}"


async def import_session(
    app: "App",
    document: Any,
    *,
    format: str | None = None,
    agent: str = "",
    source: str = "The document",
    is_empty_taken: bool = False,
) -> ImportedSession:
    """Make a session of our export or of another agent's history; raises `InvalidConfig`.

    format  what the history is written in; guessed where it is None
    agent   the agent to go on with, in place of the one of the export
    source  where the document is from, as errors name it
    is_empty_taken  whether a session without messages is made as well
    """
    owner, title, messages = _read_document(document, format)
    if not messages and not is_empty_taken:
        raise InvalidConfig(f"{source} holds no messages; nothing was imported.")
    session = app.new_session(app.agents.get(agent or owner).name)
    for message, cost in messages:
        await app.store.messages.append(session, message, cost=cost)
    if not messages:
        made = await app.store.sessions.create(session.agent, session.workspace.folder, title)
        return ImportedSession(made.id, session.agent, 0)
    if title:
        await app.store.sessions.touch(session.id, title)
    return ImportedSession(session.id, session.agent, len(messages))


def _read_document(document: Any, format: str | None) -> tuple[str, str, list[tuple[Message, float | None]]]:
    """Agent, title, and messages with their cost."""
    from oneclaw.agent.foreign import read_history
    from oneclaw.core.subschema import is_object

    if is_object(document) and document.get("format") == OURS:
        return _read_export(document)
    if is_object(document):
        named = next((name for name in MEMBERS if isinstance(document.get(name), list)), None)
        document = document if named is None else document[named]
    return "default", "", [(message, None) for message in read_history(document, format)]


def _read_export(document: Any) -> tuple[str, str, list[tuple[Message, float | None]]]:
    from oneclaw.agent.repair import repair_conversation
    from oneclaw.core.message_json import from_json
    from oneclaw.core.subschema import is_object

    messages: list[Message] = []
    costs: dict[int, float] = {}
    given = document.get("messages")
    for number, each in enumerate(cast("list[Any]", given) if isinstance(given, list) else [], 1):
        try:
            if not is_object(each):
                raise ValueError("it is no object")
            messages.append(from_json(json.dumps(each)))
        except ValueError as error:
            raise InvalidConfig(f"Message {number} of the export cannot be read: {error}.") from None
        if isinstance(cost := each.get("cost"), int | float):
            costs[id(messages[-1])] = cost
    # A call without a result was cut off where it was exported: here nobody knows what it changed.
    found = [(message, costs.get(id(message))) for message in repair_conversation(messages).messages]
    return str(document.get("agent", "default")), str(document.get("title", "")), found
