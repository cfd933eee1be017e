"""`oneclaw watch`: shows a run of any program while it happens; leaving stops nothing."""

import argparse
import json
from collections.abc import AsyncGenerator

from oneclaw.cli.opened import read_config
from oneclaw.cli.plain import PlainLines
from oneclaw.cli.run import exit_code
from oneclaw.cli.terminal import print_line
from oneclaw.core.answer import TextAdded
from oneclaw.core.envelope import Envelope
from oneclaw.core.errors import NotFound
from oneclaw.core.event import QuestionAsked
from oneclaw.core.event_json import envelope_json
from oneclaw.core.run_event import AnswerFinished, RunFinished, RunStarted
from oneclaw.operations.reading import reading
from oneclaw.operations.runs import find_run
from oneclaw.operations.watching import watch_run


async def run(arguments: argparse.Namespace) -> int:
    with reading(read_config(arguments)) as store:
        if store is None:
            raise NotFound("run", arguments.name, "runs")
        record = await find_run(store, arguments.name)
        found = watch_run(store, record, arguments.after)
        return await (print_events(found) if arguments.json else show(found, record.id))


async def print_events(found: AsyncGenerator[list[Envelope]]) -> int:
    async for envelopes in found:
        for envelope in envelopes:
            print(json.dumps(envelope_json(envelope), default=str), flush=True)
    return 0


async def show(found: AsyncGenerator[list[Envelope]], run_id: str) -> int:
    code = 0
    with PlainLines() as lines:
        async for envelopes in found:
            for envelope in envelopes:
                event = envelope.event
                if envelope.run != run_id:
                    continue
                if isinstance(event, RunStarted) and event.text:
                    print_line(f"> {event.text}", "dim")
                elif isinstance(event, AnswerFinished):  # the store keeps whole answers, not their pieces
                    lines.hear(TextAdded(f"{event.message.text}\n" if event.message.text else ""))
                elif isinstance(event, QuestionAsked):
                    lines.pause()
                    print_line(f"It waits for an answer: oneclaw answer {event.question_id}", "yellow")
                else:
                    lines.hear(event)
                if isinstance(event, RunFinished):
                    code = exit_code(event)
    return code
