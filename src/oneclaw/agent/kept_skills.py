"""Keeps loaded skills in the window after the messages that loaded them are dropped, within a bound.

A skill is in the result of `load_skill`, or in a message in which a person named it. When such a message is
left out of the window, the text of the skill moves to one message at the beginning. The newest ones stay;
the others are named there, so that the model can load them again.
"""

from collections.abc import Iterable

from oneclaw.agent.tokens import estimate_text
from oneclaw.core.call import ToolResult
from oneclaw.core.message import Message, ResultsMessage, UserMessage
from oneclaw.skills.block import TOOL, find_blocks

MOST_TOKENS = 25_000
HEADING = "Skills that were loaded earlier in this conversation, and still hold:"
_GONE = "Loaded earlier and left out here to make room; load them again where they are needed: "


class KeptSkills:
    """The texts of loaded skills, by name; the one loaded last is the last."""

    __slots__ = ("_texts",)

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def take(self, messages: Iterable[Message]) -> None:
        """Keep the skills of messages that are about to be left out."""
        for message in messages:
            for name, text in _loaded(message):
                self._texts.pop(name, None)
                self._texts[name] = text

    def message(self, most_tokens: float = MOST_TOKENS) -> UserMessage | None:
        """The message that holds them, of at most about so many tokens; None where there are none."""
        if not self._texts:
            return None
        room, kept, gone = min(most_tokens, MOST_TOKENS), list[str](), list[str]()
        for name, text in reversed(self._texts.items()):
            tokens = estimate_text(text)
            if tokens <= room:
                kept.append(text)
                room -= tokens
            else:
                gone.append(name)
        lines = [HEADING, *reversed(kept)] if kept else []
        if gone:
            lines.append(_GONE + ", ".join(reversed(gone)))
        return UserMessage("\n\n".join(lines), origin="skills")


def is_skill(result: ToolResult) -> bool:
    """Whether a result is the text of a skill."""
    return result.tool == TOOL and result.kind is None and isinstance(result.value, str)


def is_kept(message: Message) -> bool:
    """Whether a message is the one that holds the kept skills."""
    return isinstance(message, UserMessage) and message.origin == "skills"


def _loaded(message: Message) -> list[tuple[str, str]]:
    if isinstance(message, ResultsMessage):
        texts = [each.text for each in message.results if is_skill(each)]
    elif isinstance(message, UserMessage) and message.origin == "user":
        texts = [message.text]
    else:
        return []
    return [pair for text in texts if "<skill " in text for pair in find_blocks(text).items()]
