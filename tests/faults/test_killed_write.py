"""kill -9 in the middle of writes: the old content or the new is there, whole, and nothing lies beside it."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from oneclaw.core.session import Workspace
from oneclaw.guard.files import paths, replace

SIZE = 300_000

WRITER = """
import sys
from itertools import cycle
from pathlib import Path
from oneclaw.core.session import Workspace
from oneclaw.guard.files import paths, replace

folder, how, size = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
if how == "portable":
    replace.UNNAMED = None
for letter in cycle("abcdefgh"):
    content = letter.encode() * size
    if how == "plainly":
        (folder / "file").write_bytes(content)
    else:
        paths.replace_file(Workspace(folder), "file", content, lambda: None)
    if letter == "b":
        print("writing", flush=True)
"""


def write_and_kill(folder: Path, how: str, seconds: float) -> bytes:
    """Let a process write again and again, kill it after a while, and return what the file holds."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), how, str(SIZE)], stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"writing\n"
        time.sleep(seconds)  # any moment will do
        writer.send_signal(signal.SIGKILL)
    return (folder / "file").read_bytes()


def is_whole(content: bytes) -> bool:
    return len(content) == SIZE and len(set(content)) == 1


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_killed_writer_leaves_one_whole_content(tmp_path: Path, many: int) -> None:
    chance = random.Random(20)
    for number in range(many):
        how = "linux" if number % 2 and replace.UNNAMED is not None else "portable"
        folder = tmp_path / str(number)
        folder.mkdir()
        assert is_whole(write_and_kill(folder, how, chance.uniform(0, 0.02)))
        left = set(os.listdir(folder)) - {"file"}
        assert all(name.startswith(replace.PREFIX) for name in left)
        if how == "linux":
            paths.replace_file(Workspace(folder), "file", b"next", lambda: None)
            assert os.listdir(folder) == ["file"]


@pytest.mark.slow
def test_a_plain_writer_that_is_killed_leaves_half_a_file(tmp_path: Path) -> None:
    """The twin: without the guard some kill leaves the file cut short."""
    chance = random.Random(20)
    assert any(not is_whole(write_and_kill(tmp_path, "plainly", chance.uniform(0, 0.02))) for _ in range(200))
