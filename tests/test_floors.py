"""The import contract: each rule breaks on an import planted in a copy, and only that rule sees it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINT = """
import json, sys
from contextlib import redirect_stdout
from io import StringIO

from importlinter.cli import lint_imports

for _ in sys.stdin:
    said = StringIO()
    with open("pyproject.toml") as contract, redirect_stdout(said):
        cache = "cache-types" if "exclude_type_checking_imports" in contract.read() else "cache"
        status = lint_imports(cache_dir=cache, no_logo=True)
    print(json.dumps([status, said.getvalue()]), flush=True)
"""
"""Checks the contract of its folder once for each line it is sent: `lint-imports` without its start.

With and without imports for types it needs two caches: what one has read would be taken for new in the other.
"""

SIDEWAYS = {" | ": " : "}
EVERY_FLOOR = {"exhaustive = true": "exhaustive = false"}
ACYCLIC = {'ancestors = ["oneclaw"]': 'ancestors = ["oneclaw.clock"]'}
# An import that goes up is also a cycle of floors, so both rules have to go.
UPWARDS = {
    '"run",\n    "guard | clock | calc",\n    "core | child",': (
        '"run : guard : clock : calc : core : child",'
    ),
    **ACYCLIC,
}
TYPES = {"[tool.importlinter]": "[tool.importlinter]\nexclude_type_checking_imports = true"}
TOOLS_ALONE = {'modules = ["oneclaw.tools.*"]': 'modules = ["oneclaw.clock"]'}
DOORS = {'source_modules = ["oneclaw.cli", "oneclaw.web"]': 'source_modules = ["oneclaw.clock"]'}
RENDERING = {'source_modules = ["oneclaw.operations"]': 'source_modules = ["oneclaw.clock"]'}
ONE_STARTER = {'source_modules = ["oneclaw.**"]': 'source_modules = ["oneclaw.clock"]'}
BY_ENTRY_POINT = {'source_modules = ["oneclaw"]': 'source_modules = ["oneclaw.clock"]'}
PUBLIC_ONLY = {'["oneclaw.*", "oneclaw.core.**", "oneclaw.providers.**"]': '["oneclaw.cli"]'}


@dataclass(frozen=True)
class Plant:
    """Lines added to a file, the sentence that says what is wrong with them, and the rule that finds it."""

    file: str
    lines: str
    wrong: str
    rule: Mapping[str, str]
    package: str = "oneclaw"


PLANTS = {
    "a sibling": Plant(
        "providers/base.py",
        "from oneclaw.store import store",
        "oneclaw.providers is not allowed to import oneclaw.store",
        SIDEWAYS,
    ),
    "a sibling of a lower floor": Plant(
        "guard/opener.py",
        "from oneclaw.clock import zone",
        "oneclaw.guard is not allowed to import oneclaw.clock",
        SIDEWAYS,
    ),
    "an upper floor": Plant(
        "core/errors.py",
        "from oneclaw.run import runner",
        "oneclaw.core is not allowed to import oneclaw.run",
        UPWARDS,
    ),
    "an upper floor, late": Plant(
        "core/errors.py",
        "def late():\n    from oneclaw.run import runner",
        "oneclaw.core is not allowed to import oneclaw.run",
        UPWARDS,
    ),
    "an upper floor, for its types": Plant(
        "core/errors.py",
        "if TYPE_CHECKING:\n    from oneclaw.app import App",
        "oneclaw.core is not allowed to import oneclaw.app",
        TYPES,
    ),
    "an upper floor, through the front door": Plant(
        "core/errors.py",
        "from oneclaw import App",
        "oneclaw.core is not allowed to import oneclaw.app",
        TYPES,
    ),
    "a module that imports this one": Plant(
        "js/prelude.py", "from oneclaw.js import host_bridge", "No cycles are allowed in oneclaw.js", ACYCLIC
    ),
    "a package that imports this one": Plant(
        "core/text/glob.py",
        "from oneclaw.core.permit import grant",
        "No cycles are allowed in oneclaw.core",
        ACYCLIC,
    ),
    "a folder that imports this module": Plant(
        "core/tool.py",
        "from oneclaw.core.check import arguments",
        "No cycles are allowed in oneclaw.core",
        ACYCLIC,
    ),
    "the store, in a door": Plant(
        "cli/log.py",
        "from oneclaw.store import store",
        "oneclaw.cli is not allowed to import oneclaw.store",
        DOORS,
    ),
    "a guard, in a door, for its types": Plant(
        "cli/why.py",
        "if TYPE_CHECKING:\n    from oneclaw.guard.network.gate import Gate",
        "oneclaw.cli is not allowed to import oneclaw.guard",
        DOORS,
    ),
    "a terminal, in an operation": Plant(
        "operations/why.py",
        "import rich",
        "oneclaw.operations is not allowed to import rich",
        RENDERING,
    ),
    "another tool": Plant(
        "tools/read_file.py",
        "from oneclaw.tools import write_file",
        "oneclaw.tools.read_file is not allowed to import oneclaw.tools.write_file",
        TOOLS_ALONE,
    ),
    "what starts processes, in a package that is not `child`": Plant(
        "plugins/work.py",
        "import subprocess",
        "oneclaw.plugins.work is not allowed to import subprocess",
        ONE_STARTER,
    ),
    "the tiny model": Plant(
        "cli/demo.py",
        "def late():\n    from oneclaw_smollm2 import pieces",
        "oneclaw is not allowed to import oneclaw_smollm2",
        BY_ENTRY_POINT,
    ),
    "an inner part, in the tiny model": Plant(
        "turn.py",
        "from oneclaw.store import store",
        "oneclaw_smollm2 is not allowed to import oneclaw.store",
        PUBLIC_ONLY,
        package="oneclaw_smollm2",
    ),
    "an inner part of providers, in the tiny model": Plant(
        "turn.py",
        "from oneclaw.providers.openai_chat.usage import read_usage",
        "oneclaw_smollm2 is not allowed to import oneclaw.providers.openai_chat",
        PUBLIC_ONLY,
        package="oneclaw_smollm2",
    ),
    "nothing, on no floor": Plant("loose.py", "", "- oneclaw.loose", EVERY_FLOOR),
}


class Copy:
    """A copy of the packages and of their contract."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._contract = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        for source in (ROOT / "src", ROOT / "packages" / "oneclaw-smollm2" / "src"):
            for file in source.rglob("*.py"):
                target = folder / file.relative_to(source)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target)

    def __enter__(self) -> "Copy":
        self._linter = subprocess.Popen(
            [sys.executable, "-c", LINT],
            cwd=self._folder,
            env=os.environ | {"COLUMNS": "400"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._linter.communicate(timeout=60)

    def lint(self, plant: Plant | None = None, without: Mapping[str, str] | None = None) -> tuple[int, str]:
        """The exit status and the output of the check, with a plant, and without a rule of the contract."""
        contract = self._contract
        for rule, loose in (without or {}).items():
            assert rule in contract
            contract = contract.replace(rule, loose)
        (self._folder / "pyproject.toml").write_text(contract, encoding="utf-8")
        if plant is None:
            return self._lint()
        file = self._folder / plant.package / plant.file
        before = file.read_text(encoding="utf-8") if file.exists() else None
        file.write_text(f"{before or ''}\n{plant.lines}\n", encoding="utf-8")
        try:
            return self._lint()
        finally:
            file.unlink() if before is None else file.write_text(before, encoding="utf-8")

    def _lint(self) -> tuple[int, str]:
        assert self._linter.stdin is not None
        assert self._linter.stdout is not None
        self._linter.stdin.write("\n")
        self._linter.stdin.flush()
        status, said = json.loads(self._linter.stdout.readline())
        return status, said


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    with Copy(tmp_path_factory.mktemp("copy")) as copy:
        yield copy


def test_the_contract_is_kept(copy: Copy) -> None:
    status, said = copy.lint()
    assert status == 0, said


@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS)
def test_a_planted_import_breaks_the_contract(copy: Copy, plant: Plant) -> None:
    status, said = copy.lint(plant)
    assert status == 1
    assert plant.wrong in said


@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS)
def test_without_its_rule_nobody_sees_the_import(copy: Copy, plant: Plant) -> None:
    status, said = copy.lint(plant, without=plant.rule)
    assert status == 0, said
