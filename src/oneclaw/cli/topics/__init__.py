"""The topics of `oneclaw help`, one Markdown file each; `docs/reference/help.md` is made from them, too."""

from pathlib import Path

FOLDER = Path(__file__).parent
ORDER = ("start", "chat", "models", "keys", "files", "permissions", "shell", "undo", "tools", "own-tools")
"""Topics of the first days; the others follow by name."""


def topics() -> list[str]:
    names = sorted(path.stem for path in FOLDER.glob("*.md"))
    return [*ORDER, *(name for name in names if name not in ORDER)]


def read_topic(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


def title_of(name: str) -> str:
    return read_topic(name).partition("\n")[0].removeprefix("# ")
