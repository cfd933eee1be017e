"""The two distributions: what they carry, and that the product's run outside of the repository."""

import json
import os
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


@pytest.mark.parametrize("kind", ["wheel", "source"])
def test_the_product_runs_outside_of_the_repository(tmp_path: Path, kind: str) -> None:
    """Its wheel, and a wheel that is built from its source archive alone; the dependencies are those here."""
    uv = str(Path(sys.executable).with_name("uv"))
    built, installed, elsewhere = tmp_path / "built", tmp_path / "installed", tmp_path / "elsewhere"
    build(ROOT, built)
    if kind == "source":
        (source,) = built.glob("*.tar.gz")
        built = tmp_path / "again"
        command = [uv, "build", "--quiet", "--wheel", "--out-dir", str(built), str(source)]
        subprocess.run(command, check=True, capture_output=True, timeout=110)
    (wheel,) = built.glob("*.whl")
    command = [
        uv,
        "pip",
        "install",
        "--quiet",
        "--offline",
        "--no-deps",
        "--target",
        str(installed),
        str(wheel),
    ]
    subprocess.run([*command, "--python", sys.executable], check=True, capture_output=True, timeout=60)
    elsewhere.mkdir()
    call = {"call": "write_file", "arguments": {"path": "a.txt", "content": "hi"}}
    (elsewhere / "replies.json").write_text(json.dumps([call, "It is written."]))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ONECLAW_")}
    variables = {**kept, "PYTHONPATH": str(installed), "ONECLAW_HOME": str(tmp_path / "home")}

    def run(*words: str) -> str:
        ended = subprocess.run(
            [sys.executable, *words], cwd=elsewhere, env=variables, capture_output=True, text=True, timeout=60
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    assert run("-c", "import oneclaw; print(oneclaw.__file__)").startswith(str(installed))
    started = str(installed / "bin" / "oneclaw")
    assert run(started, "--version").startswith("oneclaw ")
    assert run(started, "help", "undo").startswith("# Undo what an agent changed\n")
    assert run(started, "run", "go", "--model", "scripted/replies.json") == "It is written.\n"
    assert (tmp_path / "home" / "workspace" / "a.txt").read_text() == "hi"
