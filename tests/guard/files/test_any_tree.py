"""Any tree, any links, any path: the secret never comes out, and the kernel's own verdict is the same."""

import ctypes
import errno
import os
import shutil
import stat
import struct
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneclaw.core.errors import ToolError
from oneclaw.core.session import Root, Workspace
from oneclaw.guard.files import paths

_OPENAT2 = 437
_RESOLVE_BENEATH_NO_MAGIC = 0x08 | 0x02

names = st.sampled_from(["a", "b", "c", "work", "closed", "out"])
steps = st.lists(st.one_of(names, st.sampled_from(["..", "..", ".", ""])), min_size=1, max_size=8).map(
    "/".join
)
prefixes = st.sampled_from(
    ["", "", "", "/", "{base}/", "{base}/work/", "{base}/work/../", "/proc/self/root/"]
)
spellings = st.builds(str.__add__, prefixes, steps)
places = st.lists(names, min_size=1, max_size=3).map("/".join)
links = st.lists(st.tuples(places, spellings), max_size=6)
relative_links = st.lists(st.tuples(places, steps), max_size=6)


class Tree:
    """A workspace of folders, files and links, in a folder where every other file holds the secret."""

    def __init__(self, links: list[tuple[str, str]], files: list[str]) -> None:
        self.base = Path(tempfile.mkdtemp()).resolve()
        self.work = self.base / "work"
        for folder in ("work/a/b/c", "work/b", "work/closed/a", "a/b/c", "out/a", "b"):
            (self.base / folder).mkdir(parents=True)
        for folder in ("", "a", "a/b", "a/b/c", "out", "out/a", "b", "work/closed", "work/closed/a"):
            for name in ("a", "b", "c"):
                self.put(folder, name, b"secret")
        for path in files:
            folder, _, name = path.rpartition("/")
            self.put(f"work/{folder}", name, b"inside")
        for place, target in links:
            where = self.work / place
            if not os.path.lexists(where) and where.parent.is_dir() and not self.is_outside(where.parent):
                where.symlink_to(target.format(base=self.base) or ".")

    def put(self, folder: str, name: str, content: bytes) -> None:
        path = self.base / folder / name
        if path.parent.is_dir() and not path.exists():
            path.write_bytes(content)

    def is_outside(self, path: Path) -> bool:
        real = path.resolve()
        return not real.is_relative_to(self.work) or real.is_relative_to(self.work / "closed")

    def content_outside(self) -> dict[str, bytes]:
        every = (path for path in self.base.rglob("*") if path.is_file() and not path.is_symlink())
        return {str(path): path.read_bytes() for path in every if self.is_outside(path)}

    def __enter__(self) -> "Tree":
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.base)


def read(workspace: Workspace, path: str) -> tuple[bytes, tuple[int, int]] | None:
    try:
        with paths.open_file(workspace, path) as file:
            status = os.fstat(file.fileno())
            return file.read(), (status.st_dev, status.st_ino)
    except ToolError:
        return None


@pytest.mark.covers("RFC004-SC-01")
@settings(max_examples=80)
@given(links, st.lists(places, max_size=5), st.lists(spellings, min_size=1, max_size=6))
def test_no_path_through_any_links_leads_out(
    links: list[tuple[str, str]], files: list[str], tried: list[str]
) -> None:
    with Tree(links, files) as tree:
        workspace = Workspace(tree.work, (Root(tree.work / "closed", "none"),))
        before = tree.content_outside()
        for path in tried:
            path = path.format(base=tree.base)
            found = read(workspace, path)
            assert found is None or found[0] == b"inside"
            try:
                with paths.open_folder(workspace, path) as folder:
                    assert all(folder.path_of(entry) for entry in folder.walk())
                paths.replace_file(workspace, path, b"inside", lambda: None)
            except ToolError:
                pass
        assert tree.content_outside() == before


@settings(max_examples=80)
@given(relative_links, st.lists(places, max_size=5), st.lists(steps, min_size=1, max_size=6))
def test_the_kernel_agrees(links: list[tuple[str, str]], files: list[str], tried: list[str]) -> None:
    with Tree(links, files) as tree:
        workspace = Workspace(tree.work)
        inside = {(s.st_dev, s.st_ino) for p in tree.work.rglob("*") if (s := p.lstat()) and p.is_file()}
        for path in filter(None, tried):
            ours, kernels = read(workspace, path), open_beneath(tree.work, path)
            if isinstance(kernels, tuple):
                assert ours is not None
                assert ours[1] == kernels
            elif kernels == errno.EXDEV:
                # The kernel refuses to leave the folder even to come back by name, as in ../work/a.
                assert ours is None or ours[1] in inside
            else:
                assert ours is None


def open_beneath(folder: Path, path: str) -> tuple[int, int] | int:
    """What openat2 finds at `path` without ever leaving `folder`: a regular file's identity, or its error."""
    libc = ctypes.CDLL(None, use_errno=True)
    how = struct.pack("QQQ", os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK, 0, _RESOLVE_BENEATH_NO_MAGIC)
    root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fd = libc.syscall(_OPENAT2, root, os.fsencode(path), how, len(how))
        if fd < 0:
            code = ctypes.get_errno()
            if code in (errno.ENOSYS, errno.EPERM):
                pytest.skip("this kernel has no openat2")
            return code
        status = os.fstat(fd)
        os.close(fd)
        return errno.EISDIR if stat.S_ISDIR(status.st_mode) else (status.st_dev, status.st_ino)
    finally:
        os.close(root)
