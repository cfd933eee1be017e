"""Compiles a JSON Schema and validates values against it.

Nothing is fetched: a `$ref` reaches the document itself, the standard meta-schemas, and what the
caller hands over in `documents`. No value can stall the check through a `pattern`: each pattern is
compiled by the cheapest engine that takes it, and one check may spend only so much on patterns.
"""

from collections.abc import Mapping
from typing import Any, cast

import jsonschema_rs

from oneclaw.core.check.pattern import PatternPart, take_apart
from oneclaw.core.check.plain import is_large, members, walk
from oneclaw.core.check.problem import (
    ArgumentProblem,
    Path,
    SchemaViolation,
    clip,
    explain,
    json_path,
    quote,
    show,
)
from oneclaw.core.errors import InvalidSchema

ROOT = "urn:oneclaw:document"
"""The address of the document itself, for the parts of it that are checked alone."""

PATTERN_WORK = 262_144
"""Matching budget of one validation, in characters."""

KEY_CHARS = 16_384
"""The most characters of names in one value that are matched against `patternProperties`."""

_TOO_MUCH = "must be shorter to be checked against the patterns of its schema"
_STEPS = 2_000
_SMALL = 4_096
_SIZES = (_SMALL, 4 * _SMALL, 16 * _SMALL, 64 * _SMALL, 256 * _SMALL)


class _PatternBudget:
    """How much one check may still spend on patterns."""

    __slots__ = ("is_wanted", "left")

    def __init__(self) -> None:
        self.left = PATTERN_WORK
        self.is_wanted = False


class _Pattern:
    """`pattern`, bounded: what a match may cost is reckoned from the text before it is tried.

    An automaton takes time in proportion to its own size and to the text. Look-around and
    back-references need an engine that goes back, whose time grows with the square of the text.
    """

    __slots__ = ("_goes_back", "_pieces", "_shown", "_weight", "_work")

    def __init__(self, work: _PatternBudget, pattern: str) -> None:
        work.is_wanted = True
        self._work = work
        self._shown = quote(pattern)
        whole = [PatternPart(pattern, True)]
        for pieces, goes_back in ((whole, False), (take_apart(pattern), False), (whole, True)):
            made = [(_compile(piece.pattern, goes_back), piece.is_wanted) for piece in pieces]
            self._pieces = [(found[1], is_wanted) for found, is_wanted in made if found]
            self._weight = sum(found[0] for found, _ in made if found)
            self._goes_back = goes_back
            if self._pieces and len(self._pieces) == len(made):
                return
        raise ValueError(_NO_REGEX)

    def validate(self, instance: Any) -> None:
        if not isinstance(instance, str):
            return
        chars = len(instance)
        self._work.left -= self._weight * (1 + (chars * chars // 8 if self._goes_back else chars))
        if self._work.left < 0:
            raise ValueError(f"must be shorter to be checked against the pattern {self._shown}")
        for validator, is_wanted in self._pieces:
            if validator.is_valid(instance) is not is_wanted:
                self._give_up(validator, instance)
                raise ValueError(f"must match the pattern {self._shown}")

    def _give_up(self, validator: jsonschema_rs.Validator, text: str) -> None:
        """Where going back was cut short nobody knows the answer, not even under a `not`."""
        kinds = (each.kind for each in validator.iter_errors(text)) if self._goes_back else ()
        if any(isinstance(kind, jsonschema_rs.ValidationErrorKind.BacktrackLimitExceeded) for kind in kinds):
            self._work.left = -1
            raise ValueError(f"must be simpler to be checked against the pattern {self._shown}")


def _compile(pattern: str, goes_back: bool) -> tuple[int, jsonschema_rs.Validator] | None:
    """The pattern in the smallest engine that takes it, with its weight; None if none does."""
    for size in _SIZES:
        options = jsonschema_rs.RegexOptions(size_limit=size)
        if goes_back:
            options = jsonschema_rs.FancyRegexOptions(backtrack_limit=_STEPS, size_limit=size)
        try:
            validator = jsonschema_rs.validator_for({"pattern": pattern}, pattern_options=options)
        except ValueError:
            continue
        return size // _SMALL, validator
    return None


class CompiledSchema:
    """A compiled JSON Schema: 2020-12, or the draft that `$schema` names.

    `documents` are schemas a `$ref` may reach, by address. `formats` says whether `format` is
    checked: None leaves it to the draft (2020-12 says no, draft 7 says yes).

    Values must be plain and bounded (see `plain`): the validator walks them on the machine stack.
    """

    __slots__ = ("_documents", "_formats", "_match_keys", "_parts", "_validator", "_work", "document")

    def __init__(
        self,
        document: Mapping[str, Any] | bool,
        documents: Mapping[str, Any] | None = None,
        formats: bool | None = None,
    ) -> None:
        if not isinstance(document, bool | Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidSchema(f"A schema is an object, true or false, not {show(document)}.", "$")
        self.document: dict[str, Any] | bool = document if isinstance(document, bool) else dict(document)
        self._documents = documents or {}
        self._formats = formats
        self._parts: dict[str, CompiledSchema | None] = {}
        self._match_keys: bool | None = None
        self._work = _PatternBudget()
        try:
            self._validator = self._compile()
        except jsonschema_rs.ValidationError as error:
            raise _invalid(error, self.document) from None
        except (ValueError, RecursionError, jsonschema_rs.ReferencingError) as error:
            raise InvalidSchema(f"The schema cannot be read: {error}.", "$") from None

    def _compile(self) -> jsonschema_rs.Validator:
        def pattern(parent: object, value: Any, path: object) -> _Pattern:
            return _Pattern(self._work, value)

        registry = None
        if self._documents:
            registry = jsonschema_rs.Registry(map(self._in_its_draft, self._documents.items()))
        return jsonschema_rs.validator_for(
            self.document,
            registry=registry,
            validate_formats=self._formats,
            offline=True,
            mask="…",
            pattern_options=jsonschema_rs.RegexOptions(size_limit=_SIZES[2]),
            keywords={"pattern": cast("type[jsonschema_rs.KeywordValidator]", pattern)},
        )

    def _in_its_draft(self, entry: tuple[str, Any]) -> tuple[str, Any]:
        """A document by its address. One that does not name its draft has that of the schema."""
        address, document = entry
        if isinstance(self.document, bool) or "$schema" not in self.document or isinstance(document, bool):
            return entry
        return address, {"$schema": self.document["$schema"], **document}

    def is_valid(self, value: Any) -> bool:
        if self._work.is_wanted:
            self._work.left = PATTERN_WORK
        if self._match_keys is not False and self._has_too_many_keys(value):
            return False
        try:
            return self._validator.is_valid(value) and self._work.left >= 0
        except ValueError:  # not a JSON value: a set, a lone surrogate
            return False

    def findings(self, value: Any) -> list[SchemaViolation]:
        """Everything that does not fit; of a very large value the first thing only."""
        self._work.left = PATTERN_WORK
        if self._has_too_many_keys(value):
            return [
                SchemaViolation((), "work", f"must have names of at most {KEY_CHARS:,} characters together")
            ]
        try:
            if is_large(value):
                self._validator.validate(value)
            else:
                found = [_find(error) for error in self._validator.iter_errors(value)]
                if found:
                    return found
        except jsonschema_rs.ValidationError as error:
            return [_find(error)]
        except ValueError:
            return [SchemaViolation((), "json", "must be plain JSON")]
        return [SchemaViolation((), "work", _TOO_MUCH)] if self._work.left < 0 else []

    def problems(self, value: Any) -> list[ArgumentProblem]:
        """`findings` in words, what is missing first."""
        findings = sorted(self.findings(value), key=lambda finding: finding.keyword != "required")
        return [problem for finding in findings for problem in explain(finding, value)]

    def part(self, location: str) -> "CompiledSchema | None":
        """The schema at an address that a finding named, or None where it cannot stand alone."""
        if location not in self._parts:
            head: dict[str, Any] = {"$ref": location}
            if isinstance(self.document, dict) and "$schema" in self.document:
                head["$schema"] = self.document["$schema"]
            try:
                documents = {ROOT: self.document, **self._documents}
                self._parts[location] = CompiledSchema(head, documents, self._formats)
            except InvalidSchema:
                self._parts[location] = None
        return self._parts[location]

    def _has_too_many_keys(self, value: Any) -> bool:
        if self._match_keys is None:
            self._match_keys = "'patternProperties'" in repr((self.document, self._documents))
        chars = 0
        for each in walk(value) if self._match_keys else ():
            if isinstance(each, dict):
                chars += sum(map(len, cast("dict[str, Any]", each)))
                if chars > KEY_CHARS:
                    return True
        return False


def _find(error: jsonschema_rs.ValidationError) -> SchemaViolation:
    kind = error.kind
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in error.schema_path)
    location = error.absolute_keyword_location or "".join((f"{ROOT}#", *(f"/{step}" for step in steps)))
    path: Path = tuple(error.instance_path)
    match kind:
        case jsonschema_rs.ValidationErrorKind.AnyOf() | jsonschema_rs.ValidationErrorKind.OneOfNotValid():
            alternatives = tuple(tuple(map(_find, each)) for each in kind.context)
            return SchemaViolation(path, kind.name, None, location, alternatives)
        case jsonschema_rs.ValidationErrorKind.OneOfMultipleValid():
            return SchemaViolation(path, "oneOfSeveral", None, location)
        case jsonschema_rs.ValidationErrorKind.PropertyNames():
            return SchemaViolation(path, "propertyNames", kind.error.instance, location)
        case jsonschema_rs.ValidationErrorKind.Custom():
            return SchemaViolation(path, kind.keyword, kind.message, location)
        case _:
            return SchemaViolation(path, kind.name, kind.value, location)


def _invalid(error: jsonschema_rs.ValidationError, document: dict[str, Any] | bool) -> InvalidSchema:
    """The owner's error, with the JSON path of what is wrong in the schema."""
    message = error.message
    if isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Referencing):
        path = json_path(_locate_reference(message, document))
        why = _REFERENCE if "retriev" in message else message.partition(". ")[0]
    else:
        path = json_path(error.instance_path)
        is_regex = isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Format)
        is_name = error.instance_path[-1:] == ["$id"]
        why = _NO_REGEX if is_regex else _NO_ID if is_name else message.partition("ValueError: ")[2]
        why = why or "; ".join(each.expected for each in explain(_find(error), document))
    return InvalidSchema(f"The schema is wrong at {path}: {clip(why, 400)}.", path)


_NO_REGEX = "it is not a regular expression, is too large, or looks around where that is not possible"
_NO_ID = "an $id is an address without a name after `#`; write the name as $anchor"
_REFERENCE = "no other document is fetched; put the schema under $defs and refer to it as #/$defs/NAME"


def _locate_reference(message: str, document: dict[str, Any] | bool) -> Path:
    """Where the reference stands that an error speaks of: the error itself does not say."""
    best: tuple[int, Path] = (0, ())
    waiting: list[tuple[Path, Any]] = [((), document)]
    while waiting:
        path, node = waiting.pop()
        for step, child in members(node):
            here = (*path, step)
            if isinstance(child, str) and step in ("$ref", "$dynamicRef", "$recursiveRef", "$schema", "$id"):
                pieces = (child, *child.split("#"))
                matched = max((len(piece) for piece in pieces if piece in message), default=0)
                best = max(best, (matched, here), key=lambda pair: pair[0])
            else:
                waiting.append((here, child))
    return best[1]
