"""Programs that tests make themselves: which are there is then up to the test, not to this machine."""

from pathlib import Path


def make_program(folder: Path, name: str, text: str = "") -> None:
    """Put an executable of this name into the folder, which is made; it runs `text` in sh."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
