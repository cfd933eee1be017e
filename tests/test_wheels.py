"""The two distributions: the product's wheel and source carry no adapter, the tiny model's wheel does."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow


def build(project: Path, folder: Path) -> tuple[list[str], list[str]]:
    """The files in the wheel and in the source archive of a project."""
    uv = Path(sys.executable).with_name("uv")
    command = [str(uv), "build", "--quiet", "--out-dir", str(folder), str(project)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=110)
    if ended.returncode:
        if "hatchling" in ended.stderr:
            pytest.skip(f"the build backend cannot be had: {ended.stderr.strip().splitlines()[-1]}")
        pytest.fail(ended.stderr)
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive, tarfile.open(source) as tar:
        return archive.namelist(), tar.getnames()


def test_the_product_carries_no_adapter(tmp_path: Path) -> None:
    wheel, source = build(ROOT, tmp_path)
    assert "oneclaw/providers/local/generic.py" in wheel
    for names in (wheel, source):
        assert not [name for name in names if name.endswith(".gguf") or "smollm2" in name]


def test_the_package_of_the_tiny_model_carries_its_adapter_and_not_its_training(tmp_path: Path) -> None:
    wheel, _ = build(ROOT / "packages" / "oneclaw-smollm2", tmp_path)
    assert "oneclaw_smollm2/tools-lora.gguf" in wheel
    assert not [name for name in wheel if "training" in name or "tests" in name]
