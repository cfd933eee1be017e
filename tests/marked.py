"""Reading a result with a mark around what came from outside."""

import re
from typing import NamedTuple

from oneclaw.guard.outside_mark import NOTE

_MARK = re.compile(
    r'(?P<before>.*?)<outside id="(?P<id>[0-9a-f]{12})" from="(?P<source>[^"\n]*)">\n'
    rf'{re.escape(NOTE)}\n(?P<inside>.*)\n</outside id="(?P=id)">(?P<after>.*)',
    re.DOTALL,
)


class Marked(NamedTuple):
    """What stands before the mark, in it and after it, and where the inside is said to come from."""

    before: str
    inside: str
    after: str
    source: str


def unmark(value: object) -> Marked:
    found = _MARK.fullmatch(str(value))
    assert found is not None, f"no mark: {value!r}"
    assert str(value).count(found["id"]) == 2, "the id of the mark is in the content"
    return Marked(found["before"].strip(), found["inside"], found["after"].strip(), found["source"])
