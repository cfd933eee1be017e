"""Child process that converts one page to Markdown."""

from oneclaw.child.frames import Line
from oneclaw.guard.network.readable import to_readable


def main(base_url: str | None, most_chars: int) -> None:
    """Read a page and write it as Markdown; write nothing when it cannot be read as HTML."""
    line = Line()
    text = to_readable(line.read().decode("utf-8", "replace"), base_url)
    if text is not None:
        line.write(text[:most_chars].encode("utf-8", "replace"))
