"""The child side of a JavaScript worker: keeps a tool loaded, and forks for each call.

Run as a script with the descriptor of its line, the limits of memory and stack, the folder of `_quickjs`, and
the id of the program.

Theory of operation. There are three processes, each a fork of the one before:

    keeper   has the prelude evaluated and never runs anything of a tool, so it always answers
    holder   has also evaluated one source; ends when another is asked for
    caller   waits for a request, runs it in that context, says how it ended, and is gone

So each call starts from the same state, and its fork was made while nobody waited for it. The line is one
socket that all three read, each exactly what is its own: four bytes of length, a letter, and the rest.

    L source    keeper: have a holder load it             C request   caller: run it
    F source    keeper: have a caller load and run it     A answer    caller: what it had asked the host
                                                          D           caller: the source is wanted no longer

Back come `d` with the text of a result, `v` with a result that is no text as JSON, and `j` with anything else
as JSON. A source that asked for chance, time or the host while it was loaded cannot be held, since what it
learned would be the same in every call. The program is told that it is impure, and sends it with F from then
on.

On SIGTERM, which it is also sent when the program ends, the keeper kills the group of the other two, waits
until they are gone (it adopts what they leave), and ends. What is imported is paid at every start, so the
inner modules of signal, json, ctypes and collections stand in for them: a worker starts in half the time.
"""

import os
import sys


def main() -> None:
    descriptor, memory_bytes, stack_bytes = (int(number) for number in sys.argv[1:4])
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path += [sys.argv[4], os.path.dirname(os.path.dirname(folder))]
    from oneclaw.js.border import Border, Line, quote
    from oneclaw.js.keeper import Keeper, follow
    from oneclaw.js.prelude import read_prelude

    follow(int(sys.argv[5]))
    line = Line(descriptor)
    try:
        border = Border(line, memory_bytes, stack_bytes, read_prelude(folder))
    except Exception as error:
        line.tell("unfit", quote(f"{type(error).__name__}: {error}"))
        os._exit(1)
    Keeper(line, border, memory_bytes).serve()


if __name__ == "__main__":
    main()
