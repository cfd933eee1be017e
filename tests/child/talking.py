"""A worker for the tests: `main` does what each frame says."""

import os
import time

from oneclaw.child.frames import LINE, Line


def main(greeting: str) -> None:
    line = Line()
    while True:
        what, _, rest = line.read().partition(b" ")
        if what == b"echo":
            line.write(rest)
        elif what == b"count":
            line.write(str(len(rest)).encode())
        elif what == b"who":
            line.write(f"{greeting} {os.getpid()}".encode())
        elif what == b"raw":
            os.write(LINE, rest)
        elif what == b"many":
            for number in range(int(rest)):
                line.write(str(number).encode())
        elif what == b"last":
            line.write(rest)
            os._exit(5)
        elif what == b"close":
            os.close(LINE)
            time.sleep(600)
        elif what == b"hang":
            time.sleep(600)
        elif what == b"raise":
            raise ValueError(rest.decode())
