"""The list of GGUF files that a person has added."""

import json
import os
import re
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from oneclaw.core.errors import InvalidConfig
from oneclaw.core.settings.tree import LocalModelSettings
from oneclaw.providers.local.gguf import InvalidModel, read_header

PROVIDER = "local"
RESERVED = ("smollm2",)
"""Models that packages of ours bring: no added file takes their names."""
LEAST_WINDOW = 1_024
SPARE_BYTES = 256 << 20
"""Memory that a model needs besides its file and its conversation."""

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}\Z")


@dataclass(frozen=True, slots=True)
class LocalSettings(LocalModelSettings):
    """The settings of `local`, and where things are kept.

    home     the data folder, with the list of added models
    cache    the folder for files of models that can be fetched again
    """

    home: Path
    cache: Path

    @property
    def worker_threads(self) -> int:
        return self.threads or max(1, (os.cpu_count() or 2) - 1)


@dataclass(frozen=True, slots=True)
class LocalModel:
    """One model; `title` is the name its file gives itself."""

    name: str
    file: str
    title: str
    window: int
    file_bytes: int = 0
    token_bytes: int = 0


@dataclass(slots=True)
class LocalModels:
    """The models by name. The list is read each time, because another program may have changed it."""

    settings: LocalSettings

    @property
    def list_file(self) -> Path:
        return self.settings.home / "models.json"

    def all(self) -> dict[str, LocalModel]:
        """Every model that was added."""
        return self._read()

    def get(self, name: str) -> LocalModel:
        """The model of this name; raises `InvalidConfig`."""
        every = self.all()
        if name not in every:
            there = f"there are {', '.join(every)}" if every else "none was added"
            raise InvalidConfig(
                f"There is no local model {name[:80]!r}; {there}. `oneclaw models add PATH` adds a GGUF file."
            )
        return every[name]

    def add(self, file: Path, name: str = "") -> LocalModel:
        """Take a GGUF file into the list; it stays where it is. Raises `InvalidConfig`."""
        file = file.expanduser().absolute()
        if file.exists() and not file.is_file():
            raise InvalidModel(f"{file} is no plain file; name the GGUF file of a model.")
        header = read_header(file)
        # `Qwen3-4B-Q4_K_M.gguf` is `qwen3-4b-q4_k_m`
        name = name or re.sub(r"[^a-z0-9._-]+", "-", file.stem.lower()).strip("-._")[:64]
        if not _NAME.match(name):
            raise InvalidConfig(
                f"The model cannot be named {name[:80]!r}: use lower-case letters, digits, . _ and -,"
                " at most 64 characters."
            )
        if name in RESERVED:
            raise InvalidConfig(f"{name} is a model of OneClaw's own; give yours another name with --name.")
        known = self._read()
        if name in known and known[name].file != str(file):
            raise InvalidConfig(
                f"There is a model {name} already, {known[name].file}; name this one with --name, or"
                f" `oneclaw models remove {name}` first."
            )
        model = LocalModel(name, str(file), header.name, header.window, header.file_bytes, header.token_bytes)
        self._write({**known, name: model})
        return model

    def remove(self, name: str) -> LocalModel:
        """Take a model off the list; its file stays. Raises `InvalidConfig`."""
        known = self._read()
        model = known.pop(name, None)
        if model is None:
            return self.get(name)  # which says what there is
        self._write(known)
        return model

    def window_of(self, model: LocalModel) -> int:
        """The context window in tokens, within the limits of the file, the settings and the memory."""
        window = min(model.window, self.settings.window)
        memory_mb = self.settings.memory_mb
        if memory_mb is None or not model.token_bytes:
            return window
        room = (memory_mb << 20) - model.file_bytes - SPARE_BYTES
        fitting = room // model.token_bytes
        if fitting < min(LEAST_WINDOW, window):
            needed = model.file_bytes + SPARE_BYTES + LEAST_WINDOW * model.token_bytes
            raise InvalidConfig(
                f"{PROVIDER}/{model.name} needs at least {(needed >> 20) + 1:,} MB and local.memory_mb is"
                f" {memory_mb:,}; raise it, or use a smaller model."
            )
        return min(window, fitting)

    def _read(self) -> dict[str, LocalModel]:
        try:
            document: Any = json.loads(self.list_file.read_text(encoding="utf-8"))
            rows = cast("list[dict[str, Any]]", document["models"])
            return {row["name"]: LocalModel(**row) for row in rows}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise InvalidConfig(
                f"The list of models {self.list_file} cannot be read ({error}); mend it, or remove it and add"
                " the models again."
            ) from error

    def _write(self, models: dict[str, LocalModel]) -> None:
        """Replace the list in one step, readable for its owner alone."""
        file = self.list_file
        fresh = file.with_name(f"{file.name}.{os.getpid()}")
        text = json.dumps({"models": [asdict(model) for model in models.values()]}, indent=2)
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
                opened.write(text + "\n")
            fresh.replace(file)
        except OSError as error:
            with suppress(OSError):
                fresh.unlink()
            raise InvalidConfig(f"The list of models {file} cannot be written ({error.strerror}).") from error
