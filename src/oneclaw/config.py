"""Settings from oneclaw.toml and the environment, checked; what is wrong is named with its line.

The file is the one named by `--config` or ONECLAW_CONFIG, else oneclaw.toml in the user's own
configuration folder. A file that merely lies in the current folder is not read: it may have come
with somebody else's code, and settings decide what tools may do.
"""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, cast

from oneclaw.core.errors import InvalidConfig
from oneclaw.core.permit.need import Mode


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its key (`*` stands for any name), the type it has, its default and its meaning."""

    key: str
    type: str
    default: str
    meaning: str


WORKSPACE = "workspace"
"""The folder of the workspace in the data folder, where nobody names another."""

SETTINGS = (
    Setting("workspace.folder", "text", "workspace in the data folder", "The folder tools read and write."),
    Setting("workspace.read", "list of texts", "[]", "Further folders tools may read."),
    Setting("workspace.write", "list of texts", "[]", "Further folders tools may read and write."),
    Setting("tools.allow", "list of texts", "all", "The only tools there are: names, globs, `group:NAME`."),
    Setting("tools.deny", "list of texts", "[]", "Tools nobody may call; this wins over every allow."),
    Setting(
        "tools.override",
        "list of texts",
        "[]",
        "Names that tools from outside may take over from tools that have them.",
    ),
    Setting(
        "tools.folders",
        "list of texts",
        "[]",
        "Further folders of your own with tools; a relative one is beside this file.",
    ),
    Setting("agents.*.tools.allow", "list of texts", "tools.allow", "The tools of one agent."),
    Setting("agents.*.tools.deny", "list of texts", "[]", "Tools one agent may not call."),
    Setting("agents.*.memory", "shared or own", "shared", "Whom what one agent remembers is for."),
    Setting("plugins.*.enabled", "true or false", "true", "Whether a plugin is loaded at all."),
    Setting(
        "plugins.*.trusted", "true or false", "false", "Whether its processes have the program's environment."
    ),
    Setting(
        "plugins.*.inline", "true or false", "false", "Whether its tools run in the program, unconfined."
    ),
    Setting(
        "plugins.*.tools.allow",
        "list of texts",
        "all",
        "Its tools that are taken; `user`, `project` and `built-in` name those of folders.",
    ),
    Setting("plugins.*.tools.deny", "list of texts", "[]", "Tools not taken from one plugin."),
    Setting("switches.*", "true or false", "the tool's own", "Turns one tool on or off."),
    Setting("features.memory", "true or false", "true", "Whether agents remember."),
    Setting("features.scheduling", "true or false", "false", "Whether agents plan and wake by themselves."),
    Setting("features.mail", "true or false", "false", "Whether agents read and send mail."),
    Setting("features.shell", "true or false", "false", "Whether agents run commands."),
    Setting("features.sandbox", "true or false", "as shell", "Whether they keep a home where those run."),
    Setting("features.browser", "true or false", "false", "Whether agents steer a web browser."),
    Setting(
        "features.*", "true or false", "false", "Turns a feature, and the tools that need it, on or off."
    ),
    Setting("permissions.mode", "auto, ask or deny", "auto", "How far tools go without a person."),
    Setting("permissions.prompt_seconds", "number", "300", "How long a question waits before it is a no."),
    Setting(
        "questions.wait",
        "never, unattended or always",
        "unattended",
        "Runs whose questions wait for a person to come: those of schedules and programs, all, or none.",
    ),
    Setting("questions.wait_seconds", "number", "86400", "How long such a question waits before it is a no."),
    Setting("permissions.needs.*", "granted, ask or denied", "by need", "What holds for one need."),
    Setting(
        "shell.allow", "list of texts", "[]", "Commands that run unasked, as `git log *`: see command rules."
    ),
    Setting("shell.mode", "sandbox or native", "sandbox", "Where commands run: shut in, or as you."),
    Setting(
        "shell.sandbox",
        "auto, bubblewrap, landlock or none",
        "auto",
        "What shuts them in; none only if you must.",
    ),
    Setting("shell.network", "never, ask or always", "never", "Whether commands may reach the network."),
    Setting("shell.processes", "whole number", "256", "Processes one command may have at a time."),
    Setting("shell.memory_mb", "whole number", "2048", "Memory all processes of one command may take."),
    Setting("network.proxy", "text", "none", "The proxy for requests; the environment's is not used."),
    Setting(
        "network.private_hosts", "list of texts", "[]", "Private hosts (`host` or `host:port`) open to tools."
    ),
    Setting(
        "web.search.provider",
        "searxng, brave, tavily, exa or duckduckgo",
        "duckduckgo, if ddgs is there",
        "Who searches the web for web_search.",
    ),
    Setting("web.search.url", "text", "the provider's own", "Where it is asked; this machine is allowed."),
    Setting("web.location_url", "text", "https://ipinfo.io/json", "Who tells from an address where it is."),
    Setting(
        "secrets.file", "text", "secrets.toml in the data folder", "Named secrets; only you may read it."
    ),
    Setting(
        "secrets.environment", "list of texts", "[]", "Variables tools may be given and nobody is shown."
    ),
    Setting("limits.parallel", "whole number", "64", "Calls of one message that run side by side."),
    Setting("limits.threads", "whole number", "32", "Calls of plain functions that run side by side."),
    Setting("limits.processes", "whole number", "4", "Worker processes."),
    Setting("limits.memory_mb", "whole number", "1024", "Memory of one worker process."),
    Setting("javascript.workers", "whole number", "4", "Calls of JavaScript tools that run side by side."),
    Setting("javascript.memory_mb", "whole number", "64", "Memory of one call of a JavaScript tool."),
    Setting("models.default", "text", "none", "The model that answers, as `openai/o3`."),
    Setting("models.fallbacks", "list of texts", "[]", "Models tried, in order, when the one before fails."),
    Setting("models.*.window", "whole number", "by family", "How many tokens one model reads."),
    Setting("models.*.input_price", "number", "by model", "US dollars for a million tokens read."),
    Setting("models.*.output_price", "number", "by model", "US dollars for a million tokens written."),
    Setting(
        "models.*.small",
        "true or false",
        "the embedded model",
        "Whether it gets the tools for small models only.",
    ),
    Setting("models.small_tools", "list of texts", "see `oneclaw models`", "The tools small models get."),
    Setting("local.threads", "whole number", "cores - 1", "Threads of a model that runs on this machine."),
    Setting("local.window", "whole number", "8192", "The most tokens such a model keeps ready to read."),
    Setting("local.memory_mb", "whole number", "no limit", "Memory such a model may take; its window fits."),
    Setting("local.idle_seconds", "number", "300", "How long such a model stays loaded unasked."),
    Setting("providers.*.wire", "text", "by provider", "The wire format it speaks, as openai_chat."),
    Setting("providers.*.base_url", "text", "by provider", "Where it is reached; this machine is allowed."),
    Setting("providers.*.key", "text", "by provider", "The name of the secret that holds its key."),
    Setting("providers.*.text_calls", "true or false", "false", "Read calls that a model writes as text."),
    Setting(
        "providers.*.strict", "true or false", "by provider", "Hold a model to the schemas of its tools."
    ),
    Setting("providers.*.attempts", "whole number", "4", "How often a request is tried in all."),
    Setting("providers.*.idle_seconds", "number", "120", "How long a provider may be silent."),
    Setting("providers.*.total_seconds", "number", "900", "How long one request may take in all."),
    Setting("store.keep_days", "number or false", "90", "Days that ended runs and their events are kept."),
    Setting("runs.rounds", "whole number or false", "15", "Requests with tools in one run."),
    Setting("runs.repeats", "whole number or false", "3", "Rounds in a row with the same calls and results."),
    Setting("runs.calls", "whole number or false", "200", "Calls of one run."),
    Setting("runs.tokens", "whole number or false", "2000000", "Tokens of one run, read and written."),
    Setting("runs.cost", "number or false", "10", "US dollars of one run, where the price is known."),
    Setting("runs.seconds", "number or false", "3600", "Time of one run."),
    Setting("memory.digest_chars", "whole number", "4000", "The most characters of memories told unasked."),
    Setting("limits.tools.*.seconds", "number", "the tool's own", "The time limit of one tool."),
    Setting("limits.tools.*.chars", "whole number", "the tool's own", "The longest result of one tool."),
)

ENVIRONMENT = {
    "ONECLAW_CONFIG": "The settings file to read.",
    "ONECLAW_HOME": "The data folder: store, sessions, secrets, workspace.",
    "ONECLAW_WORKSPACE": "The workspace folder; wins over `workspace.folder`.",
    "ONECLAW_MODE": "auto, ask or deny; wins over `permissions.mode`.",
}


@dataclass(frozen=True, slots=True)
class Config:
    """Checked settings. `values` holds what the file says, by full key; `get` falls back to the default."""

    home: Path
    file: Path | None = None
    workspace: Path | None = None
    mode: Mode = "auto"
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def get(self, key: str, default: Any = None) -> Any:
        return self.values.get(key, default)

    def under(self, prefix: str) -> dict[str, Any]:
        """The settings below a key, by the rest of their key: `under("switches")`."""
        start = prefix + "."
        return {key[len(start) :]: value for key, value in self.values.items() if key.startswith(start)}

    @property
    def workspace_folder(self) -> Path:
        named = self.get("workspace.folder")
        return self.workspace or (Path(named).expanduser() if named else self.home / WORKSPACE)

    @property
    def project_folder(self) -> Path:
        """What the workspace says of us: its own tools lie there. No tool may write in it."""
        return self.workspace_folder / ".oneclaw"

    @property
    def tools_folder(self) -> Path:
        """The user's own tools."""
        return self.home / "tools"

    @property
    def tool_folders(self) -> tuple[Path, ...]:
        """Every folder with tools of the user's own: `tools_folder`, and those of `tools.folders`."""
        beside = self.file.parent if self.file else Path()
        named = [(beside / Path(folder).expanduser()).absolute() for folder in self.get("tools.folders", ())]
        return tuple(dict.fromkeys((self.tools_folder, *named)))

    @property
    def cache_folder(self) -> Path:
        return user_folder("cache")

    @property
    def store_file(self) -> Path:
        return self.home / "oneclaw.db"

    @property
    def secrets_file(self) -> Path:
        return Path(self.get("secrets.file", self.home / "secrets.toml")).expanduser()


def load_config(file: Path | None = None, environment: Mapping[str, str] | None = None) -> Config:
    """Read and check the settings. Raises `InvalidConfig` with file, line, field and remedy."""
    environment = os.environ if environment is None else environment
    named = file or (Path(environment["ONECLAW_CONFIG"]) if environment.get("ONECLAW_CONFIG") else None)
    path = named or user_folder("config") / "oneclaw.toml"
    if named is not None and not path.is_file():
        raise InvalidConfig(f"The settings file {path} is not there. Make it, or name another one.")
    values = read_settings(path) if path.is_file() else {}
    mode = environment.get("ONECLAW_MODE") or values.get("permissions.mode", "auto")
    if mode not in ("auto", "ask", "deny"):
        raise InvalidConfig(f"ONECLAW_MODE is {mode!r}; it must be auto, ask or deny.")
    workspace = environment.get("ONECLAW_WORKSPACE")
    return Config(
        home=Path(environment.get("ONECLAW_HOME") or user_folder("data")).expanduser().absolute(),
        file=path if path.is_file() else None,
        workspace=Path(workspace).expanduser().absolute() if workspace else None,
        mode=mode,
        values=values,
    )


def user_folder(kind: Literal["config", "data", "cache", "state"]) -> Path:
    import platformdirs

    if kind == "config":
        return platformdirs.user_config_path("oneclaw")
    if kind == "cache":
        return platformdirs.user_cache_path("oneclaw")
    if kind == "state":
        return platformdirs.user_state_path("oneclaw")
    return platformdirs.user_data_path("oneclaw")


def read_settings(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        document = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidConfig(f"{path} cannot be read: {error}. Mend the file or move it away.") from error
    values: dict[str, Any] = {}
    for key, value in _flatten(document, ""):
        setting = _setting_for(key)
        if setting is None:
            near = get_close_matches(key, [one.key for one in SETTINGS], n=1, cutoff=0.6)
            hint = f" Did you mean {near[0]}?" if near else " `oneclaw config --all` lists them all."
            raise InvalidConfig(f"{path}, line {line_of(text, key)}: there is no setting {key!r}.{hint}")
        if not _fits(setting.type, value):
            raise InvalidConfig(
                f"{path}, line {line_of(text, key)}: {key} is {value!r}; it must be {_article(setting.type)}."
            )
        values[key] = value
    _check_rules(path, text, values.get("shell.allow", ()))
    return values


def _check_rules(path: Path, text: str, rules: Sequence[str]) -> None:
    """Have a rule for commands that cannot be one named with its line."""
    if not rules:
        return
    from oneclaw.guard.command.rule import parse_rule

    for rule in rules:
        try:
            parse_rule(rule)
        except InvalidConfig as error:
            first = line_of(text, "shell.allow")
            lines = text.splitlines()[first - 1 :]
            at = next((number for number, line in enumerate(lines, first) if rule.strip() in line), first)
            raise InvalidConfig(f"{path}, line {at}: {error}") from error


def _flatten(table: Mapping[str, Any], prefix: str) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, value in table.items():
        if isinstance(value, dict):
            found += _flatten(cast(dict[str, Any], value), f"{prefix}{name}.")
        else:
            found.append((f"{prefix}{name}", value))
    return found


def _setting_for(key: str) -> Setting | None:
    for setting in SETTINGS:
        pattern = re.escape(setting.key).replace(r"\*", ".+")
        if re.fullmatch(pattern, key):
            return setting
    return None


def _fits(kind: str, value: Any) -> bool:
    if kind == "text":
        return isinstance(value, str)
    if kind == "list of texts":
        return isinstance(value, list) and all(isinstance(one, str) for one in value)  # pyright: ignore[reportUnknownVariableType]
    if kind == "true or false":
        return isinstance(value, bool)
    if kind.endswith(" or false"):
        return value is False or _fits(kind.removesuffix(" or false"), value)
    if kind == "whole number":
        return isinstance(value, int) and not isinstance(value, bool) and value > 0
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool) and value > 0
    return isinstance(value, str) and value in re.split(r", | or ", kind)


def _article(kind: str) -> str:
    if kind.startswith(("whole number", "number")):
        number, _, off = kind.partition(" or ")
        return f"a {number} above 0" + (", or false to take it away" if off else "")
    return f"a {kind}" if kind in ("text", "list of texts") else kind


def line_of(text: str, key: str) -> int:
    """The line a key is set on; the line of the nearest table above when it is written another way."""
    table, best = "", 1
    for number, line in enumerate(text.splitlines(), 1):
        head = line.strip()
        if head.startswith("["):
            table = _plain_key(head.strip("[] ")) + "."
            if key.startswith(table):
                best = number
        elif "=" in head and table + _plain_key(head.split("=")[0]) == key:
            return number
    return best


def _plain_key(text: str) -> str:
    return "".join(text.split()).replace('"', "").replace("'", "")
