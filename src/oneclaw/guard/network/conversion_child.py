"""Child process that converts one page to Markdown."""

import json
import math
import os
import resource
import sys
from typing import Any


def main() -> int:
    request: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    _bound(resource.RLIMIT_CORE, 0)
    _bound(resource.RLIMIT_CPU, math.ceil(request["seconds"]) + 1)
    _bound(resource.RLIMIT_AS, request["bytes"])
    # Found from here, however the program found it: the package may be in no folder Python knows by itself.
    folder = os.path.abspath(__file__)
    for _ in range(4):
        folder = os.path.dirname(folder)
    sys.path.append(folder)
    from oneclaw.guard.network.readable import to_readable

    text = to_readable(sys.stdin.buffer.read().decode("utf-8", "replace"), request["base_url"])
    if text is None:
        return 1
    sys.stdout.buffer.write(text[: request["chars"]].encode("utf-8", "replace"))
    sys.stdout.buffer.flush()
    return 0


def _bound(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(what, (most, most))


if __name__ == "__main__":
    sys.exit(main())
