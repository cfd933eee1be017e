"""Live terminal view of a run: finished lines scroll, running calls update in place."""

import asyncio
from collections.abc import Iterator, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any

from oneclaw.cli.diff import DiffLine, diff_lines, diff_of
from oneclaw.cli.line import set_echo
from oneclaw.cli.lines import (
    MaskArguments,
    all_given,
    cause_text,
    count_text,
    is_failed,
    note_text,
    result_text,
    totals_text,
    written_lines,
)
from oneclaw.cli.markdown import Blocks, markdown_console, rendered, tail
from oneclaw.cli.retry_notes import RetryNotes
from oneclaw.cli.running_call import (
    INNER,
    TICK_SECONDS,
    RunningCall,
    add_arguments,
    frame,
    going_line,
    waited_text,
)
from oneclaw.cli.terminal import folded, printable, short_id
from oneclaw.core.answer import AnswerRestarted, ArgumentsAdded, CallBegun, TextAdded, ThoughtAdded
from oneclaw.core.call import ToolResult
from oneclaw.core.event import ToolFinished, ToolProgressed, ToolStarted
from oneclaw.core.run_event import (
    HistoryCompacted,
    ModelSwitched,
    RoundFinished,
    RunEvent,
    RunFinished,
    RunStarted,
)
from oneclaw.core.text.display import visible

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

MOST_CALLS = 12
"""Calls that are shown at once while they run; the others are counted."""


class Screen:
    """Shows one run. Between `pause` and `resume` nothing moves, so that a question can be asked."""

    def __init__(
        self,
        given: MaskArguments = all_given,
        *,
        are_thoughts_shown: bool = False,
        is_session_named: bool = False,
        is_compact: bool = False,
    ) -> None:
        """`is_compact`: one line a call, without what it wrote and changed."""
        self._given = given
        self._console = markdown_console()
        self._are_thoughts_shown = are_thoughts_shown
        self._is_session_named = is_session_named
        self._is_compact = is_compact
        self._live: Live | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._blocks = Blocks()
        self._thought = ""
        self._written: dict[int, RunningCall] = {}
        self._running: dict[str, RunningCall] = {}
        self._waiting = "waiting for the model"
        self._since = monotonic()
        self._last = ""
        self._held: list[RunEvent] | None = None
        self._retries = RetryNotes()

    def __enter__(self) -> "Screen":
        self.resume()
        return self

    def __exit__(self, *_: object) -> None:
        self._release()
        self._end_text()
        for going in self._running.values():
            mark = f"{INNER}✗" if going.parent else "✗"
            self._print_call(mark, "yellow", going.tool, going.arguments, "stopped")
        self._stop_moving()

    def pause(self) -> None:
        """Leave the screen to somebody else; what happens meanwhile is shown afterwards."""
        self._end_text()
        self._stop_moving()
        self._held = []
        if self._last:
            self._console.print()
        self._last = "question"

    def _stop_moving(self) -> None:
        set_echo(True)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._live is not None:
            self._live.stop()
            self._live = None

    def resume(self) -> None:
        """Take the screen back."""
        from rich.live import Live

        self._release()
        if self._live is None:
            set_echo(False)  # a key that shows itself would push what moves out of its place
            self._live = Live(
                console=self._console,
                get_renderable=self._below,
                auto_refresh=False,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
            self._tick()

    def hear(self, event: RunEvent) -> None:
        if self._held is not None:
            self._held.append(event)
            return
        if retried := self._retries.hear(event):
            self._print_line(note_text(retried), "dim", "note")
        match event:
            case RunStarted():
                self._wait(f"waiting for {visible(event.model)}")
            case TextAdded():
                self._end_thought()
                for block in self._blocks.add(event.text):
                    self._print_text(block)
            case ThoughtAdded():
                self._think(event.text)
            case CallBegun():
                self._end_text()
                self._written[event.index] = RunningCall(visible(event.tool))
            case ArgumentsAdded():
                self._count(event)
            case ToolStarted():
                self._written.clear()
                given = self._given(event.tool, event.arguments)
                self._running[event.call_id] = RunningCall(visible(event.tool), given, event.parent)
            case ToolProgressed():
                self._progress(event)
            case ToolFinished():
                self._finish(event)
            case AnswerRestarted() | ModelSwitched() | HistoryCompacted():
                self._note(event)
            case RoundFinished():
                self._end_text()
                self._wait("waiting for the model")
            case RunFinished():
                self._end(event)
            case _:
                pass

    def _release(self) -> None:
        held, self._held = self._held or [], None
        for event in held:
            self.hear(event)

    # ------------------------------------------------------------------ what came

    def _think(self, text: str) -> None:
        if not self._are_thoughts_shown:
            self._wait("thinking", is_same=True)
            return
        *lines, self._thought = (self._thought + text).split("\n")
        for line in lines:
            self._print_thought(line)

    def _end_thought(self) -> None:
        if self._thought:
            self._print_thought(self._thought)
            self._thought = ""

    def _count(self, event: ArgumentsAdded) -> None:
        written = self._written.get(event.index)
        if written is not None:
            written.chars += len(event.text)

    def _progress(self, event: ToolProgressed) -> None:
        going = self._running.get(event.call_id)
        if going is not None:
            part = "" if event.fraction is None else f"{event.fraction:.0%} "
            going.said = part + visible(event.text)

    def _finish(self, event: ToolFinished) -> None:
        self._written.clear()
        going = self._running.pop(event.call_id, None)
        arguments = self._given(event.tool, event.arguments or {}) if going is None else going.arguments
        result, tool = event.result, visible(event.tool)
        mark, style = ("✗", "red") if is_failed(result) else ("✓", "green")
        if event.parent:
            self._head(event.parent)
            mark = INNER + mark
        if self._is_compact:
            tool = visible(event.label) or tool
        number = f" · #{event.call_number}" if event.call_number else ""
        self._print_call(mark, style, tool, arguments, result_text(result) + number, is_long=not result.ok)
        if not self._is_compact or is_failed(result):
            self._print_more(result, " " * (len(mark) + 1))

    def _head(self, call_id: str) -> None:
        """Put the line of a call above those it made, once."""
        going = self._running.get(call_id)
        if going is not None and not going.is_headed:
            going.is_headed = True
            self._print_call("…", "cyan", going.tool, going.arguments, "")

    def _note(self, event: AnswerRestarted | ModelSwitched | HistoryCompacted) -> None:
        if isinstance(event, AnswerRestarted | ModelSwitched):
            self._blocks.flush()  # void: it comes again
            self._thought = ""
            self._written.clear()
        if isinstance(event, AnswerRestarted):
            self._wait(f"trying again (attempt {event.attempt})")
            return
        self._print_line(note_text(event), "dim", "note")
        self._wait("waiting for the model")

    def _end(self, event: RunFinished) -> None:
        self._end_text()
        self._stop_moving()
        if event.error:
            style = "red" if event.reason == "failed" else "yellow"
            self._print_line(printable(event.error), style, "error")
        said = totals_text(event) + (
            f" · session {short_id(event.session)}" if self._is_session_named else ""
        )
        self._print_line(said, "dim", "end")

    def _wait(self, text: str, is_same: bool = False) -> None:
        if not (is_same and self._waiting == text):
            self._waiting, self._since = text, monotonic()

    # ------------------------------------------------------------------ what scrolls by

    def _end_text(self) -> None:
        self._end_thought()
        left = self._blocks.flush()
        if left.strip():
            self._print_text(left)

    def _print_text(self, text: str) -> None:
        self._gap("text")
        self._console.print(rendered(text.strip("\n"), self._console), end="")

    def _print_thought(self, line: str) -> None:
        self._print_line(printable(line), "dim italic", "thought")

    def _print_line(self, text: str, style: str, kind: str) -> None:
        self._gap(kind)
        self._console.print(folded(text, self._console.width), style=style, soft_wrap=True)

    def _print_call(
        self,
        mark: str,
        style: str,
        tool: str,
        arguments: Mapping[str, Any] | None,
        ended: str,
        *,
        is_long: bool = False,
    ) -> None:
        """The line of a call; `is_long`: how it ended has a line of its own."""
        from rich.text import Text

        self._gap("call")
        line = Text.assemble((f"{mark} ", style), (tool, "bold"))
        took = "" if is_long or not ended else f" · {ended}"
        room = self._console.width - line.cell_len - len(took) - 1
        add_arguments(line, arguments or {}, room)
        self._console.print(line.append(took, "dim"), soft_wrap=True)
        if is_long:
            indent = " " * (len(mark) + 1)
            self._console.print(folded(f"{indent}{ended}", self._console.width), style=style, soft_wrap=True)

    def _print_more(self, result: ToolResult, indent: str) -> None:
        """Prints the output and changes of a call, and why a command failed."""
        from rich.text import Text

        diff = diff_of(result.details)
        lines = [DiffLine(line, "dim") for line in written_lines(result.value)]
        for line in (*lines, *(diff_lines(diff) if diff else ())):
            shown = Text(indent + line.text, line.style)
            shown.truncate(self._console.width, overflow="ellipsis")
            self._console.print(shown, soft_wrap=True)
        if cause := cause_text(result):
            self._console.print(folded(indent + cause, self._console.width), style="yellow", soft_wrap=True)

    def _gap(self, kind: str) -> None:
        """An empty line between things of different kinds, and between blocks of text."""
        if self._last and (kind != self._last or kind == "text"):
            self._console.print()
        self._last = kind

    # ------------------------------------------------------------------ what moves

    def _tick(self) -> None:
        if self._live is not None:
            self._live.refresh()
            self._timer = asyncio.get_running_loop().call_later(TICK_SECONDS, self._tick)

    def _below(self) -> "RenderableType":
        from rich.console import Group

        return Group(*self._moving())

    def _nested(self) -> Iterator[RunningCall]:
        """The calls that run, and after each those it made."""
        for call_id, going in self._running.items():
            if going.parent not in self._running:
                yield going
                yield from (each for each in self._running.values() if each.parent == call_id)

    def _moving(self) -> "Iterator[RenderableType]":
        from rich.text import Text

        text = self._blocks.open
        lines = max(self._console.height - MOST_CALLS - 4, 3)
        if text.strip():
            if self._last:
                yield Text("")
            yield rendered(tail(text.strip("\n"), lines), self._console)
        going = [*self._written.values(), *self._nested()]
        if going and (text.strip() or self._last not in ("", "call")):
            yield Text("")
        for one in going[:MOST_CALLS]:
            yield going_line(one, self._console.width)
        if len(going) > MOST_CALLS:
            yield Text(f"  and {count_text(len(going) - MOST_CALLS, 'call')} more", "dim")
        if not going and not text.strip():
            said = f"{frame()} {self._waiting} {waited_text(self._since)}"
            yield Text(said, "dim", no_wrap=True, overflow="ellipsis")
