"""Run limits: what a run has spent and which limit ends it."""

from time import monotonic

from oneclaw.agent.agent import Limits
from oneclaw.core.message import Usage
from oneclaw.core.pauses import Pauses
from oneclaw.core.run_event import Reason
from oneclaw.store.runs import Spent

LATE = "No more tools can be called in this run: its limit is reached. The call was not run."


class Spending:
    """Spending of a run. A delegated agent's spending counts for both."""

    def __init__(
        self,
        limits: Limits,
        parent: "Spending | None" = None,
        spent: Spent | None = None,
        pauses: Pauses | None = None,
    ) -> None:
        """`spent` is what a run that goes on has spent already; `pauses` is the time that people took."""
        self.pauses = pauses or Pauses()
        self.limits = limits
        self.parent = parent
        self.started = monotonic() - (spent.seconds if spent else 0.0)
        self.rounds = spent.rounds if spent else 0
        self.calls = spent.calls if spent else 0
        self.usage = spent.usage if spent else Usage()
        self.cost: float | None = spent.cost if spent else None

    @property
    def seconds(self) -> float:
        return monotonic() - self.started - self.pauses.seconds

    def seconds_left(self) -> float | None:
        """How long this run, and the one that asked for it, may still take."""
        own = None if self.limits.seconds is None else self.limits.seconds - self.seconds
        theirs = None if self.parent is None else self.parent.seconds_left()
        known = [each for each in (own, theirs) if each is not None]
        return min(known, default=None)

    def add(self, usage: Usage, cost: float | None) -> None:
        self.usage += usage
        if cost is not None:
            self.cost = (self.cost or 0.0) + cost
        if self.parent is not None:
            self.parent.add(usage, cost)

    def add_calls(self, count: int) -> None:
        self.calls += count
        if self.parent is not None:
            self.parent.add_calls(count)

    def calls_left(self) -> int | None:
        """How many calls may still be made; None where no limit says."""
        own = None if self.limits.calls is None else self.limits.calls - self.calls
        theirs = None if self.parent is None else self.parent.calls_left()
        known = [each for each in (own, theirs) if each is not None]
        return max(min(known), 0) if known else None

    def take_call(self) -> str:
        """Count a call that another call makes; why it must not be made, when the limit is reached."""
        if self.calls_left() == 0:
            return LATE
        self.add_calls(1)
        return ""

    def closes(self) -> Reason | None:
        """The limit that leaves room for one more answer, without calls."""
        if self.limits.rounds is not None and self.rounds >= self.limits.rounds:
            return "rounds"
        return "calls" if self.calls_left() == 0 else None

    def ends(self) -> Reason | None:
        """The limit after which nothing more is asked."""
        limits = self.limits
        if limits.tokens is not None and self.usage.total >= limits.tokens:
            return "tokens"
        if limits.cost is not None and self.cost is not None and self.cost >= limits.cost:
            return "cost"
        if limits.seconds is not None and self.seconds >= limits.seconds:
            return "seconds"
        return None if self.parent is None else self.parent.ends()


def explain(reason: Reason, spending: Spending) -> str:
    """One sentence of why a run ended, for the user."""
    limits = spending.limits
    match reason:
        case "rounds":
            return f"The run was ended after {limits.rounds} rounds (limit `rounds`)."
        case "calls":
            return f"The run was ended after {spending.calls} calls (limit `calls`)."
        case "repeats":
            times = f"{limits.repeats} times in a row"
            return f"The run was ended because the same calls gave the same results {times}."
        case "tokens":
            return f"The run was ended after {spending.usage.total:,} tokens (limit `tokens`)."
        case "cost":
            return f"The run was ended at a cost of ${spending.cost or 0:.4f} (limit `cost`)."
        case "seconds":
            return f"The run was ended after {spending.seconds:.0f} seconds (limit `seconds`)."
        case "refusal":
            return "The model refused to answer."
        case "length":
            return "The answer ran into the length limit of the model."
        case "cut":
            return "The answer broke off and could not be had again."
        case _:
            return ""


def closing_words(reason: Reason, spending: Spending) -> str:
    """The note before the last answer."""
    why = (
        f"You have had {spending.rounds} rounds, which is the limit"
        if reason == "rounds"
        else f"You have made {spending.calls} calls, which is the limit"
    )
    now = "Answer the user with what you know so far, and say what is missing."
    return f"{why}: no more tools can be called now. {now}"
