"""Patterns for files, made of the words people have for them: `python files` is `*.py`."""

import re
from collections.abc import Callable, Iterable

from oneclaw_smollm2.message import Message

_TYPES = {
    "python": "py",
    "markdown": "md",
    "text": "txt",
    "javascript": "js",
    "typescript": "ts",
    "excel": "xlsx",
    "word": "docx",
    "shell": "sh",
    "rust": "rs",
    "image": "{png,jpg,jpeg,gif}",
    "photo": "{png,jpg,jpeg}",
}
_EXTENSIONS = {
    *("py", "md", "txt", "js", "ts", "json", "csv", "yaml", "yml", "toml", "xml", "html", "css", "sql", "sh"),
    *(
        "log",
        "pdf",
        "png",
        "jpg",
        "gif",
        "svg",
        "ini",
        "cfg",
        "rs",
        "go",
        "java",
        "mp3",
        "mp4",
        "zip",
        "docx",
    ),
    *("xlsx", "tex", "rst", "ipynb"),
}
_NO_NAMES = {
    *("find", "all", "any", "every", "file", "files", "folder", "the", "list", "search", "show", "named"),
    *(
        "called",
        "with",
        "name",
        "where",
        "which",
        "for",
        "look",
        "locate",
        "you",
        "can",
        "please",
        "and",
        "are",
    ),
    *(
        "there",
        "have",
        "has",
        "that",
        "whose",
        "its",
        "into",
        "from",
        "under",
        "inside",
        "what",
        "does",
        "did",
    ),
    *("need", "want", "give", "get", "contains", "containing", "somewhere", "documents", "out", "dig", "see"),
}
_PLAIN = re.compile(r"[\w-]{3,}")


def read_globs(message: Message) -> list[str]:
    """The surest that the message has: a pattern, a name or an ending, a type of file, a word of the name."""
    words = [each.text for each in message.pieces if each.can_start and " " not in each.text]
    quoted = [each.text for each in message.pieces if each.is_quoted and _PLAIN.fullmatch(each.text)]
    ways: tuple[Callable[[], Iterable[str]], ...] = (
        lambda: [word for word in words if "*" in word and "//" not in word],
        lambda: [name for word in message.paths if (name := _file_name(word))],
        lambda: [
            f"*.{ending}" for at, word in enumerate(words) if (ending := _ending(word, words[at + 1 :]))
        ],
        lambda: [f"*{word}*" for word in quoted],
        lambda: [f"*{word}*" for word in words if _PLAIN.fullmatch(word) and word.lower() not in _NO_NAMES],
    )
    found = (list(dict.fromkeys(way())) for way in ways)
    return next((patterns for patterns in found if patterns), list[str]())


def names_type(message: Message) -> bool:
    """Whether a message names a pattern, a file or a type of file, so that files are looked for by it."""
    words = [each.text for each in message.pieces if each.can_start and " " not in each.text]
    has_name = any(re.search(r"\w\.\w+\Z", path) for path in message.paths)
    return has_name or any("*" in word or _ending(word, words[at + 1 :]) for at, word in enumerate(words))


def _file_name(path: str) -> str | None:
    """`notes.md` as it is, `.md` as an ending; None for a folder."""
    if re.fullmatch(r"\.[A-Za-z]\w{0,5}", path):
        return f"*{path}"
    return path if re.search(r"\w\.\w+\Z", path) else None


def _ending(word: str, after: list[str]) -> str | None:
    """A type of file counts before `files`, or in the plural: `PDFs`."""
    low = word.lower()
    follows = bool(after) and after[0].lower() in ("file", "files", "documents", "scripts")
    single = low if low in _EXTENSIONS or low in _TYPES else low.removesuffix("s")
    if single not in _EXTENSIONS and single not in _TYPES:
        return None
    return _TYPES.get(single, single) if follows or single != low or low in _EXTENSIONS else None
