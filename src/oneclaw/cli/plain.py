"""Shows a run in plain lines: the answer on stdout as it comes, everything else on stderr; or as JSON."""

import json
import sys
from typing import Self

from oneclaw.cli.lines import (
    MaskArguments,
    all_given,
    arguments_text,
    cause_text,
    is_failed,
    note_text,
    result_text,
    totals_text,
    written_lines,
)
from oneclaw.cli.retry_notes import RetryNotes
from oneclaw.cli.running_call import INNER, RunningCall
from oneclaw.cli.spinner import Spinner
from oneclaw.cli.terminal import print_line, printable
from oneclaw.core.answer import AnswerRestarted, TextAdded
from oneclaw.core.event import QuestionAsked, ToolFinished, ToolStarted
from oneclaw.core.event_json import fields_of, name_of
from oneclaw.core.run_event import HistoryCompacted, ModelSwitched, RoundFinished, RunEvent, RunFinished
from oneclaw.core.text.display import visible


class PlainLines:
    """The answer on stdout, unchanged where no terminal reads it; everything else on stderr."""

    def __init__(self, given: MaskArguments = all_given) -> None:
        self._given = given
        self._is_line_open = False
        self._going: dict[str, RunningCall] = {}
        self._spinner = Spinner()
        self._retries = RetryNotes()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.pause()

    def hear(self, event: RunEvent) -> None:
        self._spinner.hear(event)
        if retried := self._retries.hear(event):
            print_line(note_text(retried), "dim", sys.stderr)
        match event:
            case TextAdded():
                self._write(event.text)
            case ToolStarted():
                given = self._given(event.tool, event.arguments)
                self._going[event.call_id] = RunningCall(event.tool, given, event.parent)
            case ToolFinished():
                self._say_call(event)
            case ModelSwitched() | HistoryCompacted():
                self._end_line()
                print_line(note_text(event), "dim", sys.stderr)
            case AnswerRestarted():
                self._end_line()
            case RoundFinished() | QuestionAsked():
                self._end_line()
            case RunFinished():
                self._end_line()
                say_end(event)
            case _:
                pass

    def pause(self) -> None:
        """Leave the screen to a question."""
        self._spinner.pause()
        self._end_line()

    def resume(self) -> None:
        """Go on after the question is answered."""
        self._spinner.resume()

    def _write(self, text: str) -> None:
        sys.stdout.write(printable(text) if sys.stdout.isatty() else text)
        sys.stdout.flush()
        if text:
            self._is_line_open = not text.endswith("\n")

    def _end_line(self) -> None:
        if self._is_line_open:
            sys.stdout.write("\n")
            sys.stdout.flush()
            self._is_line_open = False

    def _say_call(self, event: ToolFinished) -> None:
        self._end_line()
        result = event.result
        going = self._going.pop(event.call_id, None)
        if going is None:  # it was refused, and never started
            going = RunningCall(event.tool, self._given(event.tool, event.arguments or {}), event.parent)
        maker = self._going.get(event.parent)
        if maker is not None and not maker.is_headed:
            maker.is_headed = True
            print_line(f"… {_what(maker)}", "", sys.stderr, indent=2)
        indent = INNER if event.parent else ""
        mark, style = ("✗", "red") if is_failed(result) else ("✓", "")
        line = f"{indent}{mark} {_what(going)} · {result_text(result)}"
        print_line(line, style, sys.stderr, indent=len(indent) + 2)
        if is_failed(result):
            for written in (*written_lines(result.value), *filter(None, (cause_text(result),))):
                print_line(f"{indent}  {written}", "dim", sys.stderr, indent=len(indent) + 2)


def _what(going: RunningCall) -> str:
    return f"{visible(going.tool)} {arguments_text(going.arguments or {})}".rstrip()


def say_end(finished: RunFinished) -> None:
    """Prints the error, if any, and the run's totals."""
    if finished.error:
        print_line(visible(finished.error), "red" if finished.reason == "failed" else "yellow", sys.stderr)
    print_line(f"{totals_text(finished)} · session {finished.session}", "dim", sys.stderr)


def print_event(event: RunEvent) -> None:
    """An event as one line of JSON, for programs."""
    # Only ASCII: what a model says must not reach a terminal as anything but its letters.
    document = {"event": name_of(event), **fields_of(event)}
    sys.stdout.write(json.dumps(document, default=str) + "\n")
    sys.stdout.flush()
