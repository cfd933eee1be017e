"""What a message is made of: words, quoted texts, addresses, paths and numbers that a call can copy."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MOST_PIECES = 300
"""Pieces of one message that can be copied; what comes after is read by the model and not copied."""

MOST_SPANS = 3_000

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_WHOLE = re.compile(  # a date or an hour is copied whole or not at all
    rf"{_MONTH}\.?\s{_DAY}(?:,?\s\d{{4}})?\b|{_DAY}\s(?:of\s)?{_MONTH}(?:,?\s\d{{4}})?\b"
    r"|\d{1,2}(?::\d\d)?\s(?:am|pm|a\.m|p\.m)\b",
    re.IGNORECASE,
)
_MATES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»"}
_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<"}
_ENDS = ".,;:!?…"
_URL = re.compile(r"https?://[^\s\"'`<>]+", re.IGNORECASE)
_DOMAIN = re.compile(
    r"(?:www\.[\w-]+(?:\.[\w-]+)+|[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|app|edu|gov|co\.uk)"
    r"|localhost(?=[:/])|127\.0\.0\.1)(?::\d+)?(?:[/?#]\S*)?\Z",
    re.IGNORECASE,
)
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+\Z")
_NAMED_FILE = re.compile(
    r"(?:~|\.{1,2})?/\S*|~|\S+/\S*|\.[A-Za-z]\w*|[^\s.]\S*\.[A-Za-z]\w{0,9}"
    r"|(?:README|LICENSE|CHANGELOG|TODO|Makefile|Dockerfile)\Z"
)
_NUMBER = re.compile(r"(?<![\w.:/])[-+]?\$?\d+(?:,\d{3})*(?:\.\d+)?(?![\w:/]*[./:]\w|\d)")
_NUMERALS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_TENS = {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_WORDS = {**{word: value for value, word in enumerate(_NUMERALS)}, **_TENS, "dozen": 12, "hundred": 100}


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a message that is copied as a whole; `gap` is the white space before it."""

    gap: str
    text: str
    can_start: bool
    can_end: bool
    is_quoted: bool = False


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
    pieces = tuple(_pieces(text))
    words = [each.text for each in pieces if any(map(str.isalnum, each.text))]
    urls = [url for word in words for url in _urls(word)]
    mails = [word for word in words if _MAIL.match(word)]
    paths = [word for word in words if _is_path(word)]
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


def _pieces(text: str) -> Iterator[Piece]:
    at = count = 0
    while count < MOST_PIECES and (here := re.compile(r"(\s*)(?=\S)").match(text, at)):
        gap, at = here[1], here.end()
        made, at = _next_pieces(text, at)
        for piece in made:
            yield Piece(gap, piece.text, piece.can_start, piece.can_end, piece.is_quoted)
            gap, count = "", count + 1


def _next_pieces(text: str, at: int) -> tuple[list[Piece], int]:
    closing = _closing_quote(text, at)
    if closing:
        inner = Piece("", text[at + 1 : closing], True, True, is_quoted=True)
        return [_mark(text[at]), inner, _mark(text[closing])], closing + 1
    whole = _WHOLE.match(text, at)
    end = whole.end() if whole else _name_end(text, at)
    if end:
        return [Piece("", text[at:end], True, True)], end
    word = re.compile(r"\S+").match(text, at)
    assert word is not None  # the caller stands before something that is not white space
    return list(_split_word(word[0])), word.end()


def _name_end(text: str, at: int) -> int | None:
    """Where a name of several words ends, as `New York` or `Hill Road 3`; it is copied whole too.

    The first word of a sentence may be large without being part of a name.
    """
    before = text[:at].rstrip()
    if not before or before[-1] in ".!?:;":
        return None
    words = list(re.compile(r"\S+").finditer(text, at))[:6]
    size = 0
    while size < len(words) and _is_name(words[size][0]) and (not size or _is_next(words, size)):
        size += 1
        if words[size - 1][0][-1] in _ENDS:
            break
    if size < 2:
        return None
    last = words[size - 1]
    has_number = size < len(words) and re.fullmatch(r"\d{1,4}[.,;:!?]?", words[size][0])
    if has_number and last[0][-1] not in _ENDS and _is_next(words, size):
        last = words[size]
    return last.end() - (len(last[0]) - len(last[0].rstrip(_ENDS)))


def _is_name(word: str) -> bool:
    core = word.rstrip(_ENDS)
    return len(core) > 1 and core[0].isupper() and core[1].islower() and core.replace("-", "").isalpha()


def _is_next(words: list[re.Match[str]], at: int) -> bool:
    return words[at].start() == words[at - 1].end() + 1


def _closing_quote(text: str, at: int) -> int | None:
    """Where the quotation that starts at `at` ends: an apostrophe inside a word is no quotation mark."""
    mate = _MATES.get(text[at])
    if mate is None or text[at + 1 : at + 2].isspace():
        return None
    closing = text.find(mate, at + 2)
    while closing > 0:
        after = text[closing + 1 : closing + 2]
        if not text[closing - 1].isspace() and (not after or after.isspace() or after in _ENDS + ")"):
            return closing
        closing = text.find(mate, closing + 1)
    return None


def _split_word(word: str) -> Iterator[Piece]:
    """Opening marks, the word, closing marks: `(notes.txt),` → `(`, `notes.txt`, `)`, `,`."""
    head = len(word) - len(word.lstrip("\"'`([{<"))
    lead, core = word[:head], word[head:]
    size = len(core)
    while size and _is_loose(core[:size]):
        size -= 1
    for char in lead:
        yield Piece("", char, char in "{[(", False)
    if core[:size]:
        yield Piece("", core[:size], True, True)
    for char in core[size:]:
        yield _mark(char)


def _is_loose(core: str) -> bool:
    """Whether the last sign is none of the word: it ends a sentence, or closes what the word did not open."""
    last = core[-1]
    if last in _CLOSERS:
        return core.count(_CLOSERS[last]) < core.count(last)
    return last in _ENDS or (last in "\"'`" and core.count(last) % 2 == 1)


def _mark(char: str) -> Piece:
    return Piece("", char, False, char in _CLOSERS)


def _urls(word: str) -> list[str]:
    if found := _URL.match(word):
        return [found[0]]
    if _DOMAIN.match(word) and not _MAIL.match(word):
        scheme = "http" if word.startswith(("localhost", "127.")) else "https"
        return [f"{scheme}://{word}"]
    return []


def _is_path(word: str) -> bool:
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
_ARTICLES = {"the", "my", "a", "our"}
_SKIPPED = {
    *("the", "a", "an", "my", "our", "this", "that", "folder", "directory", "file", "files", "here", "it"),
    *("workspace", "current", "new", "text", "name", "names", "memory", "everything", "all", "there", "its"),
    *(
        "your",
        "his",
        "her",
        "their",
        "me",
        "you",
        "any",
        "which",
        "order",
        "case",
        "general",
        "them",
        "these",
    ),
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
    found += [_WORDS[word] for word in re.findall(r"[a-z]+", text.lower()) if word in _WORDS]
    return tuple(dict.fromkeys(found))


def _unique(words: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))
