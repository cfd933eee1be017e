"""A run in plain lines: the answer goes to stdout as it comes, what happens on the way to stderr."""

import json
import sys
from types import TracebackType
from typing import Protocol

from oneclaw.cli.going import INNER, Going
from oneclaw.cli.lines import Given, all_given, arguments_text, note_text, result_text, totals_text
from oneclaw.cli.terminal import print_line, printable
from oneclaw.core.answer import AnswerRestarted, TextAdded
from oneclaw.core.event import QuestionAsked, ToolFinished, ToolStarted
from oneclaw.core.event_json import fields_of, name_of
from oneclaw.core.run_event import HistoryCompacted, ModelSwitched, RoundFinished, RunEvent, RunFinished
from oneclaw.core.text.display import visible


class Show(Protocol):
    """Whoever shows a run: is told each event, in order."""

    def __enter__(self) -> object: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def hear(self, event: RunEvent) -> None: ...


class Silent:
    """Shows nothing: for whoever wants the end only."""

    def __enter__(self) -> "Silent":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def hear(self, event: RunEvent) -> None:
        pass


class PlainLines(Silent):
    """The answer on stdout, unchanged where no terminal reads it; everything else on stderr."""

    def __init__(self, given: Given = all_given) -> None:
        self._given = given
        self._is_line_open = False
        self._going: dict[str, Going] = {}

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_line()

    def hear(self, event: RunEvent) -> None:
        match event:
            case TextAdded():
                self._write(event.text)
            case ToolStarted():
                given = self._given(event.tool, event.arguments)
                self._going[event.call_id] = Going(event.tool, given, event.parent)
            case ToolFinished():
                self._say_call(event)
            case AnswerRestarted() | ModelSwitched() | HistoryCompacted():
                self._end_line()
                print_line(note_text(event), "dim", sys.stderr)
            case RoundFinished() | QuestionAsked():
                self._end_line()
            case RunFinished():
                self._end_line()
                say_end(event)
            case _:
                pass

    def pause(self) -> None:
        """Leave the screen to a question."""
        self._end_line()

    def resume(self) -> None:
        """The question is answered."""

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
            going = Going(event.tool, self._given(event.tool, event.arguments or {}), event.parent)
        maker = self._going.get(event.parent)
        if maker is not None and not maker.is_headed:
            maker.is_headed = True
            print_line(f"… {_what(maker)}", "", sys.stderr, indent=2)
        indent = INNER if event.parent else ""
        mark, style = ("✓", "") if result.ok else ("✗", "red")
        line = f"{indent}{mark} {_what(going)} · {result_text(result)}"
        print_line(line, style, sys.stderr, indent=len(indent) + 2)


def _what(going: Going) -> str:
    return f"{visible(going.tool)} {arguments_text(going.arguments or {})}".rstrip()


def say_end(finished: RunFinished) -> None:
    """What went wrong, if anything did, and what the run took."""
    if finished.error:
        print_line(visible(finished.error), "red" if finished.reason == "failed" else "yellow", sys.stderr)
    print_line(f"{totals_text(finished)} · session {finished.session}", "dim", sys.stderr)


class JsonLines(Silent):
    """One JSON object per event and line, for programs."""

    def hear(self, event: RunEvent) -> None:
        # Only ASCII: what a model says must not reach a terminal as anything but its letters.
        document = {"event": name_of(event), **fields_of(event)}
        sys.stdout.write(json.dumps(document, default=str) + "\n")
        sys.stdout.flush()
