"""Sends messages to sessions, steers their runs and answers questions, for doors without a terminal."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from oneclaw.core.errors import InvalidConfig, NotFound, OneClawError
from oneclaw.operations.attachments import with_files
from oneclaw.operations.models import model_of
from oneclaw.operations.questions import answer_question, find_question
from oneclaw.operations.skills import with_skill

if TYPE_CHECKING:
    from oneclaw.app import App

WHO = "the page"
_LOOKS, _LOOK_SECONDS = 50, 0.1


class RequestTaken(OneClawError):
    """A request came a second time, and what came of the first is not known."""


@dataclass(frozen=True, slots=True)
class SentMessage:
    """The run that reads a message; `queued` is the id of one that waits for the next round."""

    session: str
    run: str
    queued: str = ""


async def send_message(
    app: "App",
    text: str,
    *,
    session: str = "",
    agent: str = "",
    model: str = "",
    files: Sequence[str] = (),
    request_id: str = "",
) -> SentMessage:
    """Say something in a session, or in a new one. A run that is going reads it at its next round.

    files       paths in the workspace that go with it; `/name` at the beginning loads a skill
    request_id  made by whoever sends: a repeat is answered as the first was, and does nothing
    """
    said = partial(_send, app, text, session, agent, model, files)
    if not request_id:
        return await said()
    requests = app.store.requests
    if not await requests.claim(request_id):
        return await _first_answer(app, request_id)
    try:
        sent = await said()
    except BaseException:
        await requests.release(request_id)
        raise
    await requests.finish(request_id, asdict(sent))
    return sent


async def _first_answer(app: "App", request_id: str) -> SentMessage:
    """The answer to the first request of an id, which may still be on its way."""
    for _ in range(_LOOKS):
        answer = await app.store.requests.answer_of(request_id)
        if answer is not None:
            return SentMessage(**answer)
        await asyncio.sleep(_LOOK_SECONDS)
    raise RequestTaken("This request was taken before, and its answer is not known; look at the session.")


async def _send(
    app: "App", text: str, session: str, agent: str, model: str, files: Sequence[str]
) -> SentMessage:
    await app.sources.follow()
    named = await asyncio.to_thread(with_files, app.engine.session.workspace, text, files)
    message = replace(named, text=with_skill(app, named.text))
    if message.text != named.text:
        _check_size(app, agent or "default", model)
    if not session:
        handle = await app.runs.start(agent or "default", message, model=model, origin="api")
        return SentMessage(handle.session.id, handle.id)
    going = app.runs.running_in(session)
    if going is not None:
        return SentMessage(session, going.id, going.say(message))
    elsewhere = await app.store.runs.running(session)
    if elsewhere is not None and (queued := await app.store.queued.add(elsewhere.id, message)):
        return SentMessage(session, elsewhere.id, queued)  # its program reads it
    known = await app.resume_session(session)
    handle = await app.runs.start(agent or known.agent, message, session=known, model=model, origin="api")
    return SentMessage(session, handle.id)


def _check_size(app: "App", agent: str, model: str) -> None:
    """Refuse a skill for a model that is too small to follow one."""
    name = model_of(app, app.agents.get(agent), model)
    if app.catalog.model(name).is_small:
        raise InvalidConfig(f"{name} is too small to follow a skill; choose another model.")


async def withdraw_message(app: "App", run: str, message_id: str) -> bool:
    """Take back a queued message; False when the model has read it."""
    if await app.store.queued.remove(message_id):
        return True
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
