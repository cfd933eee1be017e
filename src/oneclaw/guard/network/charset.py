"""Detects the character set of a body and decodes it."""

import codecs
import re

from oneclaw.guard.network.body import media_type

HTML = ("text/html", "application/xhtml+xml")
_SEARCHED_BYTES = 64 * 1024
"""How far into a page its own word about its character set is looked for."""

_NAMED = re.compile(r"""charset\s*=\s*["']?([A-Za-z0-9._:-]{1,40})""", re.IGNORECASE)
_META = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([A-Za-z0-9._:-]{1,40})""", re.IGNORECASE)
_XML = re.compile(rb"""\s{0,20}<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})""", re.IGNORECASE)
# The longer marks first: that of UTF-32 begins like one of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Codecs no page is written in; some of them take quadratic time.
_FOREIGN = frozenset(("idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "utf-7"))
# What browsers read for a name: pages that call themselves the smaller set are written in the larger one.
_LARGER = {
    "ascii": "",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "utf-16": "utf-16-le",
    "utf-32": "utf-32-le",
}


def decode(body: bytes, content_type: str | None, is_cut: bool = False) -> str:
    """The text of a body: by byte order mark, charset of the type, a document's own word, else UTF-8.

    What does not fit is replaced by U+FFFD. When the body was cut, half a character at its end is left out.
    A page that says nothing and is not UTF-8 is taken for Western European, as browsers do.
    """
    name = _charset(body, content_type)
    text = _read(body, name or "utf-8", is_cut)
    if not name and media_type(content_type) in HTML and _is_mostly_broken(text, body):
        return _read(body, "cp1252", is_cut)
    return text


def _read(body: bytes, name: str, is_cut: bool) -> str:
    return codecs.getincrementaldecoder(name)(errors="replace").decode(body, final=not is_cut)


def _charset(body: bytes, content_type: str | None) -> str:
    """The codec to read with; empty where nothing tells."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return name
    named = _NAMED.search(content_type or "")
    return _known(named[1]) if named else _own_word(body, media_type(content_type))


def _own_word(body: bytes, kind: str) -> str:
    found = _XML.match(body)
    if found is None and kind in (*HTML, ""):
        if body.startswith((b"<\0", b"\0<")):
            return "utf-16-le" if body.startswith(b"<") else "utf-16-be"
        found = _META.search(body[:_SEARCHED_BYTES])
    name = _known(found[1].decode("ascii")) if found else ""
    # Whoever could read these letters one by one was not reading two bytes for each.
    return "utf-8" if name.startswith(("utf-16", "utf-32")) else name


def _known(name: str) -> str:
    for spelling in (name, name.lower().removeprefix("x-")):
        try:
            b" ".decode(spelling, "replace")
            codec = codecs.lookup(spelling).name
        except (LookupError, UnicodeError):
            continue
        return "utf-8" if codec in _FOREIGN else _LARGER.get(codec, codec)
    return "utf-8"


def _is_mostly_broken(text: str, body: bytes) -> bool:
    """Whether of the letters outside ASCII more are broken than whole; a U+FFFD that was sent is whole."""
    broken = text.count("\ufffd") - body.count("\ufffd".encode())
    return broken > 0 and 2 * broken > len(text) - len(text.encode("ascii", "ignore"))
