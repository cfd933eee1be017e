"""The part of a conversation that is sent to the model, and what is removed when it grows too long.

Each message is guessed once, when it comes (`tokens.estimate`); what a request really took replaces the
guesses (`measure`). When the whole gets too long it is brought down in one jump to three quarters of its
room, so that this is rare, the caches of providers hold in between, and each message is looked at a fixed
number of times however long the conversation gets. What is taken out here stays whole in the store.

What gives way, in this order, until enough has:

    1. old large results   head and tail stay, pictures go; the last two rounds are left as they are
    2. old exchanges       oldest first: a message of the user with all that follows it
    3. old rounds          of the exchange under way, each answer together with its results
    4. fresh results       as in 1, but as much of them stays as there is room for
    5. the summary         of what was left out before
    6. loaded skills       their names stay

4, 5 and 6 happen only where it would not fit otherwise. The user's last message and the last round always
stay. So do loaded skills: when the message that loaded one is left out, the text of the skill moves to the
beginning (`kept_skills.py`), where skills take at most the quarter that the jump makes free.
"""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from oneclaw.agent.excerpt import EXCERPT_CHARS, LARGE_CHARS, shorten
from oneclaw.agent.kept_skills import MOST_TOKENS, KeptSkills, is_kept, is_skill
from oneclaw.agent.tokens import DENSE_CHARS, RESULT_TOKENS, estimate
from oneclaw.core.call import ToolResult
from oneclaw.core.message import AssistantMessage, Message, ResultsMessage, ThoughtPart, Usage, UserMessage

JUMP = 0.75
FRESH_ROUNDS = 2
LEFT_OUT = UserMessage(
    "(Earlier steps of this task were left out here to make room. What they did is done: go on from here.)",
    origin="guard",
)
"""Stands where rounds of the exchange under way were, so that the model does not begin anew."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """Changes made to fit the window.

    shortened  results that were cut or lost their pictures
    dropped    messages that were left out
    fits       whether it fits now; if not, it cannot be made to
    """

    shortened: int
    dropped: int
    tokens_before: int
    tokens_after: int
    fits: bool


class Window:
    """The messages of a conversation that the model is sent. `messages` is for reading: change it here."""

    __slots__ = (
        "_dropped",
        "_gone",
        "_guessed",
        "_guesses",
        "_kept",
        "_overhead",
        "_shortened",
        "_starts",
        "_tokens",
        "messages",
    )

    def __init__(self, messages: Iterable[Message] = (), *, overhead_tokens: int = 0) -> None:
        self.messages: list[Message] = []
        self._overhead = overhead_tokens
        self._guesses: list[int] = []  # for each message
        self._guessed = overhead_tokens  # all of them, and what goes with each request
        self._tokens = float(overhead_tokens)  # the same, as far as it was counted
        self._starts: deque[int] = (
            deque()
        )  # places of the user's own messages, `_gone` more than they are now
        self._gone = 0
        self._shortened = 0  # the results before this place are as short as they get
        self._dropped = 0
        self._kept = KeptSkills()
        for message in messages:
            self.append(message)

    def append(self, message: Message) -> None:
        """One more message."""
        self._insert(len(self.messages), message)
        if isinstance(message, UserMessage) and message.origin == "user":
            self._starts.append(len(self.messages) - 1 + self._gone)

    def measure(self, usage: Usage) -> None:
        """Take what the last answer took in place of the guesses for all up to it; ignored where it is zero.

        Thoughts that do not go back with the answer are left off.
        """
        at = len(self.messages) - 1
        while at >= 0 and not isinstance(self.messages[at], AssistantMessage):
            at -= 1
        if at >= 0 and usage.total > 0:
            took = usage.total - (0 if _echoes_thoughts(self.messages[at]) else usage.reasoning)
            self._tokens = float(max(1, took) + sum(self._guesses[at + 1 :]))

    @property
    def tokens(self) -> int:
        """Estimated tokens of the next request: instructions, tools and messages."""
        return round(self._tokens)

    @property
    def overhead_tokens(self) -> int:
        """Tokens of instructions and tools."""
        return self._overhead

    @overhead_tokens.setter
    def overhead_tokens(self, tokens: int) -> None:
        self._count(tokens - self._overhead)
        self._overhead = tokens

    @property
    def summary(self) -> str | None:
        """The summary of what was left out, where it begins with one."""
        first = self.messages[0] if self.messages else None
        return first.text if isinstance(first, UserMessage) and first.origin == "summary" else None

    def shrink(self, most_tokens: int) -> Shrunk | None:
        """Make it fit into so many tokens; None when it does."""
        before = self.tokens
        if before <= most_tokens:
            return None
        self._dropped = 0
        overhead = self._overhead * self._scale
        enough = overhead + (most_tokens - overhead) * JUMP
        for_skills = (most_tokens - enough) / self._scale
        self._place_skills(for_skills)
        self._remove(0, max(0, self._first_user()))
        shortened = self._shorten_old(enough)
        self._drop_exchanges(enough)
        self._drop_rounds(enough, most_tokens)
        self._place_skills(for_skills)
        if self.tokens > most_tokens:
            shortened += self._shorten_fresh(most_tokens)
        if self.tokens > most_tokens and self.summary is not None and self._starts:
            self._remove(0, 1)
        if self.tokens > most_tokens:
            self._place_skills(0)
        return Shrunk(shortened, self._dropped, before, self.tokens, self.tokens <= most_tokens)

    def older(self, keep_exchanges: int = 4) -> tuple[Message, ...]:
        """Messages a summary would replace: all before the last user messages; () for none."""
        if not 0 < keep_exchanges < len(self._starts):
            return ()
        return tuple(self.messages[: self._starts[-keep_exchanges] - self._gone])

    def replace_older(self, count: int, summary: str | None) -> None:
        """Put a summary in the place of the first `count` messages; with None they are just left out."""
        if not 0 <= count <= len(self.messages):
            raise ValueError(
                f"There are {len(self.messages)} messages; the first {count} cannot be replaced."
            )
        if count < len(self.messages) and isinstance(self.messages[count], ResultsMessage):
            raise ValueError(f"The first {count} messages end between calls and their results.")
        self._remove(0, count)
        if summary is not None:
            self._insert(0, UserMessage(summary, origin="summary"))
        self._place_skills()

    def keep_skills(self, messages: Iterable[Message]) -> None:
        """Have the skills stay that were loaded in messages which a summary stands for."""
        self._kept.take(messages)
        self._place_skills()

    # The steps of shrinking

    def _shorten_old(self, enough: float) -> int:
        """Step 1, from where it stopped the last time, so that no result is looked at twice."""
        shortened, end = 0, self._fresh_from()
        while self._shortened < end and self._tokens > enough:
            shortened += self._shorten(self._shortened, EXCERPT_CHARS, LARGE_CHARS, is_skill)
            self._shortened += 1
        return shortened

    def _drop_exchanges(self, enough: float) -> None:
        """Step 2. What stands before the user's first message and is no summary goes like an exchange."""
        first = self._head
        while self._starts and self._tokens > enough:
            if self._starts[0] - self._gone > first:
                self._remove(first, self._starts[0] - self._gone)
            elif len(self._starts) > 1:
                self._remove(first, self._starts[1] - self._gone)
            else:
                return

    def _drop_rounds(self, enough: float, most_tokens: int) -> None:
        """Step 3."""
        first = self._starts[-1] - self._gone + 1 if self._starts else self._first_user() + 1
        first = max(first, self._head)
        is_noted = first < len(self.messages) and self.messages[first] is LEFT_OUT
        first += is_noted
        last = self._last_answer(first)
        end, over = first, (self._tokens - enough) / self._scale
        # An end before results would tear them from their calls.
        while end < last and (over > 0 or isinstance(self.messages[end], ResultsMessage)):
            over -= self._guesses[end]
            end += 1
        if end == first:
            return
        self._remove(first, end)
        if not is_noted and self._tokens + estimate(LEFT_OUT) <= most_tokens:
            self._insert(first, LEFT_OUT)

    def _shorten_fresh(self, most_tokens: int) -> int:
        """Step 4: of each result as much stays as there is room for, but no less than of an old one."""
        places = range(self._shortened, len(self.messages))
        fresh = [(at, each) for at in places if isinstance(each := self.messages[at], ResultsMessage)]
        room_tokens = (most_tokens - self._tokens) / self._scale + sum(self._guesses[at] for at, _ in fresh)
        each_tokens = room_tokens / max(1, sum(len(message.results) for _, message in fresh)) - RESULT_TOKENS
        shortened = 0
        for chars in (max(EXCERPT_CHARS, int(each_tokens * DENSE_CHARS)), EXCERPT_CHARS):
            if self.tokens > most_tokens:
                shortened = max(shortened, sum(self._shorten(at, chars, chars) for at, _ in fresh))
        return shortened

    # What every step needs

    def _shorten(
        self,
        at: int,
        chars: int,
        large_chars: int,
        is_left: Callable[[ToolResult], bool] = lambda result: False,
    ) -> int:
        message = self.messages[at]
        if not isinstance(message, ResultsMessage):
            return 0
        message, changed = shorten(message, chars, large_chars, is_left)
        if changed:
            guess = estimate(message)
            self._count(guess - self._guesses[at])
            self.messages[at], self._guesses[at] = message, guess
        return changed

    def _place_skills(self, most_tokens: float = MOST_TOKENS) -> None:
        """Have the skills that were left out stand after the summary, as far as there is room for them."""
        message, at = self._kept.message(most_tokens), 0 if self.summary is None else 1
        there = self.messages[at] if self._head > at else None
        if message == there:
            return
        if there is not None:
            self._remove(at, at + 1)
            self._dropped -= 1
        if message is not None:
            self._insert(at, message)

    @property
    def _head(self) -> int:
        """How many messages stand for what was left out: the summary, the skills."""
        at = 0 if self.summary is None else 1
        return at + (at < len(self.messages) and is_kept(self.messages[at]))

    def _fresh_from(self) -> int:
        """Where the last two rounds begin, or what is known to be short ends."""
        at, rounds = len(self.messages), 0
        while at > self._shortened and rounds < FRESH_ROUNDS:
            at -= 1
            rounds += isinstance(self.messages[at], ResultsMessage)
        return at

    def _first_user(self) -> int:
        """Where the first message in the user's place stands; -1 when there is none."""
        return next((at for at, each in enumerate(self.messages) if isinstance(each, UserMessage)), -1)

    def _last_answer(self, first: int) -> int:
        """Where the last answer stands, from `first` on; `first` when there is none."""
        at = len(self.messages) - 1
        while at > first and not isinstance(self.messages[at], AssistantMessage):
            at -= 1
        return max(at, first)

    @property
    def _scale(self) -> float:
        """Measured tokens per estimated token."""
        return self._tokens / self._guessed if self._guessed > 0 < self._tokens else 1.0

    def _count(self, guess: int) -> None:
        """Count a change among messages that may have been counted already."""
        self._tokens += guess * self._scale
        self._guessed += guess

    def _insert(self, at: int, message: Message) -> None:
        guess = estimate(message)
        self.messages.insert(at, message)
        self._guesses.insert(at, guess)
        self._tokens += guess
        self._guessed += guess
        if self._starts and at <= self._starts[0] - self._gone:
            self._gone -= 1

    def _remove(self, start: int, end: int) -> None:
        """Leave out messages that stand before all of the user's own that stay, or after them."""
        self._kept.take(self.messages[start:end])
        self._count(-sum(self._guesses[start:end]))
        del self.messages[start:end], self._guesses[start:end]
        self._shortened -= max(0, min(self._shortened, end) - start)
        self._dropped += end - start
        while self._starts and start <= self._starts[0] - self._gone < end:
            self._starts.popleft()
        if self._starts and self._starts[0] - self._gone >= end:
            self._gone += end - start


def _echoes_thoughts(message: Message) -> bool:
    return isinstance(message, AssistantMessage) and any(
        isinstance(part, ThoughtPart) and part.echo is not None for part in message.parts
    )
