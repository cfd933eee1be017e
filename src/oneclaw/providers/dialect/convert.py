"""Converts a tool's parameters to a provider's dialect."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from oneclaw.core.define.normalize import SchemaNormalizer
from oneclaw.core.subschema import MANY, NAMED, ONE
from oneclaw.providers.dialect.change import Changes, DialectChange, Schema
from oneclaw.providers.dialect.gaps import Gaps
from oneclaw.providers.dialect.keys import NameMap, rename
from oneclaw.providers.dialect.resolve import resolve
from oneclaw.providers.dialect.rules import OUTPUT_RULES, RULES, SPEAKS_OF
from oneclaw.providers.dialect.shape import Shaper
from oneclaw.providers.dialect.simplify import simplify_root
from oneclaw.providers.dialect.strict import NotStrict, Strictness

DIALECTS = tuple(RULES)
_RULES = RULES | OUTPUT_RULES
_LOOSE = {"openai_strict": "openai", "anthropic_output": "anthropic"}
"""Dialects in which every object is closed, and the ones for schemas that do not allow that."""
_KEYWORDS = ONE | MANY | NAMED | SPEAKS_OF.keys() | {"type", "enum", "default", "nullable", "format"}


@dataclass(frozen=True, slots=True)
class Dialected:
    """Parameters as a provider takes them.

    schema     None: there is nothing to send, leave the parameters out
    changes    what is sent otherwise than it was written; all of it is still checked when the tool is called
    is_strict  whether the provider can hold a model to it (OpenAI's strict mode, Anthropic's output format)
    way        how names of properties lead back, where some had to change
    gaps       where null stands for what is left out, in strict mode
    """

    schema: Schema | None
    changes: tuple[DialectChange, ...] = ()
    is_strict: bool = False
    way: NameMap | None = None
    gaps: Gaps | None = None

    def restore(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call with the names its tool knows, without nulls that stand for nothing."""
        named = dict(arguments) if self.way is None else self.way.restore(arguments)
        return named if self.gaps is None else self.gaps.leave_out(named)


def to_dialect(parameters: Mapping[str, Any], dialect: str) -> Dialected:
    """The parameters of a tool as `dialect` takes them; never an error, whatever the schema is."""
    if dialect not in _RULES:
        raise ValueError(f"There is no dialect {dialect!r}; use one of {', '.join(DIALECTS)}.")
    changes = Changes()
    plain = simplify_root(_mend(resolve(parameters, changes), changes), changes)
    if dialect in _LOOSE:
        return _strict(parameters, plain, changes, dialect)
    schema = Shaper(RULES[dialect], changes).shape(plain, "$")
    way = None
    if dialect == "anthropic":
        schema, way = rename(schema, changes)
    if RULES[dialect].is_defined and not schema.get("properties"):
        changes.drop("$", "properties", "there are none; the field is left out")
        return Dialected(None, changes.listed())
    return Dialected(schema, changes.listed(), way=way)


def _strict(parameters: Mapping[str, Any], plain: Schema, changes: Changes, dialect: str) -> Dialected:
    try:
        shaped = Shaper(_RULES[dialect], changes).shape(plain, "$")
        strictness = Strictness(changes, keeps_optional=dialect == "anthropic_output")
        schema = strictness.close(shaped)
    except NotStrict as reason:
        loose = to_dialect(parameters, _LOOSE[dialect])
        why = DialectChange(reason.path, "strict", "dropped", f"strict mode is off: {reason}")
        return Dialected(loose.schema, (why, *loose.changes))
    return Dialected(schema, changes.listed(), is_strict=True, gaps=strictness.gaps)


def _mend(schema: Schema, changes: Changes) -> Schema:
    mender = SchemaNormalizer()
    fresh = mender.mend(schema)
    for note in mender.notes:
        path, _, text = note.partition(": ")
        word = text.partition(" ")[0]
        changes.rewrite(path, word if word in _KEYWORDS else "schema", text)
    return fresh
