"""Decides when a repeated request is told, so that a server that is not there is one sentence."""

from oneclaw.core.answer import AnswerRestarted, CallBegun, TextAdded, ThoughtAdded
from oneclaw.core.run_event import ModelSwitched, RunEvent, RunFinished

PATIENT_SECONDS = 5.0
"""A person who waits longer than this is told why at once."""


class RetryNotes:
    """Keeps a short retry back until it helped; where all retries fail, the error of the run tells it."""

    def __init__(self) -> None:
        self._kept: AnswerRestarted | None = None

    def hear(self, event: RunEvent) -> AnswerRestarted | None:
        """The retry that is to be told before this event."""
        match event:
            case AnswerRestarted() if event.seconds >= PATIENT_SECONDS:
                self._kept = None
                return event
            case AnswerRestarted():
                self._kept = event
            case TextAdded() | ThoughtAdded() | CallBegun():
                told, self._kept = self._kept, None
                return told
            case ModelSwitched() | RunFinished():
                self._kept = None
            case _:
                pass
        return None
