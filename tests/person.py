"""Somebody at a front who answers what they are asked."""

from typing import Any

from oneclaw.core.permit.broker import Broker
from oneclaw.core.question import PermissionAnswer, Question


class Person:
    """Gives one answer to everything, until a test sets another; `asked` keeps the questions."""

    def __init__(self, answer: PermissionAnswer, broker: Broker | None = None, **options: Any) -> None:
        self.answer: PermissionAnswer = answer
        self.options = options
        self.asked: list[Question] = []
        self.broker = broker or Broker(seconds=60)
        self.broker.bind(self._show)

    def _show(self, prompt: Question) -> None:
        self.asked.append(prompt)
        self.broker.answer(prompt.id, self.answer, **self.options)
