"""How a child ended, in words."""

import pytest

from oneclaw.child.exit_report import Exit, read_exit


@pytest.mark.parametrize(
    ("ended", "words"),
    [
        (read_exit(0, "", "", False), "ended: exit code 0"),
        (read_exit(3, "one\ntwo \n\n", "", False), "ended: exit code 3; its last output was 'two'"),
        (read_exit(-11, "", "", False), "ended: killed by signal 11 (SIGSEGV)"),
        (read_exit(-64, "", "", False), "ended: killed by signal 64 (SIGRTMAX)"),
        (read_exit(-24, "", "", False), "ended: it reached its limit of processor time"),
        (read_exit(-25, "", "", False), "ended: it reached its limit of size of files"),
        (read_exit(-9, "", "", True), "ended: it reached its limit of memory"),
        (read_exit(-9, "last words", "its time was up", True), "was stopped: its time was up"),
        (read_exit(None, "", "", False), "ended: nobody knows how"),
    ],
)
def test_an_exit_says_how_it_was(ended: Exit, words: str) -> None:
    assert str(ended) == words


def test_code_and_signal_are_told_apart() -> None:
    assert (read_exit(9, "", "", False).code, read_exit(9, "", "", False).signal) == (9, None)
    assert (read_exit(-9, "", "", False).code, read_exit(-9, "", "", False).signal) == (None, 9)
