"""Parses docstrings in four common formats: description and parameters."""

from collections.abc import Collection
from inspect import cleandoc
from typing import NamedTuple

_PARAMETERS = {
    *("args", "arguments", "parameters", "params", "attributes", "fields"),
    *("keyword args", "keyword arguments", "other parameters"),
}
_ENDINGS = {
    *("returns", "return", "yields", "yield", "raises", "raise", "throws", "warns", "receives"),
    *("see also", "references", "todo"),
}
_FIELDS = {"param", "parameter", "arg", "argument", "key", "keyword", "ivar", "var"}
_OTHER_FIELDS = {
    *("type", "returns", "return", "rtype", "raises", "raise", "except", "exception", "yields", "ytype"),
    *("vartype", "cvar", "meta"),
}
_INLINE_ENDINGS = ("Returns: ", "Return: ", "Yields: ", "Raises: ")


class Docstring(NamedTuple):
    """The text before the parameters, and the text of each parameter."""

    description: str
    parameters: dict[str, str]


def parse(text: str | None, names: Collection[str] = ()) -> Docstring:
    """Read a docstring; only `names` count as parameters, so that prose such as `Note: …` stays prose.

    Google (`Args:`), NumPy (`Parameters` underlined), reST (`:param x:`) and plain `x: text` lines are known.
    """
    if not text:
        return Docstring("", {})
    if "\n" not in text:
        return Docstring(text.strip(), {})
    reader = _DocstringReader(cleandoc(text).splitlines(), names)
    reader.read()
    parameters = {name: " ".join(parts) for name, parts in reader.found.items() if any(parts)}
    return Docstring(_fold(reader.description), parameters)


class _DocstringReader:
    """Walks the lines once; `section` says what a line may be, `entry` is what it continues."""

    def __init__(self, lines: list[str], names: Collection[str]) -> None:
        self.lines = lines
        self.names = names
        self.description: list[str] = []
        self.found: dict[str, list[str]] = {}
        self.section = "description"
        self.indent = 0
        self.entry: list[str] | None = None

    def read(self) -> None:
        skip = False
        for number, line in enumerate(self.lines):
            if skip:
                skip = False
                continue
            stripped = line.strip()
            if not stripped and self.section == "description":
                self.description.append("")
            elif not stripped:
                self.entry = None if self.section in ("plain", "after") else self.entry
            elif self._is_underlined(number, stripped):
                self._start(stripped.lower(), "numpy", 0)
                skip = True
            else:
                self._line(line, stripped)

    def _line(self, line: str, stripped: str) -> None:
        indent = len(line) - len(line.lstrip())
        title = stripped[:-1].lower() if stripped.endswith(":") else ""
        if title in _PARAMETERS or title in _ENDINGS:
            self._start(title, "google", indent)
            return
        if stripped[0] in ":@" and ":" in stripped[1:] and self._field(stripped[1:]):
            return
        if self.section == "google" and indent <= self.indent:
            self.section, self.entry = "after", None
        if self.section == "google":
            self._google(indent, stripped)
        elif self.section == "numpy":
            self._numpy(indent, stripped)
        else:
            self._plain(line, stripped)

    def _google(self, indent: int, stripped: str) -> None:
        name, text = _split_entry(stripped)
        if name and (self.entry is None or indent <= self.entry_indent):
            self.entry_indent = indent
            self._begin([name], text)
        elif self.entry is not None:
            self.entry.append(stripped)

    def _numpy(self, indent: int, stripped: str) -> None:
        if indent == 0:
            names = stripped.partition(":")[0].split(",")
            self._begin([name.strip(" *") for name in names], "")
        elif self.entry is not None:
            self.entry.append(stripped)

    def _plain(self, line: str, stripped: str) -> None:
        name, text = _split_entry(stripped) if self.section != "after" else ("", "")
        if name in self.names:
            self.section = "plain"
            self._begin([name], text)
        elif self.entry is not None:
            self.entry.append(stripped)
        elif stripped.startswith(_INLINE_ENDINGS):
            self.section = "after"
        elif self.section == "description":
            self.description.append(line)

    def _field(self, field: str) -> bool:
        """Read `param int x: text`; false where the line only looks like a field."""
        head, _, text = field.partition(":")
        kind, *subject = head.split() or [""]
        if kind not in _FIELDS and kind not in _OTHER_FIELDS:
            return False
        self.section = "after"
        self.entry = []
        if kind in _FIELDS and subject:
            self._begin([subject[-1].strip("*")], text.strip())
        return True

    def _start(self, title: str, style: str, indent: int) -> None:
        self.section = style if title in _PARAMETERS else "after"
        self.indent = indent
        self.entry = None if title in _PARAMETERS else []

    def _begin(self, names: list[str], text: str) -> None:
        self.entry = [text] if text else []
        self.found.update({name: self.entry for name in names if name in self.names})

    def _is_underlined(self, number: int, stripped: str) -> bool:
        if stripped.lower() not in _PARAMETERS and stripped.lower() not in _ENDINGS:
            return False
        below = self.lines[number + 1].strip() if number + 1 < len(self.lines) else ""
        return len(below) > 2 and below.strip("-=") == ""


def _fold(lines: list[str]) -> str:
    """Paragraphs on one line each; lists, code and tables keep their lines."""
    paragraphs: list[str] = []
    current: list[str] = []
    for line in [*lines, ""]:
        if line:
            current.append(line)
        elif current:
            keeps = any(map(_stands_alone, current))
            paragraphs.append(("\n" if keeps else " ").join(current))
            current = []
    return "\n\n".join(paragraphs)


def _stands_alone(line: str) -> bool:
    """Whether a line is indented, an item of a list, a quotation, a prompt or a row of a table."""
    return line[0] in " -*+•>|" or line.partition(".")[0].isdigit()


def _split_entry(line: str) -> tuple[str, str]:
    """The name and the text of `name: text` and `name (type): text`, with or without a bullet or quotes."""
    head, colon, text = line.lstrip("-*+•` ").partition(":")
    if head.count("(") > head.count(")"):  # a colon within the type
        rest, colon, text = text.partition("):")
        head += rest
    name = head.partition("(")[0].strip(" `*")
    if not colon or not name.isidentifier() or (text and not text[0].isspace()):
        return "", ""
    return name, text.strip()
