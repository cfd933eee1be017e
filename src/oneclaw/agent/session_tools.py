"""`sessions` and `message`: tools that list, read and write the sessions an agent may reach.

An agent reaches the sessions of its own name and of the agents it may ask; one that was asked by another
reaches only what all those before it reach as well.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from oneclaw.core.call import Output
from oneclaw.core.define.function import tool
from oneclaw.core.errors import InvalidConfig, Kind, ToolError
from oneclaw.core.history import PastMessage, SearchHistory
from oneclaw.core.message import AssistantMessage, Message, ResultsMessage, UserMessage
from oneclaw.core.session import Session
from oneclaw.core.tool import Context, Tool

if TYPE_CHECKING:
    from oneclaw.agent.roster import Roster
    from oneclaw.agent.runs import Runs
    from oneclaw.store.sessions import SessionRecord
    from oneclaw.store.store import Store

_RESULT_CHARS = 500


def session_tools(runs: "Callable[[], Runs]", store: "Callable[[], Store]") -> list[Tool]:
    """The two tools; `runs` and `store` are asked for when one is called."""

    @tool(needs=["sessions.read"], effect="read", group="agents", default_on=False, label="See conversations")
    async def sessions(
        context: Context, action: Literal["list", "read"] = "list", session: str = "", limit: int = 20
    ) -> Output:
        """List the sessions you may see, newest first, or read one.

        action: `list` gives id, agent and title of each; `read` gives what was said in one.
        session: The id of the session to read.
        limit: The most sessions, or messages from the end, to give.
        """
        reach = reach_of(runs().roster, context.session)
        if action == "list":
            found = [
                record
                for agent in sorted(reach)
                for record in await store().sessions.list(agent=agent, limit=limit)
            ]
            rows = sorted(found, key=lambda record: record.updated, reverse=True)
            return Output([_row(record) for record in rows[: max(limit, 0)]])
        record = await _find(store(), session, reach)
        messages = [stored.message for stored in await store().messages.load(record.id)]
        return Output("\n".join(_line(message) for message in messages[-max(limit, 1) :]) or "(It is empty.)")

    @tool(
        needs=["sessions.write"],
        effect="write",
        group="agents",
        default_on=False,
        label="Write to a conversation",
    )
    async def message(context: Context, session: str, text: str) -> str:
        """Write a message into another session you may see; its agent reads it in its next round.

        session: The id of the session.
        text: What to say.
        """
        record = await _find(store(), session, reach_of(runs().roster, context.session))
        if record.id in (each.id for each in context.session.line):
            raise ToolError("That is the session you are in; just say it.", Kind.VALIDATION_ERROR)
        said = f"(From the agent {context.agent}, session {context.session.id})\n{text}"
        await runs().tell(Session(record.id, record.agent, context.workspace), UserMessage(said))
        return f"The message was written into the session {record.id} of the agent {record.agent}."

    return [sessions, message]


def past_messages(roster: "Roster", store: "Callable[[], Store]") -> SearchHistory:
    """A search in the conversations that a session's agent may read, except the one that is going on."""

    async def search(session: Session, query: str, limit: int) -> Sequence[PastMessage]:
        going = [each.id for each in session.line]
        return await store().history.search(query, reach_of(roster, session), limit=limit, without=going)

    return search


def reach_of(roster: "Roster", session: Session) -> set[str]:
    """The agents whose sessions may be reached from here."""
    reached = [_reach_of_agent(roster, each.agent) for each in session.line]
    return set[str].intersection(*reached)


def _reach_of_agent(roster: "Roster", agent: str) -> set[str]:
    try:
        return {agent, *roster.get(agent).agents}
    except InvalidConfig:
        return {agent}


async def _find(store: "Store", session: str, reach: set[str]) -> "SessionRecord":
    record = await store.sessions.get(session)
    if record is None or record.agent not in reach:
        # One sentence for both: whether somebody else's session is there is nobody's business.
        raise ToolError(
            f"There is no session {session[:100]!r} that you may see; list them with the tool sessions.",
            Kind.PERMISSION_DENIED,
        )
    return record


def _row(record: "SessionRecord") -> dict[str, object]:
    return {"id": record.id, "agent": record.agent, "title": record.title, "updated": int(record.updated)}


def _line(message: Message) -> str:
    match message:
        case UserMessage():
            return f"user: {message.text}"
        case AssistantMessage():
            calls = [f"(calls {call.name})" for call in message.calls]
            return f"assistant: {' '.join([message.text, *calls]).strip()}"
        case ResultsMessage():
            return "\n".join(
                f"{result.tool}: {result.status}: {result.text[:_RESULT_CHARS]}" for result in message.results
            )
