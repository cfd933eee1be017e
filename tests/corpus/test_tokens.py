"""Recorded answers: what the guess from characters says beside what the provider counted."""

from collections.abc import Mapping
from typing import Any, cast

from tests.corpus.conftest import Rows, some

from oneclaw.agent.tokens import estimate
from oneclaw.core.message import AssistantMessage, CallPart, TextPart
from oneclaw.providers.anthropic.wire import Anthropic
from oneclaw.providers.base import AnswerReader, Request, Wire
from oneclaw.providers.gemini.wire import Gemini
from oneclaw.providers.openai_chat.wire import OpenAIChat
from oneclaw.providers.openai_responses.wire import OpenAIResponses

FEWEST_TOKENS = 40
ENOUGH = 15
"""So many answers it takes to speak of a middle."""
MARKS = {
    "candidates": Gemini,
    "choices": OpenAIChat,
    "output": OpenAIResponses,
    "stop_reason": Anthropic,
}


def read(body: Any) -> AssistantMessage | None:
    """A whole answer of plain text and calls, with a count; None for anything else."""
    if not isinstance(body, Mapping):
        return None
    fields = cast(Mapping[str, Any], body)
    made = next((make for mark, make in MARKS.items() if mark in fields), None)
    if made is None:
        return None
    wire: Wire = made()
    reader: AnswerReader = wire.reader(Request("m", ()))
    list(reader.take(fields))
    message = reader.message()
    is_plain = all(isinstance(part, TextPart | CallPart) for part in message.parts)
    written = message.usage.output - message.usage.reasoning
    return message if is_plain and message.parts and written >= FEWEST_TOKENS else None


def test_the_guess_is_near_what_providers_counted_and_rather_too_high(rows: Rows) -> None:
    bodies = [row["response"] for row in rows("provider_wire") if row["status"] == 200]
    bodies += [row["body"] for row in rows("provider_streams") if row["kind"] == "json"]
    messages = [message for message in map(read, bodies) if message is not None]
    some(messages[ENOUGH - 1 :], f"{ENOUGH} such answers")
    pairs = [(estimate(each), each.usage.output - each.usage.reasoning) for each in messages]
    shares = sorted(guessed / counted for guessed, counted in pairs)
    assert 1.0 < sum(guessed for guessed, _ in pairs) / sum(counted for _, counted in pairs) < 1.5
    assert 1.0 < shares[len(shares) // 2] < 1.5
    assert sum(share < 0.9 for share in shares) <= len(shares) / 10
