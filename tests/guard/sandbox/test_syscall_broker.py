"""Modes, owners and times of files with Landlock: changed where a command may write, and nowhere else."""

import os
import shlex
from pathlib import Path

import pytest

from oneclaw.guard.sandbox import landlock, seccomp
from oneclaw.guard.sandbox.seccomp import number_of

from .conftest import MakeSay

pytestmark = pytest.mark.skipif(
    not landlock.version() or not seccomp.is_known(), reason="this machine has no Landlock"
)
OUTSIDE = {
    "by its path": "os.chmod(outside, 0o777)",
    "by a link": "os.symlink(outside, 'link'); os.chmod('link', 0o777)",
    "by a path from here": "os.chmod('../outside', 0o777)",
    "through /proc": "os.chmod('/proc/self/root' + outside, 0o777)",
    "from a folder": "os.chmod('outside', 0o777, dir_fd=os.open('..', os.O_PATH))",
    "by a descriptor": "os.chmod(f'/proc/self/fd/{os.open(outside, os.O_PATH)}', 0o777)",
    "its times": "os.utime(outside, (1, 1))",
    "its times, of a link": "os.symlink(outside, 'link'); os.utime('link', (1, 1))",
    "its owner, which takes away bits of its mode": "os.chown(outside, -1, -1)",
    "its owner, of a link": "os.symlink(outside, 'link'); os.chown('link', os.getuid(), os.getgid())",
    "its owner, by a descriptor": "os.chown(f'/proc/self/fd/{os.open(outside, os.O_PATH)}', -1, -1)",
    "its attributes": "os.setxattr(outside, 'user.x', b'1')",
    "while another thread exchanges the path": """
import threading
os.mkdir('own'); open('own/outside', 'w').close(); os.symlink('..', 'real'); os.symlink('own', 'swap')
def exchange():
    libc = ctypes.CDLL(None)
    for _ in range(2000): libc.renameat2(-100, b'real', -100, b'swap', 2)
other = threading.Thread(target=exchange); other.start()
while other.is_alive():
    try: os.chmod('swap/outside', 0o777)
    except OSError: pass
""",
}
INSIDE = """
os.mkdir('d'); open('d/f', 'w').close(); os.symlink('f', 'd/link'); folder = os.open('d', os.O_RDONLY)
os.chmod('d/f', 0o750); print(oct(os.stat('d/f').st_mode)[-3:])
os.chmod('f', 0o640, dir_fd=folder); print(oct(os.stat('d/f').st_mode)[-3:])
os.chmod(os.path.abspath('d/link'), 0o600); print(oct(os.stat('d/f').st_mode)[-3:])
file = os.open('d/f', os.O_RDWR); os.fchmod(file, 0o755); print(oct(os.stat('d/f').st_mode)[-3:])
os.utime('d/f', (1, 2)); print(int(os.stat('d/f').st_mtime))
os.utime(file, (1, 3)); print(int(os.stat('d/f').st_mtime))
os.utime('d/link', (1, 4), follow_symlinks=False); print(int(os.lstat('d/link').st_mtime))
os.utime('d/f'); print(os.stat('d/f').st_mtime > 1000)
os.chown('d/f', os.getuid(), -1); os.lchown('d/link', -1, os.getgid()); os.chown(file, -1, -1); print('own')
try: os.chown('d/f', 12345, -1)
except PermissionError: print('other')
try: os.chmod('d/absent', 0o600)
except FileNotFoundError: print('absent')
try: os.chmod('', 0o700)
except FileNotFoundError: print('empty')
libc = ctypes.CDLL(None); os.chdir('d')
print(libc.fchmodat(-7, os.path.abspath('f').encode(), 0o700, 0), oct(os.stat('f').st_mode)[-3:])
try: os.chmod('x' * 5000, 0o600)
except OSError as error: print(error.errno)
"""


def line(code: str, outside: Path) -> str:
    return shlex.join(["python3", "-c", f"import ctypes, os; outside = {str(outside)!r}\n{code}"])


@pytest.mark.parametrize("code", OUTSIDE.values(), ids=OUTSIDE)
async def test_a_file_outside_keeps_its_mode_and_its_times(
    make_say: MakeSay, tmp_path: Path, code: str
) -> None:
    outside = tmp_path / "outside"
    outside.write_text("x")
    outside.chmod(0o4600)
    before = outside.stat()
    await make_say("landlock")(line(code, outside))
    after = outside.stat()
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    assert os.listxattr(outside) == []
    (tmp_path / "ws" / "link").unlink(missing_ok=True)
    if "thread" not in code and "setxattr" not in code:
        await make_say("none")(line(code, outside))
        assert outside.stat() != after, "the twin: without the sandbox they are changed"


async def test_inside_they_are_changed_in_every_way_there_is(make_say: MakeSay, tmp_path: Path) -> None:
    done = await make_say("landlock")(line(INSIDE, tmp_path))
    assert done.out.text.split() == [
        *("750", "640", "600", "755"),
        *("2", "3", "4", "True"),
        *("own", "other"),
        *("absent", "empty", "0", "700", "36"),
    ], done.err.text


async def test_what_may_only_be_read_keeps_its_times_too(make_say: MakeSay, tmp_path: Path) -> None:
    program = Path("/usr/bin/env")
    before = program.stat().st_mtime_ns
    done = await make_say("landlock")(line("os.utime(os.open('/usr/bin/env', 0), (1, 1))", tmp_path))
    assert done.code != 0
    assert program.stat().st_mtime_ns == before


async def test_programs_that_set_modes_and_times_run(make_say: MakeSay) -> None:
    text = (
        "mkdir a && touch -d 2001-01-01 a/f && chmod +x a/f && cp -a a b && tar cf t b && rm -r b && tar xf t"
        " && stat -c '%a %y' b/f | cut -c1-14"
    )
    done = await make_say("landlock")(text)
    assert done.out.text == "755 2001-01-01\n", done.err.text


async def test_an_address_that_is_none_does_not_end_the_supervisor(make_say: MakeSay, tmp_path: Path) -> None:
    code = f"""
libc = ctypes.CDLL(None, use_errno=True)
for number in ({number_of("fchmodat")}, {number_of("utimensat")}):
    for at in (8, 2**63 - 1, 2**64 - 4096):
        said = libc.syscall(number, -100, ctypes.c_ulong(at), 0o700, 0), ctypes.get_errno() != 0
        print(*said)
"""
    say = make_say("landlock")
    done = await say(line(code, tmp_path))
    assert (done.out.text, done.fate) == ("-1 True\n" * 6, "kept"), done.err.text
