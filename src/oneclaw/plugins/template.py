"""Template for a new plugin."""

import keyword
from pathlib import Path

from oneclaw.core.tool import NAME
from oneclaw.plugins.source import InvalidPlugin

_CODE = '''\
"""{title}."""

from oneclaw import Context, ToolError, tool


@tool(effect="read", seconds=10)
def {name}(context: Context, text: str, times: int = 1) -> str:
    """Repeat a text.

    Say here, to the model, what the tool does and when to use it.

    text: What to repeat.
    times: How often, from 1 to 100.
    """
    if not 1 <= times <= 100:
        raise ToolError(f"times is {{times}}; say how often from 1 to 100.")
    context.progress("repeating", 0.5)
    return " ".join([text] * times)
'''

_MANIFEST = """\
# What is known of the plugin without running its code. `oneclaw plugins show {name}` shows it.
name = "{name}"
description = "{title}."
version = "0.1.0"
# All that its tools may need, as ["network"]. A tool that declares more is left out.
permissions = []
"""


def write_template(folder: Path, name: str) -> list[Path]:
    """Write NAME.py and NAME.toml; nothing that is there is overwritten. Raises `InvalidPlugin`."""
    if not NAME.match(name) or keyword.iskeyword(name):
        raise InvalidPlugin(
            f"{name[:80]!r} cannot be the name of a tool: use lower-case letters, digits and _, starting with"
            " a letter, at most 64 characters, and no word of Python's own."
        )
    title = name.replace("_", " ").capitalize()
    texts = {folder / f"{name}.py": _CODE, folder / f"{name}.toml": _MANIFEST}
    for path in texts:
        if path.exists() or path.is_symlink():
            raise InvalidPlugin(
                f"{path} is there already; give the tool another name, or move the file away."
            )
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        with open(path, "x", encoding="utf-8") as file:
            file.write(text.format(name=name, title=title))
    return list(texts)
