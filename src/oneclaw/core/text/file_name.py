"""Makes a safe file name from any text, such as a foreign id; never a path."""

from hashlib import sha256
from urllib.parse import quote

_MOST_CHARS = 200


def file_name(text: str) -> str:
    """A name for the text and for no other; letters, digits, blanks, `_`, `-`, `~` and most dots stay."""
    name = quote(text, safe=" ", errors="surrogatepass")
    if name.strip(".") and len(name) <= _MOST_CHARS:
        return name
    return f"={sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
