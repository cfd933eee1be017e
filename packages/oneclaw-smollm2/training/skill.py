"""A tool as the sentences know it: names, parameters, and templates of what people say to have it called.

A template is text with choices `[a|b]` (they nest; an empty one may be left out) and slots `{name}`.
The slot of a parameter fills that parameter; `{_name}` is only text. `{name!q}` may stand in quotes,
`{name!Q}` always does.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from oneclaw.core.tool import ToolDefinition

Slot = Callable[[random.Random], Any]
"""Makes a value: a text, or a pair of what is written and what is meant."""

TEXT: Mapping[str, Any] = {"type": "string"}
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_DETAILS = {"key_do", "key_am"}
"""Slots that fill a parameter in another grammatical form."""
_SLOT = re.compile(r"\{(_?\w+)(?:!(\w))?\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """One tool and what people say to it.

    schemas   the parameters in order; a name that ends in `?` is optional
    asks      templates that leave out what is required
    varied    other names of the tool, and of each parameter
    """

    name: str
    description: str
    schemas: Mapping[str, Mapping[str, Any]]
    templates: Sequence[str]
    slots: Mapping[str, Slot]
    asks: Sequence[str] = ()
    names: Sequence[str] = ()
    descriptions: Sequence[str] = ()
    renames: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])


@dataclass(frozen=True, slots=True)
class Instance:
    """A skill under one of its names; `given` maps the parameter of the skill to the one that is shown."""

    skill: Skill
    definition: ToolDefinition
    given: Mapping[str, str]


def instantiate(skill: Skill, chance: random.Random, is_varied: bool) -> Instance:
    """The tool as it is defined, or under another name, description and parameters."""
    name, description = skill.name, skill.description
    given = {each.rstrip("?"): each.rstrip("?") for each in skill.schemas}
    if is_varied:
        name = chance.choice([skill.name, *skill.names])
        description = chance.choice([skill.description, *skill.descriptions])
        given = {each: chance.choice([each, *skill.renames.get(each, ())]) for each in given}
    members = {given[each.rstrip("?")]: dict(schema) for each, schema in skill.schemas.items()}
    required = [given[each] for each in skill.schemas if not each.endswith("?")]
    schema = {"type": "object", "properties": members, "required": required}
    return Instance(skill, ToolDefinition(name=name, description=description, parameters=schema), given)


def say(instance: Instance, chance: random.Random) -> tuple[str, dict[str, Any]]:
    """A sentence and the arguments it stands for."""
    skill = instance.skill
    filled: dict[str, Any] = {}
    sentence = fill(choose(chance.choice(skill.templates), chance), skill.slots, chance, filled)
    arguments = {
        instance.given[name]: typed(filled[name], schema)
        for each, schema in skill.schemas.items()
        if (name := each.rstrip("?")) in filled
    }
    return sentence, arguments


def choose(template: str, chance: random.Random) -> str:
    """Take one of each choice, the innermost first."""
    while found := _CHOICE.search(template):
        template = template[: found.start()] + chance.choice(found[1].split("|")) + template[found.end() :]
    return re.sub(r" {2,}", " ", template).strip()


def fill(template: str, slots: Mapping[str, Slot], chance: random.Random, filled: dict[str, Any]) -> str:
    """Put a value into each slot; what a slot means is left in `filled`."""

    def put(found: re.Match[str]) -> str:
        made = slots[found[1]](chance)
        written, meant = made if isinstance(made, tuple) else (made, made)
        filled[found[1].split("_")[0] if found[1] in _DETAILS else found[1]] = meant
        return _quote(str(written), found[2], chance)

    return _SLOT.sub(put, template)


def _quote(text: str, how: str | None, chance: random.Random) -> str:
    if how is None or (how == "q" and chance.random() < 0.5):
        return text
    marks = [pair for pair in ('""', "''", "``", "“”") if not set(pair) & set(text)] or ["“”"]
    left, right = marks[0] if chance.random() < 0.5 else chance.choice(marks)
    return f"{left}{text}{right}"


def typed(value: Any, schema: Mapping[str, Any]) -> Any:
    """A number where the schema asks for one."""
    if schema.get("type") == "integer":
        return int(value)
    if schema.get("type") == "number":
        number = float(value)
        return int(number) if number == int(number) and "." not in str(value) else number
    return value
