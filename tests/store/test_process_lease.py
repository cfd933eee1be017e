"""Who is alive: locks that the system lets go."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from oneclaw.core.errors import StoreError
from oneclaw.store.process_lease import ProcessLease, gate, is_alive, sweep


def test_one_is_alive_until_one_leaves(tmp_path: Path) -> None:
    presence = ProcessLease(tmp_path)
    assert is_alive(tmp_path, presence.name)
    presence.leave()
    assert not is_alive(tmp_path, presence.name)
    assert list(tmp_path.iterdir()) == []


def test_a_stranger_is_not_alive(tmp_path: Path) -> None:
    assert not is_alive(tmp_path, "1-000000000000")


def live_in_a_child(folder: Path) -> tuple[int, str]:
    """A child that takes its place and waits to be killed; its number and name."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover  ends by a signal
        os.write(send, ProcessLease(folder).name.encode())
        os.close(send)
        while True:
            signal.pause()
    os.close(send)
    with os.fdopen(receive) as pipe:
        return child, pipe.read()


def test_the_killed_are_dead_and_swept_away_and_the_living_stay(tmp_path: Path) -> None:
    child, name = live_in_a_child(tmp_path)
    try:
        assert is_alive(tmp_path, name)
        sweep(tmp_path)
        assert (tmp_path / name).exists()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert (tmp_path / name).exists()
    assert not is_alive(tmp_path, name)
    ours = ProcessLease(tmp_path)
    (tmp_path / "new.db").touch()
    sweep(tmp_path)
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([ours.name, "new.db"])
    ours.leave()


def orphan_of_a_dead_parent(folder: Path, forget_hook: bool) -> tuple[int, str]:
    """A child takes its place, forks and dies: the number of the one it forked, and its own name."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover  ends by a signal
        presence = ProcessLease(folder)
        if forget_hook:
            presence.drop = lambda: None
        grandchild = os.fork()
        if grandchild == 0:
            os.close(send)
            while True:
                signal.pause()
        os.write(send, f"{grandchild} {presence.name}".encode())
        os.kill(os.getpid(), signal.SIGKILL)
    os.close(send)
    with os.fdopen(receive) as pipe:
        grandchild, name = pipe.read().split()
    os.waitpid(child, 0)
    return int(grandchild), name


@pytest.mark.parametrize("forget_hook", [False, True])
def test_an_orphan_does_not_keep_its_dead_parent_alive(tmp_path: Path, forget_hook: bool) -> None:
    orphan, name = orphan_of_a_dead_parent(tmp_path, forget_hook)
    try:
        # Without the hook at the fork, the orphan holds the lock on.
        assert is_alive(tmp_path, name) == forget_hook
    finally:
        os.kill(orphan, signal.SIGKILL)


def test_a_program_that_is_just_being_loaded_does_not_keep_its_dead_parent_alive(tmp_path: Path) -> None:
    orphan, name = orphan_of_a_dead_parent(tmp_path, forget_hook=True)
    end = threading.Timer(0.05, os.kill, (orphan, signal.SIGKILL))
    assert is_alive(tmp_path, name, 0)
    end.start()
    assert not is_alive(tmp_path, name, 20)
    end.join()


def test_the_living_are_known_at_once(tmp_path: Path) -> None:
    child, name = live_in_a_child(tmp_path)
    started = time.monotonic()
    try:
        assert is_alive(tmp_path, name, 20)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert time.monotonic() - started < 10


def test_the_gate_lets_in_one_at_a_time(tmp_path: Path) -> None:
    refused = pytest.raises(StoreError, match="has been opening the store")
    with gate(tmp_path, 1.0), refused, gate(tmp_path, 0.02):
        pass
    with gate(tmp_path, 0.02):
        pass
