"""Renames without replacing: the kernel refuses a name that already exists."""

import errno
import os
from collections.abc import Callable
from functools import lru_cache

_NOREPLACE = 1
_MISSING = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


def rename_new(folder: int, name: str, target: int, new: str) -> None:
    """Rename an entry of one open folder into another; raises `FileExistsError` where the name is taken.

    Where the system or the file system cannot refuse by itself, the name is looked up first.
    """
    code = _renameat2()(folder, os.fsencode(name), target, os.fsencode(new))
    if not code:
        return
    if code not in _MISSING:
        raise OSError(code, os.strerror(code), name)
    try:
        os.stat(new, dir_fd=target, follow_symlinks=False)
    except FileNotFoundError:
        os.rename(name, new, src_dir_fd=folder, dst_dir_fd=target)
    else:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)


@lru_cache(1)
def _renameat2() -> Callable[[int, bytes, int, bytes], int]:
    """The system call, as a function that returns its error; `ENOSYS` where the C library has none."""
    import ctypes  # heavy, and seldom needed

    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "renameat2"):
        return lambda folder, name, target, new: errno.ENOSYS
    function = library.renameat2
    function.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]

    def call(folder: int, name: bytes, target: int, new: bytes) -> int:
        return ctypes.get_errno() if function(folder, name, target, new, _NOREPLACE) else 0

    return call
