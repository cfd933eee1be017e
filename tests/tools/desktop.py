"""A desktop of our choice: its opener is a script that notes its words and its environment."""

from pathlib import Path

import pytest

from oneclaw.guard import opener


class Desktop:
    """`told` is what the opener was started with, word by word; None if it was not."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self._note = folder / "told"
        self._monkeypatch = monkeypatch
        monkeypatch.setattr(opener, "PLATFORM", "linux")
        monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
        monkeypatch.delenv("DISPLAY", raising=False)

    def start(self, after: str = "", folder: str = "bin") -> Path:
        """Make the opener, first in PATH; `after` are further lines of the script."""
        programs = self._folder / folder
        programs.mkdir(exist_ok=True)
        script = programs / "xdg-open"
        script.write_text(
            "#!/bin/sh\n"
            f'for word; do printf "%s\\n" "$word"; done > "{self._note}.part"\n'
            f'env > "{self._note}.env"\nmv "{self._note}.part" "{self._note}"\n{after}\n'
        )
        script.chmod(0o755)
        self._monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
        self._monkeypatch.setenv("DISPLAY", ":7")
        return script

    @property
    def told(self) -> list[str] | None:
        return self._note.read_text().splitlines() if self._note.exists() else None

    @property
    def environment(self) -> str:
        return self._note.with_suffix(".env").read_text()
