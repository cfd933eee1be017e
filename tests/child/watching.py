"""A watched child for the tests: its supervisor answers what it writes to the link."""

import os

from oneclaw.child.supervisor import LINK


def main(mark: bytes) -> None:
    os.write(LINK, b"from the child")
    os.write(2, os.read(LINK, 100))


class Echo:
    """Answers with a mark, what the child wrote, and the number of its own process."""

    def __init__(self, link: int, mark: bytes) -> None:
        self._link = link
        self._mark = mark

    def fileno(self) -> int:
        return self._link

    def answer(self) -> None:
        if said := os.read(self._link, 100):  # or the child has ended
            os.write(self._link, self._mark + said + b", %d" % os.getpid())


watch = Echo
