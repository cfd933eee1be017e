"""Measures the socket memory of a sandbox."""

import ctypes
import os
import random
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress

from oneclaw.child.process_tree import descendants

_MOST = 512
"""How many are looked at, at a time: any of them, by chance, and the others are taken to be like these."""
_FEW = 16
"""A sandbox may have so many without being looked at."""
_GET_DESCRIPTOR = 438  # pidfd_getfd, on every processor
_MEMORY = 55  # SO_MEMINFO
_NUMBERS = struct.Struct("9I")


def socket_bytes(pid: int) -> int:
    """Bytes waiting in the sockets of a process tree.

    A sandbox without network knows how many sockets there are in it, also those that are on their way in
    another one. Elsewhere those are what the processes have open.
    """
    used = _used(pid)
    if used <= _FEW:
        return 0
    found = {name: at for each in (pid, *descendants(pid)) for name, at in _opened(each)}
    looked_at = random.sample(sorted(found.values()), min(len(found), _MOST))
    sizes = [size for each, fd in looked_at if (size := _held(each, fd)) is not None]
    there = max(used, len(found)) if _is_apart(pid) else len(found)
    return sum(sizes) * there // max(1, len(sizes))


def _used(pid: int) -> int:
    """How many there are in the network of a process; that of the machine has those of all programs."""
    with suppress(OSError, ValueError), open(f"/proc/{pid}/net/sockstat") as file:
        return int(file.readline().split()[2])
    return 0


def _is_apart(pid: int) -> bool:
    """Whether its network is another one than ours."""
    with suppress(OSError):
        return os.stat(f"/proc/{pid}/ns/net").st_ino != os.stat("/proc/self/ns/net").st_ino
    return False


def _opened(pid: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """The sockets that a process has open: the name that each has for all, and where it is to be had."""
    with suppress(OSError):
        for fd in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                name = os.readlink(f"/proc/{pid}/fd/{fd}")
                if name.startswith("socket:"):
                    yield name, (pid, int(fd))


def _held(pid: int, fd: int) -> int | None:
    """Bytes held by one socket; None when it is gone."""
    try:
        process = os.pidfd_open(pid)
        try:
            ours = ctypes.CDLL(None, use_errno=True).syscall(_GET_DESCRIPTOR, process, fd, 0)
        finally:
            os.close(process)
        if ours < 0:
            return None
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=ours) as theirs:  # of any kind
            told = theirs.getsockopt(socket.SOL_SOCKET, _MEMORY, _NUMBERS.size)
        received, _, sent, _, ahead, queued, *_ = _NUMBERS.unpack(told)
    except (OSError, struct.error):
        return None
    return received + ahead + max(sent, queued)
