"""Seccomp filter for system calls that namespaces and Landlock leave open.

Each rule is a call by name, the test of one of its arguments that refuses it, if there is one, and the error
that is given. The kernel runs the filter, as a program for its packet filter, before each system call.
"""

import ctypes
import errno
import os
import struct
from collections.abc import Iterable
from typing import Literal, NamedTuple

from oneclaw.child.own_process import SET_NO_NEW_PRIVILEGES, prctl

_PR_SET_SECCOMP, _FILTER = 22, 2
_LOAD, _AND, _JUMP, _JUMP_EQUAL, _JUMP_ANY, _RETURN = 0x20, 0x54, 0x05, 0x15, 0x45, 0x06
_ALLOW, _KILL, _REFUSE, _TELL = 0x7FFF0000, 0x80000000, 0x00050000, 0x7FC00000
_SET_FILTER, _GIVE_LISTENER, _SECCOMP = 1, 8, (317, 277)
_AT_NUMBER, _AT_ARCHITECTURE, _AT_ARGUMENTS = 0, 4, 16
_OTHER_NUMBERS = 0x40000000
"""The same calls have numbers with this bit for programs of a third kind (x32), if the kernel runs them."""

_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""The architecture as the kernel names it, and the column of its numbers."""
_NONE = 0xFFFFFFFF
"""A machine that came later does not have the call."""
_NUMBERS = {
    "add_key": (248, 217),
    "chmod": (90, _NONE),
    "chown": (92, _NONE),
    "clone": (56, 220),
    "clone3": (435, 435),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "file_setattr": (469, 469),
    "fremovexattr": (199, 16),
    "fsetxattr": (190, 7),
    "futimesat": (261, _NONE),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioprio_set": (251, 30),
    "keyctl": (250, 219),
    "lchown": (94, _NONE),
    "lremovexattr": (198, 15),
    "lsetxattr": (189, 6),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "msgctl": (71, 187),
    "msgget": (68, 186),
    "msgrcv": (70, 188),
    "msgsnd": (69, 189),
    "pidfd_getfd": (438, 438),
    "prlimit64": (302, 261),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "removexattr": (197, 14),
    "removexattrat": (466, 466),
    "request_key": (249, 218),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "semctl": (66, 191),
    "semget": (64, 190),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "setns": (308, 268),
    "setpriority": (141, 140),
    "setxattr": (188, 5),
    "setxattrat": (463, 463),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "shmget": (29, 194),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "truncate": (76, 45),
    "unshare": (272, 97),
    "utime": (132, _NONE),
    "utimensat": (280, 88),
    "utimes": (235, _NONE),
}

_ATTRIBUTES = tuple(
    f"{way}{what}xattr{at}"
    for what in ("set", "remove")
    for way, at in (("", ""), ("l", ""), ("f", ""), ("", "at"))
)
_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16
_STREAM, _PACKETS, _TYPE = 1, 5, 0xF
_NAMESPACES = 0x7E020000
_OF_THE_USER = (("setpriority", 2), ("ioprio_set", 3))
"""Calls, each with the first argument by which one for itself becomes one for all programs of the user."""


class _Rule(NamedTuple):
    """`test` of the argument with the number `at` (after `& mask`): the call is refused where it holds.

    Of each argument the lower half is tested, or the `upper` one.
    """

    call: str
    error: int = errno.EPERM
    test: Literal["", "is", "is not", "any of"] = ""
    at: int = 0
    values: tuple[int, ...] = ()
    mask: int = 0xFFFFFFFF
    upper: bool = False


_NO_LOCAL = (
    _Rule("socketpair", errno.EAFNOSUPPORT, "is not", 1, (_STREAM, _PACKETS), _TYPE),
    _Rule("socket", errno.EAFNOSUPPORT, "is", 0, (_UNIX,)),
)
"""Of pairs, those that take an address with each message reach others, too."""
_SMALL = (
    _Rule("shmget", errno.EINVAL, "any of", 1, (0xFFFF0000,)),
    _Rule("shmget", errno.EINVAL, "any of", 1, (0xFFFFFFFF,), upper=True),
)
"""Memory by a number stays when nobody has it any more: 64 KB of each are enough for a lock."""


def is_known() -> bool:
    """Whether the calls of this machine are known by their numbers."""
    return os.uname().machine in _MACHINES


def number_of(call: str) -> int:
    """The number of one of the calls that are filtered, on this machine."""
    return _NUMBERS[call][_MACHINES[os.uname().machine][1]]


def namespace_filter(*, network: bool) -> bytes:
    """Refused calls inside namespaces, where the first bash is process 1.

    Keys, and sockets to the machine that this one runs on (vsock), are the same in every namespace. With the
    network come the names of all local sockets that are no files, as those of a desktop: one of its programs
    would start others. So a command with network has no local ones, but for pairs.
    """
    if not is_known():
        return b""
    families = (_UNIX, _INET, _INET6, _NETLINK)
    alone = [_Rule("socket", errno.EAFNOSUPPORT, "is not", 0, families)]
    limits = _Rule("prlimit64", errno.EPERM, "is", 0, (1,))  # no bash starts others without descriptors
    return _program([*_everywhere(first=1), limits, *_SMALL, *(_NO_LOCAL if network else alone)])


def landlock_filter(*, first: int, network: bool, told: Iterable[str] = (), truncates: bool = True) -> bytes:
    """Refused calls beside Landlock; `first` is the first bash.

    A local socket reaches every program that listens on one: Landlock does not ask for the folder it is in.
    `told` are calls that a listener answers. `truncates` says whether Landlock knows of files cut short.
    """
    sockets = _NO_LOCAL if network else (*_NO_LOCAL[:1], _Rule("socket", errno.EAFNOSUPPORT))
    shared = ("shmget", "shmat", "shmctl", "semget", "semctl", "semop", "semtimedop")
    shared += ("msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink")
    scheduled = ("prlimit64", "sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler")
    return _program(
        [
            *_everywhere(first),
            *sockets,
            *(_Rule(call, errno.ENOSYS) for call in shared),
            *(_Rule(call, errno.EPERM, "is not", 0, (0,)) for call in scheduled),
            *(_Rule(call, errno.EPERM, "is not", 1, (0,)) for call, _ in _OF_THE_USER),
            *(_Rule(call, errno.EPERM, "is", 0, (user,)) for call, user in _OF_THE_USER),
            *(_Rule(call, errno.ENOSYS) for call in ("utime", "utimes", "futimesat")),
            *(_Rule(call, errno.EOPNOTSUPP) for call in (*_ATTRIBUTES, "file_setattr")),
            *(() if truncates else (_Rule("truncate"),)),
        ],
        told,
    )


def restrict(program: bytes, *, listens: bool = False) -> int:
    """Keep to a filter from here on, in this process and all it starts. Raises `OSError`.

    Where somebody `listens`, the descriptor is given on which they are told of calls.
    """
    code = ctypes.create_string_buffer(program)
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    prctl(SET_NO_NEW_PRIVILEGES, 1)
    if listens:
        number = _SECCOMP[_MACHINES[os.uname().machine][1]]
        done = libc.syscall(number, _SET_FILTER, _GIVE_LISTENER, header)
    else:
        done = libc.prctl(_PR_SET_SECCOMP, _FILTER, header, 0, 0)
    if done < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return done


def _everywhere(first: int) -> list[_Rule]:
    """Keys of the user, new namespaces, rings that make calls unseen, and the first bash, which reports."""
    keys = ("keyctl", "add_key", "request_key")
    rings = ("io_uring_setup", "io_uring_enter", "io_uring_register")
    return [
        *(_Rule(call, errno.ENOSYS) for call in (*keys, *rings)),
        _Rule("clone3", errno.ENOSYS),  # what it is to do stands in memory; clone is tried next
        *(_Rule(call, errno.EPERM, "any of", 0, (_NAMESPACES,)) for call in ("clone", "unshare")),
        *(_Rule(call) for call in ("setns", "pidfd_getfd")),
        _Rule("ptrace", errno.EPERM, "is", 1, (first,)),
        *(_Rule(f"process_vm_{way}v", errno.EPERM, "is", 0, (first,)) for way in ("read", "write")),
    ]


def _program(rules: Iterable[_Rule], told: Iterable[str] = ()) -> bytes:
    architecture, _ = _MACHINES[os.uname().machine]
    steps = [
        (_LOAD, 0, 0, _AT_ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _AT_NUMBER),
        (_JUMP_ANY, 0, 1, _OTHER_NUMBERS),
        (_RETURN, 0, 0, _REFUSE | errno.ENOSYS),
    ]
    for rule in rules:
        body = _body(rule)
        steps += [(_JUMP_EQUAL, 0, len(body), number_of(rule.call)), *body]
    for call in told:
        steps += [(_JUMP_EQUAL, 0, 1, number_of(call)), (_RETURN, 0, 0, _TELL)]
    steps.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _body(rule: _Rule) -> list[tuple[int, int, int, int]]:
    """Instructions of one rule; if its test passes, the next rule is tried."""
    refuse = (_RETURN, 0, 0, _REFUSE | rule.error)
    if not rule.test:
        return [refuse]
    jump = _JUMP_ANY if rule.test == "any of" else _JUMP_EQUAL
    count = len(rule.values)
    tests = [(jump, count - index, 0, value) for index, value in enumerate(rule.values)]
    end = [refuse] if rule.test == "is not" else [(_JUMP, 0, 0, 1), refuse]
    argument = (_LOAD, 0, 0, _AT_ARGUMENTS + 8 * rule.at + 4 * rule.upper)
    return [argument, (_AND, 0, 0, rule.mask), *tests, *end, (_LOAD, 0, 0, _AT_NUMBER)]
