"""Coerces values of the wrong type to the type the schema expects, and notes each change.

The validator leads: it says where a value does not fit and what it should be, through every `$ref`,
`anyOf` and condition, and only there is anything changed. A value that fits is never touched.

    "5" → 5    "true" → true    5.0 → 5    "null" → null    "[1,2]" → [1,2]    "x" → ["x"]
    null, "" or "null" for a parameter that may be left out → left out

Numbers do not become strings and booleans do not become numbers. A reading is *ambiguous* when
another one is as likely: "yes" as true, "a, b" as a list of one, "" as left out, another
alternative of the schema that fits after as few changes.
"""

import re
from collections.abc import Collection, Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from oneclaw.core.check.payload import decode, read_number
from oneclaw.core.check.plain import DEPTH, members, walk
from oneclaw.core.check.problem import Path, SchemaViolation, look_up, name_type, render_path, show
from oneclaw.core.check.repair import REPAIR_CHARS, MalformedJson, Repair, repair_whole

if TYPE_CHECKING:
    from oneclaw.core.check.schema import CompiledSchema

ROUNDS = 8
ALTERNATIVES_DEPTH = 6
EFFORT = 1_000
"""How much looking again one check may do; a hostile call ends there, with its problems listed."""

_NUMBER = re.compile(r"[+-]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_SEVERAL = re.compile(r"[,;\n]|^\s*[\[{]")
_YES, _NO = ("yes", "y", "on", "1"), ("no", "n", "off", "0")
_NOTHING = ("", "null", "None")
_EXACT = 2.0**53
_WITHOUT_FLOATS = frozenset((str, int, bool, type(None)))


@dataclass(frozen=True, slots=True)
class Reading:
    """A value converted to the expected type."""

    value: Any
    ambiguous: bool = False
    below: tuple["_Change", ...] = ()


@dataclass(frozen=True, slots=True)
class _Change:
    path: Path
    text: str
    ambiguous: bool


def coerce(schema: "CompiledSchema", arguments: dict[str, Any]) -> tuple[dict[str, Any], list[Repair]]:
    """The arguments, changed in place wherever a value can be read as its schema asks."""
    mending = _Coercion(schema, [arguments], [EFFORT])
    mending.run()
    return mending.box[0], [
        Repair(f"{render_path(change.path)}: {change.text}", change.ambiguous) for change in mending.changes
    ]


@dataclass(slots=True)
class _Coercion:
    """The mending of one value, held in a box of one so that it can itself be replaced."""

    schema: "CompiledSchema"
    box: list[Any]
    effort: list[int]
    depth: int = ALTERNATIVES_DEPTH
    changes: list[_Change] = field(default_factory=list[_Change])
    left_out: dict[Path, Any] = field(default_factory=dict[Path, Any])

    def run(self) -> None:
        for _ in range(ROUNDS):
            self.effort[0] -= 1 + sum(1 for _ in walk(self.box[0])) // 10
            if self.effort[0] < 0:
                return
            changed: list[Path] = []
            for finding in self.schema.findings(self.box[0]):
                if not any(finding.path[: len(path)] == path for path in changed) and self.mend(finding):
                    changed.append(finding.path)
            if not changed:
                return

    def mend(self, finding: SchemaViolation) -> bool:
        """Change what one finding is about, if it can be read otherwise; say whether it was changed."""
        if finding.keyword == "required":
            return self.put_back((*finding.path, finding.detail))
        value = look_up(self.box[0], finding.path)
        reading = self.read(finding, value)
        if reading is None:
            return finding.keyword in _CHOICES and self.leave_out(finding.path, value)
        self.set(finding.path, reading.value)
        if reading.below:
            self.changes += [replace(each, path=finding.path + each.path) for each in reading.below]
        else:
            text = f"{show(value)} was read as {name_type(reading.value)}"
            self.changes.append(_Change(finding.path, text, reading.ambiguous))
        return True

    def read(self, finding: SchemaViolation, value: Any) -> Reading | None:
        match finding.keyword:
            case "type":
                return read_as(value, finding.detail)
            case "enum":
                return _choose(value, finding.detail)
            case "const":
                return _choose(value, [finding.detail])
            case "anyOf" | "oneOf":
                return self.read_alternatives(finding, value)
            case _:
                return None

    def read_alternatives(self, finding: SchemaViolation, value: Any) -> Reading | None:
        """The alternative that fits after the fewest changes."""
        found: list[_Coercion] = []
        for index in range(len(finding.alternatives)) if self.depth else ():
            part = self.schema.part(f"{finding.location}/{index}")
            if part is None:
                continue
            mending = _Coercion(part, [deepcopy(value)], self.effort, self.depth - 1)
            mending.run()
            if mending.changes and part.is_valid(mending.box[0]):
                found.append(mending)
        if not found:
            return None
        best, *others = sorted(found, key=_Coercion.rank)
        rivals = [each for each in others if len(each.changes) <= len(best.changes) and each.box != best.box]
        below = tuple(replace(each, ambiguous=each.ambiguous or bool(rivals)) for each in best.changes)
        return Reading(best.box[0], below=below)

    def rank(self) -> tuple[bool, int]:
        return any(change.ambiguous for change in self.changes), len(self.changes)

    def leave_out(self, path: Path, value: Any) -> bool:
        """Take away a member that stands for nothing; it comes back if it turns out to be required."""
        if not path or isinstance(path[-1], int) or path in self.left_out:
            return False
        if value not in (None, *_NOTHING):
            return False
        del look_up(self.box[0], path[:-1])[path[-1]]
        self.left_out[path] = value
        self.changes.append(_Change(path, f"{show(value)} was read as left out", value is not None))
        return True

    def put_back(self, path: Path) -> bool:
        if path not in self.left_out or path[-1] in look_up(self.box[0], path[:-1]):
            return False
        self.set(path, self.left_out[path])
        self.changes = [change for change in self.changes if change.path != path]
        return True

    def set(self, path: Path, value: Any) -> None:
        box: Any = self.box
        look_up(box, (0, *path)[:-1])[(0, *path)[-1]] = value


_CHOICES = ("type", "enum", "const", "anyOf", "oneOf")


def read_as(value: Any, types: Collection[str]) -> Reading | None:
    """The value read as one of the types, or None where it cannot be."""
    reading = _read_text(value, types) if isinstance(value, str) else None
    if reading is not None:
        return reading
    if isinstance(value, float) and "integer" in types and _is_whole(value):
        return Reading(int(value))
    if "array" in types and not isinstance(value, list) and value not in (None, *_NOTHING):
        return Reading([value], isinstance(value, str) and bool(_SEVERAL.search(value)))
    return None


def _read_text(value: str, types: Collection[str]) -> Reading | None:
    text = value.strip()
    lower = text.lower()
    if "null" in types and text in _NOTHING:
        return Reading(None)
    if ("integer" in types or "number" in types) and len(text) <= 400 and _NUMBER.fullmatch(text):
        return _read_number(text, types)
    if "boolean" in types and lower in ("true", "false"):
        return Reading(lower == "true")
    if "boolean" in types and lower in _YES + _NO:
        return Reading(lower in _YES, ambiguous=True)
    if text[:1] == "[" and "array" in types:
        return _read_structure(text, list)
    if text[:1] == "{" and "object" in types:
        return _read_structure(text, dict)
    return None


def _read_number(text: str, types: Collection[str]) -> Reading | None:
    try:
        number = read_number(text.removeprefix("+"))
    except ValueError:
        return None
    if "number" in types or isinstance(number, int):
        return Reading(number)
    return Reading(int(number)) if _is_whole(number) else None


def _read_structure(text: str, kind: type) -> Reading | None:
    try:
        value, repairs = decode(text), list[Repair]()
    except ValueError:
        if len(text) >= REPAIR_CHARS:
            return None
        try:
            value, repairs = repair_whole(text, DEPTH, read_number)
        except MalformedJson:
            return None
    ambiguous = any(repair.ambiguous for repair in repairs)
    return Reading(value, ambiguous) if isinstance(value, kind) else None


def _choose(value: Any, choices: Collection[Any]) -> Reading | None:
    """The one choice that is not a string and is spelt like this string."""
    if not isinstance(value, str):
        return None
    try:
        meant = decode(value.strip())
    except ValueError:
        return None
    if isinstance(meant, str) or not any(meant == each and type(meant) is type(each) for each in choices):
        return None
    return Reading(meant)


def _is_whole(number: float) -> bool:
    return number.is_integer() and abs(number) < _EXACT


def has_whole_floats(arguments: dict[str, Any]) -> bool:
    """Whether a number such as 5.0 stands anywhere."""
    for value in arguments.values():
        if type(value) not in _WITHOUT_FLOATS:
            break
    else:
        return False
    return any(type(each) is float and _is_whole(each) for each in walk(arguments))


def round_whole_floats(schema: "CompiledSchema", arguments: dict[str, Any]) -> list[Repair]:
    """5.0 becomes 5 where only an integer fits: to JSON they are one number, to a tool they are not.

    Which those are, the validator says: with 0.5 in their place it asks for an integer.
    """
    paths = [path for path, value in _leaves(arguments) if type(value) is float and _is_whole(value)]
    probe = deepcopy(arguments)
    for path in paths:
        look_up(probe, path[:-1])[path[-1]] = 0.5
    asked = {finding.path for finding in schema.findings(probe) if _asks_integer(finding)}
    repairs: list[Repair] = []
    for path in paths:
        if path in asked:
            holder, step = look_up(arguments, path[:-1]), path[-1]
            repairs.append(
                Repair(f"{render_path(path)}: {holder[step]!r} was read as the integer {int(holder[step])}")
            )
            holder[step] = int(holder[step])
    return repairs


def _asks_integer(finding: SchemaViolation) -> bool:
    if finding.keyword == "type":
        return "integer" in finding.detail
    return any(
        _asks_integer(each)
        for alternative in finding.alternatives
        for each in alternative
        if each.path == finding.path
    )


def _leaves(value: Any) -> Iterator[tuple[Path, Any]]:
    waiting: list[tuple[Path, Any]] = [((), value)]
    while waiting:
        path, each = waiting.pop()
        if isinstance(each, dict | list):
            waiting.extend(((*path, step), below) for step, below in members(each))
        else:
            yield path, each
