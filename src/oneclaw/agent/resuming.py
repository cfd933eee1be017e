"""Resumes an interrupted run with the budget that was left, or says why it cannot."""

from collections.abc import Callable, Sequence

from oneclaw.agent.agent import Agent
from oneclaw.agent.conversation import Conversation
from oneclaw.agent.expected import expect
from oneclaw.agent.repeat import Repeats
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.message import AssistantMessage, Message, ResultsMessage, UserMessage
from oneclaw.store.runs import RunRecord


def go_on_with(conversation: Conversation, agent: Agent, run: str = "") -> UserMessage | None:
    """The message that continues a conversation; None where the model answers next anyway.

    A structured answer that does not fit is asked for again: the program ended before it could be.
    """
    last = conversation.window.messages[-1] if conversation.window.messages else None
    if not isinstance(last, AssistantMessage) and last is not None:
        return None
    expected = expect(agent)
    if last is not None and expected is not None and (again := expected.judge(last, is_last=False)):
        return UserMessage(again, origin="guard")
    if last is not None and last.finish in ("stopped", "cut", "length"):
        return UserMessage("Go on where you stopped.", origin="guard")
    session = conversation.session.id
    if run and last is not None:
        raise InvalidConfig(
            f"The run {run} has its answer already: `oneclaw sessions show {session}` shows it."
        )
    raise InvalidConfig(
        f"There is nothing to go on with in session {session}: say something,"
        f' as in `oneclaw run --session {session} "…"`.'
    )


def why_not(run_id: str, record: RunRecord | None) -> str:
    """Why a run cannot go on, in one sentence."""
    if record is None:
        return f"The run {run_id} was removed meanwhile."
    if record.state == "running":
        return f"The run {run_id} is running, in process {record.process.partition('-')[0]}; wait for it."
    return f"The run {run_id} is over ({record.state}); only one that was interrupted or stopped can go on."


def count_again(repeats: Repeats, messages: Sequence[Message], polls: Callable[[str], bool]) -> None:
    """Have the guard against repetition know the rounds since the user last said something."""
    begun = next(
        (
            at
            for at in range(len(messages) - 1, -1, -1)
            if isinstance(each := messages[at], UserMessage) and each.origin == "user"
        ),
        0,
    )
    for answer, results in zip(messages[begun:], messages[begun + 1 :], strict=False):
        if not (isinstance(answer, AssistantMessage) and isinstance(results, ResultsMessage)):
            continue
        if len(answer.calls) == len(results.results):
            repeats.count(answer.calls, results.results, polls)
