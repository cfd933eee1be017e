"""Maps null to omitted properties in strict mode, and back."""

from dataclasses import dataclass, field
from typing import Any

from oneclaw.core.subschema import is_array, is_object


@dataclass(slots=True)
class Gaps:
    """The properties of one object whose null is a gap, and the gaps of what lies in it.

    named  those that may be left out and take no null themselves
    kept   those that must be there or do take null, in some branch of an `anyOf`: there nobody can tell
    """

    named: set[str] = field(default_factory=set[str])
    kept: set[str] = field(default_factory=set[str])
    inner: dict[str, "Gaps"] = field(default_factory=dict[str, "Gaps"])
    items: "Gaps | None" = None

    def within(self, name: str) -> "Gaps":
        return self.inner.setdefault(name, Gaps())

    def of_items(self) -> "Gaps":
        self.items = self.items or Gaps()
        return self.items

    def leave_out(self, value: Any) -> Any:
        """A value of the wire without what stands for nothing."""
        if is_object(value):
            left = self.named - self.kept
            return {
                name: self.inner[name].leave_out(each) if name in self.inner else each
                for name, each in value.items()
                if each is not None or name not in left
            }
        if is_array(value) and self.items is not None:
            return [self.items.leave_out(each) for each in value]
        return value
