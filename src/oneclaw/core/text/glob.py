"""Glob patterns for paths: *, ?, [abc], {a,b} and **.

Theory. A pattern is a row of segments, one for each name of a path. Going down a path we keep the set of
places in the row where we may be: a name moves a place on by one segment, and at ** it may also stay. The
path matches when the end of the row is among the places; a folder is worth entering while there is a place
before the end. The cost is the length of the path times that of the pattern, whatever the pattern.
"""

import re
from fnmatch import translate

MOST_CHARS = 1_000
MOST_ALTERNATIVES = 100
_ANY_FOLDERS = "**"
_GIT = ".git"

FilePlaces = frozenset[tuple[int, int]]
"""Which row, and which segment of it comes next."""


class InvalidGlob(Exception):
    """A pattern that cannot be used; the text says why."""


class Glob:
    """A pattern without / matches names in any folder; one that ends in / is for folders.

    Names that begin with a dot are matched by *, ? and ** only where `hidden`, and `.git` never: name it.
    """

    def __init__(self, pattern: str, *, hidden: bool = False) -> None:
        if not pattern or len(pattern) > MOST_CHARS:
            raise InvalidGlob(f"it must have 1 to {MOST_CHARS:,} characters")
        self.is_for_folders = pattern.endswith("/")
        self._hidden = hidden
        self._rows = [_segments(one) for one in expand_braces(pattern)]
        self._names = {name: re.compile(translate(name)) for row in self._rows for name in row}
        start = frozenset((index, 0) for index in range(len(self._rows)))
        self._folders: dict[str, FilePlaces] = {"": self._with_empty_folders(start)}

    def matches(self, path: str) -> bool:
        """Whether the pattern is for this path."""
        return any(place == len(self._rows[row]) for row, place in self._go(path))

    def may_match_below(self, folder: str) -> bool:
        """Whether something in this folder, or further down, can match."""
        places = self._folders[folder] = self._go(folder)
        return any(place < len(self._rows[row]) for row, place in places)

    def _go(self, path: str) -> FilePlaces:
        parent, _, name = path.rpartition("/")
        known = self._folders.get(parent)
        if known is not None:
            return self._step(known, name)
        places = self._folders[""]
        for name in path.split("/"):
            places = self._step(places, name)
        return places

    def _step(self, places: FilePlaces, name: str) -> FilePlaces:
        moved: set[tuple[int, int]] = set()
        for row, place in places:
            segments = self._rows[row]
            if place == len(segments) or not self._may_stand_for(segments[place], name):
                continue
            if segments[place] == _ANY_FOLDERS:
                moved.add((row, place))
            elif self._names[segments[place]].match(name):
                moved.add((row, place + 1))
        return self._with_empty_folders(frozenset(moved))

    def _may_stand_for(self, segment: str, name: str) -> bool:
        if not name.startswith(".") or segment.startswith("."):
            return name != _GIT or segment == _GIT
        return self._hidden and name != _GIT

    def _with_empty_folders(self, places: FilePlaces) -> FilePlaces:
        """With the places that are reached where ** stands for no folder at all."""
        reached = set(places)
        for row, place in places:
            segments = self._rows[row]
            while place < len(segments) and segments[place] == _ANY_FOLDERS:
                place += 1
                reached.add((row, place))
        return frozenset(reached)


def expand_braces(pattern: str) -> list[str]:
    """`a{b,c}` is `ab` and `ac`; braces without a comma are plain characters."""
    done: list[str] = []
    todo = [pattern]
    while todo:
        one = todo.pop()
        group = _first_group(one)
        if group is None:
            done.append(one)
        else:
            start, end, options = group
            todo += [one[:start] + option + one[end:] for option in reversed(options)]
        if len(done) + len(todo) > MOST_ALTERNATIVES:
            raise InvalidGlob(f"its braces expand to more than {MOST_ALTERNATIVES} patterns")
    return done


def _first_group(pattern: str) -> tuple[int, int, list[str]] | None:
    for start, char in enumerate(pattern):
        if char == "{":
            options, depth, begin = list[str](), 0, start + 1
            for index in range(start + 1, len(pattern)):
                here = pattern[index]
                if here == "{":
                    depth += 1
                elif here == "}" and depth:
                    depth -= 1
                elif depth == 0 and here in ",}":
                    options.append(pattern[begin:index])
                    begin = index + 1
                    if here == "}":
                        if len(options) > 1:
                            return start, index + 1, options
                        break
    return None


def _segments(pattern: str) -> tuple[str, ...]:
    if pattern.startswith("/"):
        raise InvalidGlob("it is matched below the folder in path and cannot begin with /")
    names = [name for name in pattern.split("/") if name not in ("", ".")]
    if ".." in names:
        raise InvalidGlob("it is matched below the folder in path and cannot contain ..")
    if not names:
        raise InvalidGlob("it names nothing")
    if "/" not in pattern.rstrip("/"):
        names.insert(0, _ANY_FOLDERS)
    return tuple(names)
