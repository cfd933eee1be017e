"""Performs checked chmod, chown and utime calls on behalf of Landlock sandboxes.

The filter of system calls has the kernel hold such a call and report it to the supervisor. The
supervisor opens the file, checks that the command may write it, and then makes the change itself to what it
has open. Letting the call go on would not do: another thread could meanwhile put another path in its place.
"""

import ctypes
import errno
import fcntl
import os
import struct
from collections.abc import Sequence

from oneclaw.guard.sandbox.seccomp import number_of

_RECEIVE, _SEND, _IS_VALID = 0xC0502100, 0xC0182101, 0x40082102
_CALL, _ANSWER = struct.Struct("=QIIiIQ6Q"), struct.Struct("=QqiI")
_HERE, _NO_LINK, _ITSELF = -100, 0x100, 0x1000
_PATH_BYTES, _TIMES_BYTES = 4096, 32


class SyscallBroker:
    """Answers the calls of one shell; `folders` are the files and folders that its commands may write."""

    def __init__(self, listener: int, folders: Sequence[str]) -> None:
        self._listener = listener
        self._folders = [os.path.realpath(folder) for folder in folders]
        self._libc = ctypes.CDLL(None, use_errno=True)

    def fileno(self) -> int:
        return self._listener

    def answer(self) -> None:
        """Take one call, and make its change or refuse it."""
        told = bytearray(_CALL.size)
        try:
            fcntl.ioctl(self._listener, _RECEIVE, told)
        except OSError:
            return  # who called is gone
        key, pid, _, number, _, _, *arguments = _CALL.unpack(told)
        try:
            self._change(key, pid, number, arguments)
            error = 0
        except Exception as failed:  # whatever it asked for: the supervisor must not end
            error = (failed.errno if isinstance(failed, OSError) else None) or errno.EFAULT
        try:  # noqa: SIM105
            fcntl.ioctl(self._listener, _SEND, _ANSWER.pack(key, 0, -error, 0))
        except OSError:
            pass  # who called is gone

    def _change(self, key: int, pid: int, number: int, arguments: list[int]) -> None:
        call = next(name for name in CALLS if number_of(name) == number)
        folder, path, rest, flags = CALLS[call]
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            at = arguments[path] if path is not None else 0
            name = _read_text(memory.fileno(), at) if at else b""
            times = b""
            if call == "utimensat" and arguments[rest]:
                times = os.pread(memory.fileno(), _TIMES_BYTES, arguments[rest])
        start = arguments[folder] if folder is not None else _HERE
        flag = arguments[flags] if flags is not None else _NO_LINK if call == "lchown" else 0
        is_itself = path is None or flag & _ITSELF or (call == "utimensat" and not at)
        if not name and not is_itself:
            raise OSError(errno.ENOENT, "")
        file = self._open(pid, ctypes.c_int(start).value, name, flag)
        try:
            fcntl.ioctl(self._listener, _IS_VALID, struct.pack("=Q", key))  # what was read was of this caller
            is_owned = os.fstat(file).st_uid == os.geteuid()  # the powers of root are not for the asking
            if not is_owned or not self._is_theirs(os.readlink(f"/proc/self/fd/{file}")):
                raise OSError(errno.EPERM, "")
            if call == "utimensat":
                self._set_times(file, times)
            elif call in _OF_OWNERS:
                _set_owner(file, *arguments[rest : rest + 2])
            else:
                os.chmod(f"/proc/self/fd/{file}", arguments[rest] & 0o7777)
        finally:
            os.close(file)

    def _open(self, pid: int, start: int, name: bytes, flags: int) -> int:
        """The file as the caller would find it, opened for nothing but to be known."""
        is_here = start == _HERE or name.startswith(b"/")
        of = f"/proc/{pid}/cwd" if is_here else f"/proc/{pid}/fd/{start}"
        base = os.open(of, os.O_PATH | os.O_CLOEXEC)
        if not name:
            return base
        for itself in (b"/proc/self/", b"/dev/fd/"):  # as libraries write a descriptor
            if name.startswith(itself):
                inside = b"" if itself.startswith(b"/proc") else b"fd/"
                name = b"/proc/%d/%s%s" % (pid, inside, name.removeprefix(itself))
        try:
            follow = os.O_NOFOLLOW if flags & _NO_LINK else 0
            return os.open(name, os.O_PATH | os.O_CLOEXEC | follow, dir_fd=base)
        finally:
            os.close(base)

    def _set_times(self, file: int, times: bytes) -> None:
        given = ctypes.create_string_buffer(times, _TIMES_BYTES) if times else None
        if self._libc.utimensat(file, b"", given, _ITSELF) != 0:
            raise OSError(ctypes.get_errno(), "")

    def _is_theirs(self, real: str) -> bool:
        return any(real == folder or real.startswith(f"{folder}/") for folder in self._folders)


CALLS: dict[str, tuple[int | None, int | None, int, int | None]] = {
    "chmod": (None, 0, 1, None),
    "chown": (None, 0, 1, None),
    "fchmod": (0, None, 1, None),
    "fchmodat": (0, 1, 2, None),
    "fchmodat2": (0, 1, 2, 3),
    "fchown": (0, None, 1, None),
    "fchownat": (0, 1, 2, 4),
    "lchown": (None, 0, 1, None),
    "utimensat": (0, 1, 2, 3),
}
"""Of each call the places of its folder, its path, the mode, the owner or the times, and the flags."""
_OF_OWNERS = ("chown", "fchown", "fchownat", "lchown")


def _read_text(memory: int, at: int) -> bytes:
    """A text of a process: read to the end of the page first, for what follows may not be there."""
    page = 4096 - at % 4096
    found = os.pread(memory, min(page, _PATH_BYTES), at)
    if b"\0" not in found:
        found += os.pread(memory, _PATH_BYTES, at + len(found))
    text, end, _ = found.partition(b"\0")
    if not end or len(text) >= _PATH_BYTES:
        raise OSError(errno.ENAMETOOLONG, "")
    return text


def _set_owner(file: int, *wanted: int) -> None:
    """As one may who has no powers: to oneself, and to a group of one's own."""
    owner, group = (ctypes.c_int(number).value for number in wanted)
    if owner not in (-1, os.geteuid()) or group not in (-1, os.getegid(), *os.getgroups()):
        raise OSError(errno.EPERM, "")
    os.chown(f"/proc/self/fd/{file}", owner, group)
