"""ChildSpec: the child process to start, as plain data."""

import marshal
import os
import resource
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from oneclaw.child.frames import frame
from oneclaw.child.group import Group

LIFELINE = "{lifeline}"
"""Stands in `argv` for the number of the lifeline: such a program, like bubblewrap, is its own supervisor."""

_PASSED = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TMPDIR", "TZ", "LD_LIBRARY_PATH")


def environment(ours: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables of our environment that children get: paths, language and time zone, and no keys."""
    return {name: value for name, value in ours.items() if name in _PASSED or name.startswith("LC_")}


@dataclass(frozen=True, slots=True)
class ChildSpec:
    """The child to start: a program, or a module of ours whose `main` is called in a fork of the supervisor.

    argv         the program and its arguments; it is looked up on the PATH of `environment`
    module       the module, where there is no `argv`
    arguments    the arguments of its `main`: numbers, texts, lists, dicts
    is_guarded   whether a guardian watches the supervisor: needed where code of others might kill it
    is_watched   whether the module has a function `watch` that serves the child from inside the supervisor
    path         folders that are added to `sys.path` for the module
    environment  the whole environment: nothing of ours is added
    directory    the working directory; None for that of this program
    limits       limits of `resource`, by their numbers
    descriptors  our descriptors by the numbers they get in the child. Without 0 the child has no input. Where
                 1 or 2 is missing, the exit report has the end of that output. A program that is its own
                 supervisor keeps our numbers, but for 0, 1 and 2
    """

    argv: Sequence[str] = ()
    module: str = ""
    arguments: Sequence[Any] = ()
    is_guarded: bool = True
    is_watched: bool = False
    path: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    directory: str | None = None
    limits: Mapping[int, int] = field(default_factory=dict[int, int])
    descriptors: Mapping[int, int] = field(default_factory=dict[int, int])

    @property
    def is_supervisor(self) -> bool:
        return LIFELINE in self.argv

    def pack(self, group: Group | None) -> bytes:
        """The bytes that the supervisor reads; the child is to join the control group."""
        spec = marshal.dumps(
            {
                "argv": list(self.argv),
                "module": self.module,
                "arguments": list(self.arguments),
                "is_guarded": self.is_guarded,
                "is_watched": self.is_watched,
                "path": list(self.path),
                "limits": [(resource.RLIMIT_CORE, 0), *self.limits.items()],
                "descriptors": dict(self.descriptors),
                "groups": [] if group is None else [str(file) for file in group.files],
            }
        )
        return frame(spec)
