"""Changes that a process makes to itself: attributes, limits, descriptors, and becoming another program.

Supervisors and children load this file: it imports nothing that takes long.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from typing import NoReturn
else:
    import _signal

SET_PARENT_DEATH_SIGNAL = 1
DROP_CAPABILITY = 24
SET_CHILD_SUBREAPER = 36
SET_NO_NEW_PRIVILEGES = 38


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process; only Linux has them."""
    if sys.platform == "linux":
        from _ctypes import call_function, dlopen, dlsym  # pyright: ignore

        call_function(dlsym(dlopen(None, 0), "prctl"), (option, value, 0, 0, 0))  # pyright: ignore


def set_limit(limit: int, most: int) -> None:
    """Set a limit of `resource` for good; one that is lower already stays.

    For processor time SIGXCPU comes a second before SIGKILL, so that the exit says which limit it was.
    """
    import resource

    hard = resource.getrlimit(limit)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    soft = most - 1 if limit == resource.RLIMIT_CPU and most > 1 else most
    try:  # noqa: SIM105
        resource.setrlimit(limit, (soft, most))
    except (OSError, ValueError):
        pass  # not every system has every limit


def set_descriptors(descriptors: dict[int, int]) -> None:
    """Give each descriptor its number, and close all others but 0, 1 and 2."""
    moved: dict[int, int] = {}
    for number, source in descriptors.items():
        while source != number and source in descriptors:  # it would be overwritten
            source = os.dup(source)
        moved[number] = source
    for number, source in moved.items():
        if number != source:
            os.dup2(source, number)
        os.set_inheritable(number, True)
    close_all_but(*descriptors)


def close_all_but(*kept: int) -> None:
    """Close every descriptor but these and 0, 1 and 2."""
    low = 2
    for high in sorted({*kept, os.sysconf("SC_OPEN_MAX")}):
        if high > low:
            os.closerange(low + 1, high)
            low = high


def execute(argv: list[str]) -> "NoReturn":
    """Become a program, with the signals that Python ignores set back to their defaults."""
    for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
        _signal.signal(number, _signal.SIG_DFL)
    os.execvp(argv[0], argv)  # noqa: S606
