"""A filter of system calls: no sockets but local ones. Landlock alone lets UDP through, and so DNS."""

import ctypes
import os
import struct

_PR_SET_SECCOMP, _FILTER = 22, 2
_LOAD, _JUMP_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000 | 97  # EAFNOSUPPORT
_AT_NUMBER, _AT_ARCHITECTURE, _AT_FIRST_ARGUMENT = 0, 4, 16
_LOCAL = 1  # AF_UNIX
_IO_URING = 425
"""Sockets can be made through its rings as well."""
_MACHINES = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
"""The architecture as the kernel names it, and the number of `socket`."""


def is_known() -> bool:
    return os.uname().machine in _MACHINES


def forbid_sockets() -> None:
    """Make only local sockets from here on, in this process and all it starts. Raises `OSError`."""
    architecture, socket = _MACHINES[os.uname().machine]
    program = [
        (_LOAD, 0, 0, _AT_ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _AT_NUMBER),
        (_JUMP_EQUAL, 4, 0, _IO_URING),
        (_JUMP_EQUAL, 0, 2, socket),
        (_LOAD, 0, 0, _AT_FIRST_ARGUMENT),
        (_JUMP_EQUAL, 0, 1, _LOCAL),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in program))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)  # no new privileges
    if libc.prctl(_PR_SET_SECCOMP, _FILTER, header, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
