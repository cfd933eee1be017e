"""Joins continued lines and extracts here-documents, as bash does before parsing.

A line that ends in a backslash goes on in the next. A text goes from the line after its operator to the line
that is its mark and nothing else. The grammar of bash loses its way in both; so they are done here, and it
gets to read what is left. Where this scanner does not know its way, as in a substitution, the command is left
as it is.
"""

import re
from dataclasses import dataclass

FILLED_IN = "The text that is its input is filled in while it runs (<<)."
_UNENDED = "A here-document in it has no end (<<)."
_OPERATOR = re.compile(
    r"""<<(-?)[ \t]*(?:'([^'\n]*)'|"([^"\\$`\n]*)"|(\\?)([A-Za-z0-9_.+\-]+))(?=[\s;|&<>]|\Z)"""
)
_SKIPPED = re.compile(r"""'[^']*'|"(?:[^"\\$`]|\\.)*"|\\.|<<<|[^'"\\$`<>(#\n]+|[<>](?![<(])|>>""", re.DOTALL)
STAND_IN = "<<"
"""The file a command seems to read where a text was taken out: nobody has one of that name."""


@dataclass(frozen=True, slots=True)
class _Mark:
    text: str
    is_quoted: bool
    is_indented: bool


def take_out(command: str) -> tuple[str, list[str]]:
    """The command without its texts and its joined lines, and what keeps the texts from being plain."""
    if "<<" not in command and "\\\n" not in command:
        return command, []
    pieces: list[str] = []
    doubts: list[str] = []
    marks: list[_Mark] = []
    at = 0
    while at < len(command):
        if command[at] == "\n":
            pieces.append("\n")
            at += 1
            while marks:
                at, doubt = _end_of(command, at, marks.pop(0))
                doubts += [doubt] if doubt else []
        elif found := _OPERATOR.match(command, at):
            text = next(part for part in (found[2], found[3], found[5]) if part is not None)
            marks.append(_Mark(text, found[5] is None or bool(found[4]), bool(found[1])))
            pieces.append(f"<'{STAND_IN}'")
            at = found.end()
        elif found := _SKIPPED.match(command, at):
            pieces.append(found[0] if found[0] != "\\\n" else "")
            at = found.end()
        else:
            return command, []
    if FILLED_IN in doubts:  # the grammar shows which commands are run to fill it in
        return command, doubts
    return "".join(pieces), [*doubts, *([_UNENDED] if marks else [])]


def _end_of(command: str, at: int, mark: _Mark) -> tuple[int, str]:
    """Where the text that begins here ends, its mark included, and what keeps it from being plain."""
    doubt = begun = ""
    while at < len(command):
        end = command.find("\n", at)
        line, at = (command[at:], len(command)) if end < 0 else (command[at:end], end + 1)
        line = begun + line
        bare = "" if mark.is_quoted else re.sub(r"\\.", "", line)
        if bare.endswith("\\"):  # it goes on in the next line before it is compared with the mark
            begun = line[:-1]
            continue
        begun = ""
        if (line.lstrip("\t") if mark.is_indented else line) == mark.text:
            return at, doubt
        doubt = FILLED_IN if "$" in bare or "`" in bare else doubt
    return at, _UNENDED
