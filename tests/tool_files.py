"""Tool files for tests: a manifest and its source, written in one go."""

import json
from pathlib import Path
from typing import Any


def tool(name: str, function: str = "run", **fields: Any) -> dict[str, Any]:
    """An entry of a group."""
    return {"name": name, "description": f"Does {name}.", "function": function, **fields}


def single(name: str, **fields: Any) -> dict[str, Any]:
    """The manifest of a single tool."""
    return {"name": name, "description": f"Does {name}.", **fields}


def write_pair(folder: Path, base: str, manifest: Any, source: str = "function run() {}") -> Path:
    """Write `base.json` and `base.js`; gives the path of the manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{base}.js").write_text(source, encoding="utf-8")
    path = folder / f"{base}.json"
    path.write_text(manifest if isinstance(manifest, str) else json.dumps(manifest), encoding="utf-8")
    return path
