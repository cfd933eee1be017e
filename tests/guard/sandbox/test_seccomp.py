"""What namespaces and Landlock leave open and the filter of system calls shuts; without it, each is open."""

import asyncio
import ctypes
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from oneclaw.guard.sandbox import landlock, seccomp
from oneclaw.guard.sandbox.sandbox import SandboxChoice

from .conftest import MakeSay, listening

if not seccomp.is_known():
    pytest.skip("the system calls of this machine are not known", allow_module_level=True)

SHUT = pytest.mark.parametrize("way", ["bubblewrap", "landlock"])
YAMA = Path("/proc/sys/kernel/yama/ptrace_scope")
CALLS = "import ctypes, os, socket, subprocess, sys; libc = ctypes.CDLL(None, use_errno=True)\n"
"""Each attack prints `open` if it gets through; its arguments follow."""

ON_THE_FIRST_BASH = {
    "its descriptors are taken": f"""
first = os.pidfd_open(int(sys.argv[1]))
for number in range(3, 70):
    taken = libc.syscall({seccomp.number_of("pidfd_getfd")}, first, number, 0)
    if taken >= 0 and os.readlink(f"/proc/self/fd/{{taken}}").startswith("socket"):
        os.write(taken, b"s 0 1\\n")
        print("open")
""",
    "it is traced": "libc.ptrace(0x4206, int(sys.argv[1]), 0, 0) == 0 and print('open')",
    "its memory is asked for": """
class Piece(ctypes.Structure): _fields_ = [("at", ctypes.c_void_p), ("size", ctypes.c_size_t)]
here = Piece(ctypes.addressof(ctypes.create_string_buffer(8)), 8)
libc.process_vm_readv(int(sys.argv[1]), ctypes.byref(here), 1, ctypes.byref(Piece(8, 8)), 1, 0)
ctypes.get_errno() == 14 and print('open')  # that there is nothing at this address
""",
    "its limits are changed": """
import resource
resource.prlimit(int(sys.argv[1]), resource.RLIMIT_NOFILE, (4, 4))
print('open')
""",
}
EVERYWHERE = {
    "rings that make calls unseen": (
        f"libc.syscall({seccomp.number_of('io_uring_setup')}, 8, bytes(256)) >= 0 and print('open')"
    ),
    "a key of the user": f"""
kept = ctypes.create_string_buffer(8)
libc.syscall({seccomp.number_of("keyctl")}, 11, int(sys.argv[1]), kept, 8)
kept.value == b"tweet" and print('open')
""",
    "a key left for the user's programs": f"""
made = libc.syscall({seccomp.number_of("add_key")}, b"user", b"oneclaw-evil", b"x", 1, ctypes.c_int(-3))
made > 0 and print('open')
""",
}
BESIDE_LANDLOCK = {
    "a program that listens on a file": "socket.socket(1).connect(sys.argv[1]); print('open')",
    "letters to a file": "socket.socket(1, 2).sendto(b'x', sys.argv[2]); print('open')",
    "letters from a pair": "socket.socketpair(1, 2)[0].sendto(b'x', sys.argv[2]); print('open')",
    "letters from a raw pair": "socket.socketpair(1, 3)[0].sendto(b'x', sys.argv[2]); print('open')",
    "letters by the network": "socket.socket(2, 2); print('open')",
    "memory that programs share": "libc.shmget(0, 4096, 0o1600) >= 0 and print('open')",
    "a limit of another program": """
import resource
resource.prlimit(int(sys.argv[3]), resource.RLIMIT_CORE, (0, 0))
print('open')
""",
    "the processors of another program": "os.sched_setaffinity(int(sys.argv[3]), {0}); print('open')",
    "the priority of another program": "os.setpriority(os.PRIO_PROCESS, int(sys.argv[3]), 19); print('open')",
    "the disk of all programs of the user": f"""
libc.syscall({seccomp.number_of("ioprio_set")}, 3, 0, 7 << 13)
ctypes.get_errno() == 22 and print('open')  # that there is no such class
""",
    "a namespace": "libc.unshare(0x10000000) == 0 and print('open')",
    "a process in a namespace": f"""
made = libc.syscall({seccomp.number_of("clone")}, 0x10000000 | 17, 0, 0, 0, 0)
made > 0 and print('open')
""",
}


def line(code: str, *arguments: object) -> str:
    return shlex.join(["python3", "-c", CALLS + code, *map(str, arguments)])


def nothing(*, network: bool) -> bytes:
    """The filter of the twins."""
    return b""


@pytest.fixture
def key() -> Iterator[int]:
    """A key of this program, as a desktop keeps those of its user."""
    call = ctypes.CDLL(None).syscall
    made = call(seccomp.number_of("add_key"), b"user", b"oneclaw-canary", b"tweet", 5, ctypes.c_int(-3))
    if made < 0:
        pytest.skip("this kernel keeps no keys")
    yield made
    call(seccomp.number_of("keyctl"), 3, made)


@pytest.mark.parametrize("code", ON_THE_FIRST_BASH.values(), ids=ON_THE_FIRST_BASH)
@SHUT
async def test_the_first_bash_which_reports_is_out_of_reach(
    make_say: MakeSay, way: SandboxChoice, code: str
) -> None:
    done = await make_say(way)(f"{line(code)} $$; exit 3")
    assert (done.out.text, done.code) == ("", 3)


@pytest.mark.skipif(YAMA.exists(), reason="this kernel refuses it by itself")
@pytest.mark.parametrize("code", ON_THE_FIRST_BASH.values(), ids=ON_THE_FIRST_BASH)
async def test_the_twin_reaches_the_first_bash(
    make_say: MakeSay, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr(seccomp, "namespace_filter", nothing)
    done = await make_say("bubblewrap")(f"{line(code)} $$; exit 3")
    assert "open" in done.out.text or done.code == 0, "one of them says that it ended well before it does"


@pytest.mark.parametrize("code", EVERYWHERE.values(), ids=EVERYWHERE)
@SHUT
async def test_what_no_namespace_shuts_is_shut(
    make_say: MakeSay, monkeypatch: pytest.MonkeyPatch, key: int, way: SandboxChoice, code: str
) -> None:
    assert (await make_say(way)(line(code, key))).out.text == ""
    if way == "bubblewrap":
        monkeypatch.setattr(seccomp, "namespace_filter", nothing)
        twin = await make_say(way)(line(code, key))
        if "io_uring" not in code or twin.out.text:  # some kernels have no rings to begin with
            assert twin.out.text == "open\n", "the twin"


async def test_a_machine_that_this_one_runs_on_is_not_reached(
    make_say: MakeSay, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "socket.socket(socket.AF_VSOCK); print('open')"
    assert (await make_say("bubblewrap")(line(code))).out.text == ""
    families = "[socket.socket(family).close() for family in (1, 2, 10)]; print('open')"
    assert (await make_say("bubblewrap")(line(families))).out.text == "open\n"
    try:
        socket.socket(socket.AF_VSOCK).close()
    except OSError:
        return  # this one runs on none
    monkeypatch.setattr(seccomp, "namespace_filter", nothing)
    assert (await make_say("bubblewrap")(line(code))).out.text == "open\n", "the twin"


def landlocked(code: str, arguments: tuple[object, ...], *, is_filtered: bool, network: bool = False) -> str:
    """What an attack prints that Landlock shuts in, alone or with the filter."""
    shut = (
        "from oneclaw.guard.sandbox import landlock, seccomp\n"
        "landlock.restrict(['/'], [], network=False)\n"
        f"if {is_filtered}: seccomp.restrict(seccomp.landlock_filter(first=os.getpid(), network={network}))\n"
    )
    return printed(shut + code, arguments)


def printed(code: str, arguments: tuple[object, ...]) -> str:
    """What an attack prints that nothing shuts in, as on a bare machine."""
    done = subprocess.run(
        [sys.executable, "-c", CALLS + code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout


@pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")
@pytest.mark.parametrize("code", BESIDE_LANDLOCK.values(), ids=BESIDE_LANDLOCK)
async def test_what_landlock_knows_nothing_of_is_shut(tmp_path: Path, code: str) -> None:
    files = tmp_path / "stream", tmp_path / "letters"
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as letters, other:
        letters.bind(str(files[1]))
        with listening(str(files[0])):
            given = (*files, other.pid)
            shut = await asyncio.to_thread(landlocked, code, given, is_filtered=True)
            twin = await asyncio.to_thread(landlocked, code, given, is_filtered=False)
            bare = await asyncio.to_thread(printed, code, given)
        other.communicate()
    assert shut == ""
    if os.geteuid() == 0 and "sched_setaffinity" in code:
        return  # nobody touches what has powers of root
    if twin == "":
        assert bare == "", "the twin"
        pytest.skip("this machine refuses it by itself")
    assert twin == "open\n", "the twin"


@pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")
def test_a_program_sets_its_own_priority_but_not_that_of_all_of_the_user() -> None:
    code = """
os.setpriority(os.PRIO_PROCESS, 0, 19); print(os.getpriority(os.PRIO_PROCESS, 0), end=' ')
libc.setpriority(os.PRIO_USER, 0, 0); print(ctypes.get_errno(), end='')
"""
    assert landlocked(code, (), is_filtered=True) == "19 1"


@pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")
def test_with_network_sockets_are_made_but_local_ones() -> None:
    code = "socket.socket(2); socket.socketpair(); print('made', end=' '); socket.socket(1); print('open')"
    assert landlocked(code, (), is_filtered=True, network=True) == "made "


async def test_with_network_the_twin_reaches_local_sockets_that_are_no_files(
    make_say: MakeSay, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"oneclaw-{os.getpid()}"
    reach = line("socket.socket(1).connect(chr(0) + sys.argv[1]); print('open')", name)
    with listening(f"\0{name}"):
        assert (await make_say("bubblewrap")(reach, network=True)).out.text == ""
        monkeypatch.setattr(seccomp, "namespace_filter", nothing)
        assert (await make_say("bubblewrap")(reach, network=True)).out.text == "open\n"


@pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")
def test_a_landlock_that_does_not_know_of_files_cut_short_has_none_cut(tmp_path: Path) -> None:
    file = tmp_path / "file"
    code = "libc.truncate(sys.argv[1].encode(), 1)"
    for truncates, size in ((False, 5), (True, 1)):
        file.write_text("tweet")
        shut = f"seccomp.restrict(seccomp.landlock_filter(first=1, network=False, truncates={truncates}))\n"
        begin = f"{CALLS}from oneclaw.guard.sandbox import seccomp\n{shut}"
        subprocess.run([sys.executable, "-c", begin + code, str(file)], check=True, timeout=60)
        assert file.stat().st_size == size


@pytest.mark.parametrize("size", [1 << 16, 1 << 32])
async def test_memory_by_a_number_which_outlives_its_command_is_small(make_say: MakeSay, size: int) -> None:
    sizes = f"(ctypes.c_long(64), ctypes.c_long({size}))"
    code = f"print([libc.syscall({seccomp.number_of('shmget')}, 0, size, 0o1600) >= 0 for size in {sizes}])"
    assert (await make_say("bubblewrap")(line(code))).out.text == "[True, False]\n"
