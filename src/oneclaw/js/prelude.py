"""Loads the prelude, the JavaScript evaluated before each tool file."""

import os

BORDER_LINE = 100_000
"""The prelude stands this many lines down, so that its lines in a stack are told from those of a tool."""


def read_prelude(folder: str) -> str:
    """The files of the prelude and then those of the library, in the order of their names."""
    texts: list[str] = []
    for place in (os.path.join(folder, "prelude"), os.path.join(folder, "lib")):
        for name in sorted(os.listdir(place)):
            if name.endswith(".js"):
                with open(os.path.join(place, name), encoding="utf-8") as file:
                    texts.append(file.read())
    return "\n".join(texts)
