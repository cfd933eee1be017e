"""Approvals: what a person approved of each MCP server, in one file for each.

A server is started only when its command line is the approved one, and a tool is offered only when its name,
description and schemas are the approved ones. The files are in the data folder, where no tool writes.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from oneclaw.core.errors import InvalidConfig

FIELDS = ("title", "description", "input", "output")
"""The fields of a tool that are approved, besides its name."""


@dataclass(frozen=True, slots=True)
class ApprovedTool:
    """A tool as it was approved: our name of it, and its fields as the server gave them."""

    name: str
    fields: Mapping[str, Any]

    @property
    def digest(self) -> str:
        return digest_of(self.fields)


@dataclass(frozen=True, slots=True)
class Approved:
    """All that was approved of a server. `tools` are by the server's own names."""

    fingerprint: str = ""
    shown: str = ""
    tools: Mapping[str, ApprovedTool] = field(default_factory=dict[str, ApprovedTool])


class Approvals:
    """The files of approvals in the data folder."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "mcp"

    def file(self, server: str) -> Path:
        return self._folder / f"{server}.json"

    def read(self, server: str) -> Approved:
        """The approved tools; none without a file. Raises `InvalidConfig` for one that is broken."""
        path = self.file(server)
        try:
            said = cast("dict[str, Any]", json.loads(path.read_bytes()))
            tools = {
                raw: ApprovedTool(str(one["name"]), dict(one["fields"])) for raw, one in said["tools"].items()
            }
            return Approved(str(said["fingerprint"]), str(said["shown"]), tools)
        except FileNotFoundError:
            return Approved()
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidConfig(
                f"{path} cannot be read ({type(error).__name__}); remove it, and approve the server again:"
                f" oneclaw mcp approve {server}"
            ) from None

    def write(self, server: str, approved: Approved) -> None:
        """Keep an approval: the old file or the new one is there, never a part of one."""
        tools = {raw: {"name": one.name, "fields": dict(one.fields)} for raw, one in approved.tools.items()}
        said = {"fingerprint": approved.fingerprint, "shown": approved.shown, "tools": tools}
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, made = tempfile.mkstemp(dir=self._folder, prefix=f".{server}-")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(said, file, ensure_ascii=True, indent=1)
                file.flush()
                os.fsync(file.fileno())
            os.replace(made, self.file(server))
        except BaseException:
            Path(made).unlink(missing_ok=True)
            raise

    def forget(self, server: str) -> None:
        self.file(server).unlink(missing_ok=True)


def digest_of(fields: Mapping[str, Any]) -> str:
    text = json.dumps({name: fields.get(name) for name in FIELDS}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
