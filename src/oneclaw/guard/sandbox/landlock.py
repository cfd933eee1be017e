"""Landlock: restricts a process to named files and no TCP.

The kernel is asked through ctypes; there are no more than three calls.
"""

import ctypes
import os
import struct
from collections.abc import Iterable

from oneclaw.child.own_process import DROP_CAPABILITY, SET_NO_NEW_PRIVILEGES, prctl

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_ABI_FLAG = 1
_PATH_BENEATH = 1
_CAPABILITIES = 64

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
TRUNCATES = 3
"""Since this version it knows of files that are cut short by their path, without being opened."""
_READ = _EXECUTE | _READ_FILE | _READ_FOLDER
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_TCP = 0b11  # bind and connect
_SCOPES = 0b11  # abstract sockets and signals


def version() -> int:
    """The version of Landlock in this kernel; 0 where there is none."""
    try:
        return _syscall(_CREATE, None, 0, _ABI_FLAG)
    except (OSError, AttributeError):
        return 0


def restrict(read: Iterable[str], write: Iterable[str], *, network: bool) -> None:
    """Keep to these files and folders from here on; there is no way back. Raises `OSError`."""
    abi = version()
    handled = (1 << 13) - 1
    for least, right in ((2, 1 << 13), (TRUNCATES, _TRUNCATE), (5, _IOCTL)):
        handled |= right if abi >= least else 0
    tcp = _TCP if abi >= 4 and not network else 0
    scopes = _SCOPES if abi >= 6 else 0
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    rules = _syscall(
        _CREATE, ctypes.create_string_buffer(struct.pack("QQQ", handled, tcp, scopes), 24), size, 0
    )
    try:
        for paths, rights in ((read, _READ), (write, handled)):
            for path in paths:
                _allow(rules, path, rights & handled)
        _drop_capabilities()
        prctl(SET_NO_NEW_PRIVILEGES, 1)
        _syscall(_RESTRICT, rules, 0)
    finally:
        os.close(rules)


def _drop_capabilities() -> None:
    """Let root start programs without its powers: one of them reads the variables of any process."""
    for capability in range(_CAPABILITIES):
        prctl(DROP_CAPABILITY, capability)


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not os.path.isdir(path):
            rights &= _OF_FILES
        _syscall(
            _ADD, rules, _PATH_BENEATH, ctypes.create_string_buffer(struct.pack("=Qi", rights, fd), 12), 0
        )
    finally:
        os.close(fd)


def _syscall(number: int, *arguments: object) -> int:
    result = ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
