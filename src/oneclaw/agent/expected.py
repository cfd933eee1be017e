"""Requires a structured answer at the end of a run, and asks again within limits."""

from typing import Any

from oneclaw.agent.agent import Agent
from oneclaw.agent.answer_type import AnswerMismatch, AnswerType
from oneclaw.core.check.problem import clip
from oneclaw.core.errors import OneClawError
from oneclaw.core.message import AssistantMessage

PROBLEM_CHARS = 2_000
SHORTER = (
    "Your answer was cut off before it was complete. Answer again, shorter: the whole JSON object, and"
    " nothing else."
)


class WrongAnswer(OneClawError):
    """The model did not give an answer that fits, however often it was asked."""


class ExpectedAnswer:
    """The structured answer required of one run.

    most     how often an answer that does not fit is asked for again; None: no limit of its own
    value    the answer, once one fits
    problem  what is wrong with the last answer
    """

    def __init__(self, answer_type: AnswerType, most: int | None) -> None:
        self.value: Any = None
        self.problem = ""
        self._type = answer_type
        self._most = most
        self._wrong = 0
        self._was_cut = False

    def judge(self, message: AssistantMessage, is_last: bool) -> str:
        """The request to answer again; empty when this answer fits.

        A refusal stands. An answer that was cut is asked for once more. Raises `WrongAnswer` when an answer
        does not fit and the limit is reached; with `is_last` the run ends anyway and nothing is raised.
        """
        self.problem = ""
        if message.finish == "refusal":
            return ""
        if message.finish in ("length", "cut") and not is_last:
            again, self._was_cut = ("" if self._was_cut else SHORTER), True
            return again
        try:
            self.value = self._type.read(message.text)
        except AnswerMismatch as unfit:
            self.problem = clip(str(unfit), PROBLEM_CHARS)
            return "" if is_last else self._ask_again()
        return ""

    def _ask_again(self) -> str:
        self._wrong += 1
        if self._most is not None and self._wrong > self._most:
            times = "once" if self._wrong == 1 else f"{self._wrong} times"
            raise WrongAnswer(
                f"The model answered {times} with what does not fit {self._type.sent.name}: {self.problem}."
                " Ask in other words, make the schema simpler, or use another model."
            )
        from oneclaw.providers.output import describe_output  # loads the dialects of schemas

        return f"Your answer does not fit: {self.problem}. {describe_output(self._type.sent)}"


def expect(agent: Agent) -> ExpectedAnswer | None:
    """The required answer of an agent's runs; None where any text will do."""
    return None if agent.answer_type is None else ExpectedAnswer(agent.answer_type, agent.limits.repairs)
