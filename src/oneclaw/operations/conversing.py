"""Sends messages to sessions, steers their runs and answers questions, for doors without a terminal."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oneclaw.core.errors import NotFound
from oneclaw.operations.questions import answer_question, find_question

if TYPE_CHECKING:
    from oneclaw.app import App

WHO = "the page"


@dataclass(frozen=True, slots=True)
class SentMessage:
    """The run that reads a message; `queued` is the id of one that waits for the next round."""

    session: str
    run: str
    queued: str = ""


async def send_message(
    app: "App", text: str, *, session: str = "", agent: str = "", model: str = ""
) -> SentMessage:
    """Say something in a session, or in a new one. A run that is going reads it at its next round."""
    if not session:
        handle = await app.runs.start(agent or "default", text, model=model, origin="api")
        return SentMessage(handle.session.id, handle.id)
    going = app.runs.running_in(session)
    if going is not None:
        return SentMessage(session, going.id, going.say(text))
    known = await app.resume_session(session)
    handle = await app.runs.start(agent or known.agent, text, session=known, model=model, origin="api")
    return SentMessage(session, handle.id)


async def withdraw_message(app: "App", run: str, message_id: str) -> bool:
    """Take back a queued message; False when the model has read it."""
    handle = app.runs.get(run)
    return handle is not None and handle.withdraw(message_id)


async def stop_run(app: "App", run: str) -> bool:
    """Stop a run of this program; False when it is not going here."""
    handle = app.runs.get(run)
    if handle is None:
        if await app.store.runs.get(run) is None:
            raise NotFound("run", run, "runs")
        return False
    await handle.stop()
    return True


async def resume_run(app: "App", run: str, *, model: str = "") -> SentMessage:
    """Go on with a run that was interrupted or stopped."""
    handle = await app.runs.resume(run, model=model)
    return SentMessage(handle.session.id, handle.id)


async def give_answer(
    app: "App",
    question_id: str,
    answer: Any,
    *,
    pattern: dict[str, str] | None = None,
    seconds: float | None = None,
) -> None:
    """Answer a question of this program or of another one; raises `InvalidConfig` when it is open no more."""
    if app.broker.answer(question_id, answer, pattern=pattern, seconds=seconds, who=WHO):
        return
    record = await find_question(app.store, question_id)
    await answer_question(app.store, record, answer, pattern=pattern, seconds=seconds, who=WHO)
