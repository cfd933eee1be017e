"""What is loaded before anything is asked for: the front door and `--help` stay light."""

import json
import subprocess
import sys

HEAVY = {
    *("anyio", "asyncio", "concurrent.futures", "http.client", "httpcore2", "httpx2", "jsonschema_rs"),
    *("mcp", "multiprocessing", "pydantic", "rich", "sqlite3", "ssl", "starlette", "urllib.request"),
    "uvicorn",
}
HELP = """
from oneclaw.cli.main import COMMANDS, main
for words in (["--help"], *([command, "--help"] for command in COMMANDS)):
    try:
        main(words)
    except SystemExit as end:
        assert end.code == 0, end.code
"""
"""The help of everything. Options that load more belong in `cli/options`, apart from their command."""


def loaded_by(program: str) -> set[str]:
    """The modules in memory after the program ran in a Python of its own."""
    tell = "import json, sys; sys.stderr.write(json.dumps(sorted(sys.modules)))"
    ended = subprocess.run(
        [sys.executable, "-c", f"{program}\n{tell}"], capture_output=True, text=True, check=True, timeout=60
    )
    return set(json.loads(ended.stderr))


def foreign(modules: set[str]) -> set[str]:
    """Those that come neither with Python nor with us, and were not there from the start."""
    own = {"oneclaw", *sys.stdlib_module_names}
    return {name for name in modules - loaded_by("pass") if name.partition(".")[0] not in own}


def test_import_loads_nothing_heavy_and_nothing_foreign() -> None:
    modules = loaded_by("import oneclaw")
    assert "oneclaw" in modules
    assert not modules & HEAVY
    assert not foreign(modules)


def test_help_loads_nothing_heavy_and_nothing_foreign() -> None:
    modules = loaded_by(HELP)
    assert "oneclaw.cli.main" in modules
    assert not modules & HEAVY
    assert not foreign(modules)


def test_help_opens_no_part_of_the_product_that_does_work() -> None:
    floors = {name.split(".")[1] for name in loaded_by(HELP) if name.startswith("oneclaw.")}
    assert floors <= {"cli", "core"}


def test_a_heavy_or_foreign_module_would_be_seen() -> None:
    modules = loaded_by("import oneclaw, sqlite3, jsonschema_rs")
    assert {"sqlite3", "jsonschema_rs"} <= modules & HEAVY
    assert "jsonschema_rs" in foreign(modules)
