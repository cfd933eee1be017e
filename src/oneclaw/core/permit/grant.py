"""Grant: a remembered permission, the calls it covers, and the book that stores grants.

A grant covers a call when all of these hold:

    need     is the one asked for
    tool     is the one called
    scope    `session`: the session is `holder`; `agent`: the agent is `holder`; `everywhere`: always
    expires  lies ahead, or is None
    digest   is the hash of the tool's definition as it is now        (allow only)
    about    is empty, or is the very reason asked for now            (allow only)
    pattern  each parameter named is given and its text fits the glob (allow only)

An allow is bound to what a person saw: a changed tool asks again. A denial is bound to the tool's name alone,
and carries no pattern: neither a new version nor another spelling of an argument walks round it.
A denial beats every allow, whatever their scopes. Among allows one is enough; the narrowest is named.
"""

import hashlib
import json
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from oneclaw.core.tool import ToolDefinition

GrantVerdict = Literal["allow", "deny"]
Scope = Literal["session", "agent", "everywhere"]

_WIDTH: dict[Scope, int] = {"session": 0, "agent": 1, "everywhere": 2}

# What the hash covers: all a person relies on when saying yes. Limits, trimming and switches are the owner's.
HASHED = (
    *("name", "label", "description", "parameters", "output", "needs", "effect", "isolation", "resource"),
    *("secrets", "version"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """One remembered answer. `holder` is the session's id or the agent's name, empty for `everywhere`.

    pattern  parameter → glob over the argument's text: `*` within one part, `**` anything, `[*]` a star
    about    the reason given when the need only showed while running; the grant is for that alone
    created  and `expires` are seconds since 1970
    """

    id: str
    need: str
    tool: str
    verdict: GrantVerdict
    scope: Scope
    holder: str = ""
    pattern: Mapping[str, str] = field(default_factory=dict[str, str])
    about: str = ""
    digest: str = ""
    created: float = 0.0
    expires: float | None = None

    def __post_init__(self) -> None:
        if self.verdict not in ("allow", "deny") or self.scope not in _WIDTH:
            raise ValueError(f"A grant cannot {self.verdict!r} for {self.scope!r}.")
        if (self.scope == "everywhere") != (self.holder == ""):
            raise ValueError(
                f"A grant for {self.scope} has the holder {self.holder!r}: name the session or agent,"
                " and nobody for everywhere."
            )
        if self.verdict == "deny" and (self.pattern or self.about):
            raise ValueError("A denial is for the whole tool: take out its pattern and its reason.")
        if self.verdict == "allow" and not self.digest:
            raise ValueError("An allow needs the hash of the definition that was approved.")


class GrantBook(Protocol):
    """Where grants are kept.

    `version` is another number whenever `of` may answer otherwise, as far as the last `refresh` knows, and
    negative before the first. `of` and `all` read what is there now, oldest first, expired ones too. `add` of
    an id that is there raises. `revoke` says whether there was such a grant.
    """

    @property
    def version(self) -> int: ...

    async def refresh(self) -> None: ...

    async def of(self, tool: str) -> Sequence[Grant]: ...

    async def all(self) -> Sequence[Grant]: ...

    async def add(self, grant: Grant) -> None: ...

    async def revoke(self, grant_id: str) -> bool: ...


class MemoryBook:
    """A `GrantBook` that forgets when the program ends."""

    def __init__(self) -> None:
        self.version = 0
        self._grants: dict[str, Grant] = {}

    async def refresh(self) -> None:
        """Nobody else writes into it."""

    async def of(self, tool: str) -> Sequence[Grant]:
        return [grant for grant in self._grants.values() if grant.tool == tool]

    async def all(self) -> Sequence[Grant]:
        return list(self._grants.values())

    async def add(self, grant: Grant) -> None:
        if grant.id in self._grants:
            raise ValueError(f"There is already a grant {grant.id!r}.")
        self._grants[grant.id] = grant
        self.version += 1

    async def revoke(self, grant_id: str) -> bool:
        if self._grants.pop(grant_id, None) is None:
            return False
        self.version += 1
        return True


def new_id() -> str:
    """A grant's id: short enough to type, too long to guess or to meet twice."""
    return secrets.token_hex(5)


def definition_hash(definition: ToolDefinition) -> str:
    """SHA-256 of what a person relies on when approving a tool; the order of keys does not count."""
    approved = {name: getattr(definition, name) for name in HASHED}
    text = json.dumps(approved, sort_keys=True, separators=(",", ":"), default=_plain)
    return hashlib.sha256(text.encode()).hexdigest()


def find(
    grants: Sequence[Grant],
    *,
    need: str,
    digest: str,
    agent: str,
    session: str,
    arguments: Mapping[str, Any],
    now: float,
    about: str = "",
    holds: Callable[[Mapping[str, str]], bool] | None = None,
) -> Grant | None:
    """Which of a tool's grants decides: a denial that covers the call, else the narrowest allow.

    `holds` says whether a pattern covers the call, where that is not read from the text of its arguments.
    """
    held = [
        grant
        for grant in grants
        if grant.need == need and is_live(grant, now) and is_held(grant, agent=agent, session=session)
    ]
    denials = [grant for grant in held if grant.verdict == "deny"]
    allows = [
        grant
        for grant in held
        if grant.verdict == "allow"
        and grant.digest == digest
        and grant.about in ("", about)
        and (fits(grant.pattern, arguments) if holds is None else holds(grant.pattern))
    ]
    return min(denials or allows, key=lambda grant: _WIDTH[grant.scope], default=None)


def is_live(grant: Grant, now: float) -> bool:
    return grant.expires is None or now < grant.expires


def is_held(grant: Grant, *, agent: str, session: str) -> bool:
    """Whether the grant's scope takes in this agent and session."""
    if grant.scope == "everywhere":
        return True
    return grant.holder == (session if grant.scope == "session" else agent)


def fits(pattern: Mapping[str, str], arguments: Mapping[str, Any]) -> bool:
    """Whether each parameter that the pattern names is given and its text fits."""
    return all(
        name in arguments and glob_fits(glob, text_of(arguments[name])) for name, glob in pattern.items()
    )


def text_of(value: Any) -> str:
    """The text a pattern is held against: a string as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_plain)


_PIECE = re.compile(r"\*\*+|\[\*\]|.", re.DOTALL)
_LINE_ENDS = "\x85\u2028\u2029"  # those that are not control characters of ASCII
_ENDS_A_PART = frozenset("/\\?#@&;|<>$`'\"(){}\x7f" + _LINE_ENDS) | frozenset(map(chr, range(32)))
_ENCODED = re.compile(r"%(?:25)*(2e|2f|5c)", re.IGNORECASE)
_DECODED = {"2e": ".", "2f": "/", "5c": "\\"}
_PARENT = re.compile(r"(?<![\w.~-])\.\.(?![\w.~-])")
_LONGEST_CHARS = 10_000


def glob_fits(glob: str, text: str) -> bool:
    """Whether the whole text fits the glob.

    `*` stays inside one part of a path, an address or a command line; only `**` leaves it. With a star in
    the glob, a text that has a `..` part or more than 10,000 characters does not fit: it is asked about.

    The text is read once, with the set of places reached in the glob as bits of a number: no glob and no text
    can make it take longer than their lengths multiplied, as a backtracking regular expression would.
    """
    pieces: list[str] = _PIECE.findall(glob)
    stars = [(at, piece) for at, piece in enumerate(pieces) if piece[0] == "*"]
    if not stars:
        return text == glob.replace("[*]", "*")
    if len(text) > _LONGEST_CHARS or _climbs(text):
        return False
    star = sum(1 << at for at, _ in stars)
    anything = sum(1 << at for at, piece in stars if len(piece) > 1)
    letters: dict[str, int] = {}
    for at, piece in enumerate(pieces):
        if not star >> at & 1:
            letter = "*" if piece == "[*]" else piece
            letters[letter] = letters.get(letter, 0) | 1 << at
    reached = 1 | (star & 1) << 1
    for letter in text:
        stay = reached & (anything if letter in _ENDS_A_PART else star)
        reached = stay | (reached & letters.get(letter, 0)) << 1
        reached |= (reached & star) << 1
    return bool(reached >> len(pieces) & 1)


def literal(text: str) -> str:
    """The glob that only this text fits."""
    return text.replace("*", "[*]")


def _climbs(text: str) -> bool:
    """Whether a part of the text is `..`, plain or percent-encoded (once or more often)."""
    plain = _ENCODED.sub(lambda match: _DECODED[match.group(1).lower()], text)
    return _PARENT.search(plain) is not None


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType, reportUnknownLambdaType]
    return repr(value)
