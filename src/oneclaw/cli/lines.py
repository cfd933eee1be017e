"""One-line descriptions of run events: calls, retries, model switches, totals."""

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from oneclaw.cli.diff import count_of, diff_of
from oneclaw.cli.terminal import printable, seconds_text
from oneclaw.core.answer import AnswerRestarted
from oneclaw.core.call import ToolResult
from oneclaw.core.message import Usage
from oneclaw.core.run_event import HistoryCompacted, ModelSwitched, RunFinished
from oneclaw.core.text.display import visible

if TYPE_CHECKING:
    from oneclaw.core.registry import Registry

VALUE_CHARS = 60
LINE_CHARS = 160
WRITTEN_LINES = 5
CENT = 0.01
MaskArguments = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""Of a tool and all its arguments those worth showing."""
_UNSAID = object()


def short(text: str, chars: int) -> str:
    """The first line of a text from outside, safe to show, at most so long."""
    line = text.strip().split("\n")[0]
    is_cut = len(line) > chars or "\n" in text.strip()
    return visible(line[: chars - 1].rstrip()) + "…" if is_cut else visible(line)


def given_of(registry: "Registry") -> MaskArguments:
    """Leaves out the arguments that are what they are without being given."""

    def given(tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        entry = registry.find(tool)
        if entry is None:
            return arguments
        schemas = entry.tool.definition.parameters.get("properties", {})
        defaults = {name: each["default"] for name, each in schemas.items() if "default" in each}
        return {name: value for name, value in arguments.items() if value != defaults.get(name, _UNSAID)}

    return given


def all_given(tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    return arguments


def arguments_text(arguments: Mapping[str, Any] | str | bytes, chars: int = LINE_CHARS) -> str:
    """The arguments of a call as `path=notes.txt offset=3`, each value cut where it is long."""
    if isinstance(arguments, bytes):
        arguments = arguments.decode("utf-8", "replace")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return short(str(arguments), chars)
    if not isinstance(arguments, Mapping):
        return short(str(arguments), chars)
    words: list[str] = []
    left = chars
    for name, value in arguments.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        words.append(f"{visible(str(name)[:VALUE_CHARS])}={short(text, VALUE_CHARS)}")
        left -= len(words[-1]) + 1
        if left < 0:
            return " ".join(words)[: chars - 1].rstrip() + "…"
    return " ".join(words)


def result_text(result: ToolResult) -> str:
    """How a call ended: the lines it changed and how long it took, or the kind and sentence of its error."""
    if result.kind is None:
        changed = count_of(diff_of(result.details))
        return _listed(exit_code_text(result.value), changed, seconds_text(result.seconds))
    return f"{result.kind.value}: {short(result.message, 2 * LINE_CHARS)}"


def exit_code_text(value: Any) -> str:
    """The exit status of a failed command; its call succeeded as a call."""
    code = value.get("exit_code") if isinstance(value, Mapping) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return f"exit code {code}" if isinstance(code, int) and code else ""


def is_failed(result: "ToolResult") -> bool:
    """Whether a call failed, or ran a command that did."""
    return result.kind is not None or bool(exit_code_text(result.value))


def cause_text(result: "ToolResult") -> str:
    """Why the sandbox made a command fail; empty if it did not."""
    cause = (result.details or {}).get("cause")
    return visible(cause) if isinstance(cause, str) else ""


def written_lines(value: Any) -> list[str]:
    """Lines that a command wrote, safe to show: the first, or the last where it failed, and how many more."""
    from oneclaw.guard.outside_mark import unmarked

    fields: Mapping[str, Any] = value if isinstance(value, Mapping) and "exit_code" in value else {}  # pyright: ignore[reportUnknownVariableType]
    texts = [unmarked(text) for name in ("stdout", "stderr") if isinstance(text := fields.get(name), str)]
    lines = [line.expandtabs() for text in texts for line in text.splitlines() if line.strip()]
    is_tail = bool(exit_code_text(value))
    some = lines[-WRITTEN_LINES:] if is_tail else lines[:WRITTEN_LINES]
    shown = [printable(line[:LINE_CHARS]) for line in some]
    rest = len(lines) - len(shown)
    if not rest:
        return shown
    more = f"… {count_text(rest, 'more line')}"
    return [more, *shown] if is_tail else [*shown, more]


def note_text(event: AnswerRestarted | ModelSwitched | HistoryCompacted) -> str:
    """Describes a repeated request, a model switch or a summary."""
    if isinstance(event, ModelSwitched):
        reason = short(event.reason, LINE_CHARS)
        return f"{visible(event.failed)} failed ({reason}); {visible(event.model)} answers from here on."
    if isinstance(event, HistoryCompacted):
        tokens = f"{event.tokens_before:,} → {event.tokens_after:,} tokens"
        if event.how == "shortened":
            return f"{count_text(event.count, 'old result')} shortened for the model ({tokens})."
        done = "summarised" if event.how == "summarised" else "left out of what the model is sent"
        return f"{count_text(event.count, 'older message')} {done} ({tokens})."
    when = f"in {event.seconds:.0f} s" if event.seconds >= 1 else "at once"
    return f"{short(event.reason, LINE_CHARS)} Asked again {when} (attempt {event.attempt})."


def count_text(count: int, noun: str) -> str:
    """A number with its noun, as `1 call` and `1,024 calls`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def usage_text(usage: Usage) -> str:
    """Tokens in and out, and how many of them were cached or thoughts."""
    if not usage.total:
        return "tokens not counted"
    inside = f"{usage.input:,} tokens in" + (f" ({usage.cached:,} cached)" if usage.cached else "")
    return f"{inside}, {usage.output:,} out" + (
        f" ({usage.reasoning:,} reasoning)" if usage.reasoning else ""
    )


def cost_text(cost: float | None) -> str:
    """US dollars; small amounts with four digits. Nothing where no price is known."""
    if cost is None:
        return ""
    return f"${cost:,.2f}" if cost >= 1 or not cost else f"${cost:.4f}" if cost >= CENT else f"${cost:.6f}"


def took_text(usage: Usage, cost: float | None, answers: int) -> str:
    """All that the answers of a session took, on one line."""
    return _listed(count_text(answers, "answer"), usage_text(usage), cost_text(cost))


def totals_text(finished: RunFinished) -> str:
    """All that a run took, on one line."""
    return _listed(
        count_text(finished.rounds, "round"),
        count_text(finished.calls, "call"),
        usage_text(finished.usage),
        cost_text(finished.cost),
        seconds_text(finished.seconds),
    )


def _listed(*parts: str) -> str:
    return " · ".join(part for part in parts if part)
