"""The list of models: what is added, by which name, and what is said of it."""

import stat
from pathlib import Path

import pytest
from tests.providers.local.gguf_files import small_gguf

from oneclaw.core.errors import InvalidConfig
from oneclaw.core.settings.tree import ModelSettings, ModelTable
from oneclaw.providers.catalog import SMALL_TOOLS, Catalog
from oneclaw.providers.local.gguf import InvalidModel
from oneclaw.providers.local.models import LocalModels, LocalSettings
from oneclaw.providers.packages import ProviderPackages

FIELDS: dict[str, str | int] = {
    "general.architecture": "llama",
    "general.name": "Tiny Llama",
    "llama.context_length": 32768,
    "llama.block_count": 32,
    "llama.embedding_length": 4096,
    "llama.attention.head_count": 32,
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "Tiny Llama-Q4_K_M.gguf"
    file.write_bytes(small_gguf(FIELDS))
    return file


def models(home: Path, **settings: int) -> LocalModels:
    return LocalModels(LocalSettings(home / "home", home / "cache", **settings))


def test_a_file_is_added_under_a_name_made_of_its_own_and_stays_where_it_is(
    tmp_path: Path, file: Path
) -> None:
    model = models(tmp_path).add(file)
    assert (model.name, model.title, model.file) == ("tiny-llama-q4_k_m", "Tiny Llama", str(file))
    again = models(tmp_path)
    assert list(again.all()) == ["tiny-llama-q4_k_m"]
    assert stat.S_IMODE(again.list_file.stat().st_mode) == 0o600
    assert again.remove(model.name) == model
    assert list(again.all()) == []
    assert file.exists()


def test_the_same_file_may_be_added_again_and_another_of_its_name_may_not(tmp_path: Path, file: Path) -> None:
    every = models(tmp_path)
    every.add(file, "mine")
    every.add(file, "mine")
    other = tmp_path / "other.gguf"
    other.write_bytes(small_gguf(FIELDS))
    with pytest.raises(InvalidConfig, match="already"):
        every.add(other, "mine")


@pytest.mark.parametrize("name", ["smollm2", "A b", "../x", "x" * 65, "-x"])
def test_a_name_that_is_taken_or_odd_is_refused(tmp_path: Path, file: Path, name: str) -> None:
    with pytest.raises(InvalidConfig, match="name"):
        models(tmp_path).add(file, name)


def test_what_is_no_file_is_refused_without_opening_it(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe.gguf")
    for name in ("pipe.gguf", "."):
        with pytest.raises(InvalidModel, match="no plain file"):
            models(tmp_path).add(tmp_path / name)


def test_removing_what_is_not_there_says_what_is(tmp_path: Path, file: Path) -> None:
    with pytest.raises(InvalidConfig, match="none was added"):
        models(tmp_path).remove("none")
    models(tmp_path).add(file, "mine")
    with pytest.raises(InvalidConfig, match="there are mine"):
        models(tmp_path).remove("none")


def test_a_list_that_cannot_be_read_is_named_and_left(tmp_path: Path) -> None:
    every = models(tmp_path)
    every.list_file.parent.mkdir()
    for text in ("{", "[]", '{"models": [{"nme": 1}]}', '{"models": 3}'):
        every.list_file.write_text(text)
        with pytest.raises(InvalidConfig, match=r"models\.json"):
            every.all()
        assert every.list_file.read_text() == text


def test_the_catalogue_gives_windows_and_only_the_tiny_model_is_small(tmp_path: Path, file: Path) -> None:
    every = models(tmp_path)
    every.add(file, "mine")
    catalog = Catalog(local=every, packages=ProviderPackages())
    assert {"local/mine", "local/smollm2"} <= set(catalog.known_models())
    assert (catalog.model("local/mine").window, catalog.model("local/mine").is_small) == (8192, False)
    assert catalog.model("local/smollm2").is_small
    assert catalog.small_tools == SMALL_TOOLS
    assert catalog.provider("local").is_local
    with pytest.raises(InvalidConfig, match="no local model 'none'"):
        catalog.model("local/none")
    mine = ModelSettings(named={"local/mine": ModelTable(small=True)})
    assert Catalog(mine, local=every).model("local/mine").is_small
    large = ModelSettings(named={"local/smollm2": ModelTable(small=False)})
    assert not Catalog(large, local=every, packages=ProviderPackages()).model("local/smollm2").is_small


def test_the_window_is_what_settings_and_memory_allow(tmp_path: Path, file: Path) -> None:
    model = models(tmp_path).add(file, "mine")  # half a megabyte a token
    assert models(tmp_path, window=100_000).window_of(model) == 32768
    assert models(tmp_path, window=2000).window_of(model) == 2000
    assert 1024 <= models(tmp_path, memory_mb=1256).window_of(model) <= 2000
    with pytest.raises(InvalidConfig, match="needs at least"):
        models(tmp_path, memory_mb=300).window_of(model)
