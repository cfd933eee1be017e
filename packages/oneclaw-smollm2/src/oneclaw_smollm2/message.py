"""What a message offers to a call: texts, addresses, paths and numbers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from oneclaw_smollm2.pieces import LITTLE, Piece, read_pieces

MOST_SPANS = 3_000

_URL = re.compile(r"https?://[^\s\"'`<>]+", re.IGNORECASE)
_DOMAIN = re.compile(
    r"(?:www\.[\w-]+(?:\.[\w-]+)+|[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|app|edu|gov|co\.uk)"
    r"|localhost(?=[:/])|127\.0\.0\.1)(?::\d+)?(?:[/?#]\S*)?\Z",
    re.IGNORECASE,
)
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+\Z")
_NAMED_FILE = re.compile(
    r"(?:~|\.{1,2})?/\S*|~|\S+/\S*|\.[A-Za-z][\w.-]*|[^\s.]\S*\.[A-Za-z]\w{0,9}"
    r"|(?:README|LICENSE|CHANGELOG|TODO|Makefile|Dockerfile)\Z"
)
_NUMBER = re.compile(r"(?<![\w.:/])[-+]?\$?\d+(?:,\d{3})*(?:\.\d+)?(?![\w:/]*[./:]\w|\d)")
_NUMERALS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_TENS = {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
NUMBER_WORDS = {**{word: value for value, word in enumerate(_NUMERALS)}, **_TENS, "dozen": 12, "hundred": 100}

_COMMON = {
    *("from", "with", "what", "this", "that", "the", "and", "for", "you", "are", "not", "all", "any", "get"),
    *("set", "one", "new", "out", "its", "can", "has", "how", "who", "did", "was", "have", "your", "them"),
}
"""Words that say nothing about which tool is meant."""


@dataclass(frozen=True, slots=True)
class Message:
    """What a message offers to a call.

    pieces   in order; a value copied from the message is a run of them
    urls     whole addresses; one written without a scheme is given one
    paths    words (and quoted texts) that look like the path of a file
    files    words that are a file only because of the words around them: `the file notes`
    folders  the same for folders: `the docs folder`, `in docs`
    numbers  whole and broken ones, digits or written out
    bare     the text without its quoted texts, addresses and paths: where a choice can be looked for
    """

    text: str
    pieces: tuple[Piece, ...]
    urls: tuple[str, ...]
    mails: tuple[str, ...]
    paths: tuple[str, ...]
    files: tuple[str, ...]
    folders: tuple[str, ...]
    numbers: tuple[int | float, ...]
    bare: str


def read_message(text: str) -> Message:
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    pieces = read_pieces(text)
    words = [each.text for each in pieces if any(map(str.isalnum, each.text))]
    urls = [url for word in words for url in _urls(word)]
    mails = [word for word in words if _MAIL.match(word)]
    paths = [word for word in words if looks_like_path(word)]
    taken = {*paths, *mails, *(each.text for each in pieces if each.is_quoted)}
    plain = [word for word in words if word not in taken and not _urls(word)]
    return Message(
        text=text,
        pieces=pieces,
        urls=_unique(urls),
        mails=_unique(mails),
        paths=_unique(paths),
        files=_unique(list(_nearby(plain, _BEFORE_FILE, {"file"}))),
        folders=_unique(list(_nearby(plain, _BEFORE_FOLDER, {"folder", "directory", "dir"}))),
        numbers=_numbers(text),
        bare=" ".join(plain),
    )


def speaks_of(name: str, about: str, message: Message) -> bool:
    """Whether a word of the message is one of the tool's own, give or take its ending."""
    return bool(stems(f"{name} {about}".replace("_", " ")) & stems(message.bare))


def stems(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"[a-z]{3,}", text.lower())} - _COMMON


def is_address(word: str) -> bool:
    return bool(_urls(word))


def spans(message: Message, without: str = "") -> list[str]:
    """Every text that a call may copy, shortest runs first; none runs over the word `without`."""
    found: dict[str, None] = {}
    pieces = message.pieces
    for start, first in enumerate(pieces):
        if not first.can_start:
            continue
        run = ""
        for at in range(start, len(pieces)):
            piece = pieces[at]
            if piece.text == without and not piece.is_quoted:
                break
            run += piece.text if at == start else piece.gap + piece.text
            if piece.can_end and (at == start or not first.is_quoted):
                found[run] = None
            if first.is_quoted or len(found) >= MOST_SPANS:
                break
    return list(found)


def _urls(word: str) -> list[str]:
    if found := _URL.match(word):
        return [found[0]]
    if _DOMAIN.match(word) and not _MAIL.match(word):
        scheme = "http" if word.startswith(("localhost", "127.")) else "https"
        return [f"{scheme}://{word}"]
    return []


def looks_like_path(word: str) -> bool:
    if _URL.match(word) or _MAIL.match(word) or _DOMAIN.match(word) or "\n" in word:
        return False
    if "*" in word or (not any(char.isalpha() for char in word) and "~" not in word):
        return False  # *.md is a pattern, 12/05/2024 a date
    return _NAMED_FILE.fullmatch(word.replace(" ", "_")) is not None


_BEFORE_FILE = {"file", "called", "named"}
_BEFORE_FOLDER = {
    *(
        "in",
        "inside",
        "of",
        "under",
        "within",
        "from",
        "folder",
        "directory",
        "dir",
        "search",
        "through",
        "grep",
    ),
}
_ARTICLES = {"the", "a"}
_SKIPPED = LITTLE | {
    *("this", "folder", "directory", "file", "files", "here", "it", "workspace", "current", "new", "text"),
    *(
        "name",
        "names",
        "memory",
        "everything",
        "all",
        "there",
        "its",
        "his",
        "her",
        "their",
        "me",
        "you",
        "any",
    ),
    *("which", "order", "case", "general", "them", "these", "on", "about", "what", "lines"),
}


def _nearby(words: list[str], leads: set[str], follows: set[str]) -> Iterator[str]:
    for at, word in enumerate(words):
        before = next((w.lower() for w in reversed(words[:at]) if w.lower() not in _ARTICLES), "")
        after = words[at + 1].lower() if at + 1 < len(words) else ""
        if word.lower() not in _SKIPPED and (before in leads or after in follows):
            yield word


def _numbers(text: str) -> tuple[int | float, ...]:
    found: list[int | float] = []
    for match in _NUMBER.finditer(text):
        digits = match[0].replace(",", "").replace("$", "").lstrip("+")
        if len(digits) <= 15:
            found.append(float(digits) if "." in digits else int(digits))
    found += [NUMBER_WORDS[word] for word in re.findall(r"[a-z]+", text.lower()) if word in NUMBER_WORDS]
    return tuple(dict.fromkeys(found))


def _unique(words: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))
