"""Maps tool names to provider-safe names of at most 64 characters, and back."""

import re
from collections.abc import Iterable

from oneclaw.core.define.naming import fit_name

_TAKEN = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}\Z")


class Names:
    """Two-way: the name of each tool on the wire, and the tool each name on the wire means.

    A name every provider takes stays. The others are fitted in alphabetical order, so that the same tools
    have the same names whatever order they come in.
    """

    __slots__ = ("_ours", "_wires")

    def __init__(self, names: Iterable[str]) -> None:
        every = sorted(set(names))
        self._wires = {name: name for name in every if _TAKEN.match(name)}
        self._ours = dict(self._wires)
        for name in every:
            if name not in self._wires:
                wire = fit_name(name, self._ours.keys())
                self._wires[name] = wire
                self._ours[wire] = name

    def wire(self, name: str) -> str:
        """The name a provider is sent."""
        return self._wires[name]

    def ours(self, wire: str) -> str:
        """The tool a model means; a name it made up is given back as it is, for the engine to refuse."""
        return self._ours.get(wire, wire)
