"""Reads parameter names and defaults from the root of a schema."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from oneclaw.core.check.plain import walk
from oneclaw.core.check.signature import resolve
from oneclaw.core.subschema import is_array, is_object

if TYPE_CHECKING:
    from oneclaw.core.check.schema import CompiledSchema

_OPEN = ("additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames", "$dynamicRef")
_BRANCHES = ("anyOf", "oneOf", "if", "then", "else", "dependentSchemas")
_FILL_DEPTH = 16

Node = Mapping[str, Any]


class Parameters:
    """The names a schema knows and the defaults it gives.

    names         every parameter the root names
    drops_others  whether other names are ignored: not where the schema itself says what it thinks
                  of them, or names no parameter at all
    defaults      the parameters of the root with a default that fits their own schema
    nested        whether a default stands deeper, so that `fill` has to look there
    """

    __slots__ = ("_root", "defaults", "drops_others", "names", "nested")

    def __init__(self, schema: "CompiledSchema") -> None:
        self._root: Node = schema.document if isinstance(schema.document, dict) else {}
        views = list(_views(self._root, self._root, branches=True))
        named = [view["properties"] for view in views if is_object(view.get("properties"))]
        self.names = frozenset[str]().union(*named)
        self.drops_others = bool(named) and not any(keyword in view for view in views for keyword in _OPEN)
        given = {
            name: default
            for name, node in self._members(self._root).items()
            for default in self._default(node)
        }
        misfits = {finding.path[0] for finding in schema.findings(given) if finding.path}
        self.defaults = {name: default for name, default in given.items() if name not in misfits}
        nodes = [each for each in walk(schema.document) if is_object(each)]
        defaults = sum("default" in node for node in nodes)
        self.nested = defaults > len(given) or (defaults > 0 and any("$ref" in node for node in nodes))

    def fill(self, arguments: dict[str, Any]) -> bool:
        """Put in the defaults of parameters that are not there; say whether any was put in."""
        missing = [name for name in self.defaults if name not in arguments]
        for name in missing:
            arguments[name] = deepcopy(self.defaults[name])
        if not self.nested:
            return bool(missing)
        below = [
            self._fill(node, arguments[name], _FILL_DEPTH)
            for name, node in self._members(self._root).items()
            if name in arguments
        ]
        return bool(missing) or any(below)

    def _fill(self, node: Any, value: Any, depth: int) -> bool:
        filled = False
        if depth and is_array(value):
            for view in _views(node, self._root):
                for each in value if "items" in view else ():
                    filled = self._fill(view["items"], each, depth - 1) or filled
        elif depth and isinstance(value, dict):
            for name, member in self._members(node).items():
                if name in value:
                    filled = self._fill(member, value[name], depth - 1) or filled
                    continue
                for default in self._default(member):
                    value[name] = deepcopy(default)
                    filled = True
        return filled

    def _members(self, node: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for view in _views(node, self._root):
            properties = view.get("properties")
            if is_object(properties):
                found = {**properties, **found}
        return found

    def _default(self, node: Any) -> list[Any]:
        """The default of a schema as a list of one, or nothing: None is a default too."""
        return [view["default"] for view in _views(node, self._root) if "default" in view][:1]


def _views(node: Any, root: Node, branches: bool = False) -> Iterator[Node]:
    """A schema and every schema that speaks of the same value: `$ref`, `allOf`, and its branches."""
    waiting: list[Any] = [node]
    seen: set[int] = set()
    while waiting:
        view = waiting.pop(0)
        if not is_object(view) or id(view) in seen:
            continue
        seen.add(id(view))
        yield view
        if isinstance(view.get("$ref"), str):
            target = resolve(view["$ref"], root)
            # What cannot be looked into may name anything.
            waiting.append({"additionalProperties": True} if target is None else target)
        for keyword in ("allOf", *_BRANCHES) if branches else ("allOf",):
            below = view.get(keyword)
            if keyword == "dependentSchemas" and is_object(below):
                waiting.extend(below.values())
            else:
                waiting.extend(below if is_array(below) else [below])
