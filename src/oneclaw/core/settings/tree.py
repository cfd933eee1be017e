"""All settings as dataclasses: names, types, bounds, defaults and documentation.

Adding a setting is one line in the table it belongs to:

    waiting_seconds: float = setting(60, "How long a message waits for its turn.", most=3_600)

The check of files, of `Config(values=...)` and of the environment, `oneclaw config`, completion and the
reference page follow from that line. Code reads it as `config.settings.TABLE.NAME`.

A field that is another table nests: `web.search.url`. A field that is a mapping is open: its names are the
owner's own, as in `agents.writer.memory`. The names of an open field marked `inline` stand beside the other
fields of its table: `models.default` and `models.openai/o3.window`.
"""

from collections.abc import Mapping
from dataclasses import MISSING, FrozenInstanceError, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar, dataclass_transform

T = TypeVar("T")

MOST = 1_000_000_000
"""The highest number of a setting that names no other."""

Mode = Literal["auto", "ask", "deny"]
WireName = Literal["openai_chat", "openai_responses", "anthropic", "gemini", "gemini_parameters"]


def setting(
    default: T,
    meaning: str,
    *,
    unset: str = "",
    least: float | None = None,
    most: float = MOST,
    environment: str = "",
) -> T:
    """A field of a table.

    unset        what holds where the default is None, in words
    least, most  the bounds of a number; without `least` it is above 0
    environment  the variable that wins over the settings file
    """
    about = {"meaning": meaning, "unset": unset, "least": least, "most": most, "environment": environment}
    return field(default=default, metadata=about)


def limit(default: T, meaning: str, *, most: float = MOST) -> T:
    """A number that `false` takes away, which is None here."""
    return field(default=default, metadata={"meaning": meaning, "most": most, "is_limit": True})


def feature(meaning: str, *, is_on: bool = False, along: str = "") -> bool | None:
    """A switch that is None where nobody has said: then as `is_on`, or as the feature it goes along with."""
    unset = f"as {along}" if along else str(is_on).lower()
    about = {"meaning": meaning, "unset": unset, "is_on": is_on, "along": along}
    return field(default=None, metadata=about)


def opened(
    meaning: str = "", *, unset: str = "", names: str = r"[^.]+", inline: bool = False
) -> Mapping[str, Any]:
    """A field with names of the owner's own; `names` is a pattern they match."""
    about = {"meaning": meaning, "unset": unset, "names": names, "inline": inline}
    return field(default_factory=dict[str, Any], metadata=about)


def _init(self: Any, **given: Any) -> None:
    for name, each in self.__dataclass_fields__.items():
        default = each.default_factory() if each.default is MISSING else each.default
        object.__setattr__(self, name, given.pop(name, default))
    if given:
        raise TypeError(f"{type(self).__name__} has no field {', '.join(given)}.")


def _refuse(self: Any, name: str, *_: Any) -> None:
    raise FrozenInstanceError(f"{type(self).__name__}.{name} cannot be changed.")


@dataclass_transform(frozen_default=True, kw_only_default=True)
def table(cls: type[T]) -> type[T]:
    """A table of settings: a frozen dataclass, without `==` and `repr`.

    The methods are shared: every command loads these classes, and generating methods for each of them would
    take a fifth of the time that loading the settings takes in all.
    """
    made: Any = dataclass(slots=True, kw_only=True, init=False, eq=False, repr=False, match_args=False)(cls)
    made.__init__, made.__setattr__, made.__delattr__ = _init, _refuse, _refuse
    made.__dataclass_params__.frozen = True
    return made


@table
class WorkspaceSettings:
    """`workspace`: the folders of tools."""

    folder: Path | None = setting(
        None,
        "The folder tools read and write.",
        unset="workspace in the data folder",
        environment="ONECLAW_WORKSPACE",
    )
    read: tuple[Path, ...] = setting((), "Further folders tools may read.")
    write: tuple[Path, ...] = setting((), "Further folders tools may read and write.")


@table
class ToolSettings:
    """`tools`: the tools there are."""

    allow: tuple[str, ...] | None = setting(
        None, "The only tools there are: names, globs, `group:NAME`.", unset="all"
    )
    deny: tuple[str, ...] = setting((), "Tools nobody may call; this wins over every allow.")
    override: tuple[str, ...] = setting((), "Names that tools from outside may take over.")
    folders: tuple[str, ...] = setting(
        (), "Further folders of your own with tools; a relative one is beside this file."
    )


@table
class AgentToolSettings:
    """`agents.NAME.tools`: the tools of one agent."""

    allow: tuple[str, ...] | None = setting(None, "The tools of one agent.", unset="tools.allow")
    deny: tuple[str, ...] = setting((), "Tools one agent may not call.")


@table
class AgentTable:
    """`agents.NAME`: one agent."""

    tools: AgentToolSettings = AgentToolSettings()
    memory: Literal["shared", "own"] = setting(
        "shared", "Whether an agent shares its memories or keeps its own."
    )


@table
class PluginToolSettings:
    """`plugins.NAME.tools`: the tools that are taken from one plugin."""

    allow: tuple[str, ...] | None = setting(
        None,
        "Its tools that are taken; `user`, `project` and `built-in` name those of folders.",
        unset="all",
    )
    deny: tuple[str, ...] = setting((), "Tools not taken from one plugin.")


@table
class PluginTable:
    """`plugins.NAME`: one plugin."""

    enabled: bool = setting(True, "Whether a plugin is loaded at all.")
    trusted: bool = setting(False, "Whether its processes have the program's environment.")
    inline: bool = setting(False, "Whether its tools run in the program, unconfined.")
    tools: PluginToolSettings = PluginToolSettings()


@table
class FeatureSettings:
    """`features`: the parts that are switched as a whole. None where nobody has said."""

    memory: bool | None = feature("Agents remember.", is_on=True)
    shell: bool | None = feature("Agents run commands.")
    sandbox: bool | None = feature("Agents keep a home of their own where commands run.", along="shell")
    named: Mapping[str, bool] = opened(
        "Turns a feature that tools name on or off.", unset="false", inline=True
    )


@table
class PermissionSettings:
    """`permissions`: how far tools go."""

    mode: Mode = setting("auto", "How far tools go without a person.", environment="ONECLAW_MODE")
    prompt_seconds: float = setting(300.0, "How long a question waits before it is a no.")
    needs: Mapping[str, Literal["granted", "ask", "denied"]] = opened(
        "Whether one need is granted, asked for or denied.",
        unset="by need",
        names=".+",
    )


@table
class QuestionSettings:
    """`questions`: how long people are waited for."""

    wait: Literal["never", "unattended", "always"] = setting(
        "unattended",
        "Runs whose questions wait for a person to come: none, those of schedules and programs, or all.",
    )
    wait_seconds: float = setting(86_400.0, "How long such a question waits before it is a no.")


@table
class ShellSettings:
    """`shell`: how commands run."""

    allow: tuple[str, ...] = setting((), "Commands that run unasked, as `git log *`: see command rules.")
    deny: tuple[str, ...] = setting((), "Commands that are refused unasked, as `git push *`.")
    read_unasked: bool = setting(True, "Whether commands that only read the workspace run unasked.")
    mode: Literal["sandbox", "native"] = setting("sandbox", "Where commands run: in a sandbox, or as you.")
    sandbox: Literal["auto", "bubblewrap", "landlock", "none"] = setting(
        "auto", "The sandbox for commands; none only if you must."
    )
    network: Literal["never", "ask", "always"] = setting("never", "Whether commands may reach the network.")
    processes: int = setting(256, "Processes one command may have at a time.", most=1_000_000)
    memory_mb: int = setting(2048, "Memory all processes of one command may take.")


@table
class NetworkSettings:
    """`network`: how tools reach hosts."""

    proxy: str | None = setting(None, "The proxy for requests; the environment's is not used.", unset="none")
    private_hosts: tuple[str, ...] = setting((), "Private hosts (`host` or `host:port`) open to tools.")


@table
class SearchSettings:
    """`web.search`: the search provider."""

    provider: Literal["searxng", "brave", "tavily", "exa", "duckduckgo"] | None = setting(
        None, "Who searches the web for web_search.", unset="duckduckgo, if ddgs is there"
    )
    url: str | None = setting(
        None, "The address of the search provider; this machine is allowed.", unset="the provider's own"
    )


@table
class WebSettings:
    """`web`: services that tools ask."""

    search: SearchSettings = SearchSettings()
    location_url: str = setting("https://ipinfo.io/json", "The service that tells where an IP address is.")


@table
class SecretTable:
    """`secrets`: where secrets are."""

    file: Path | None = setting(
        None, "Named secrets; only you may read it.", unset="secrets.toml in the data folder"
    )
    environment: tuple[str, ...] = setting((), "Variables tools may be given and nobody is shown.")


@table
class ToolLimits:
    """`limits.tools.NAME`: the limits of one tool."""

    seconds: float | None = setting(None, "The time limit of one tool.", unset="the tool's own")
    chars: int | None = setting(None, "The longest result of one tool.", unset="the tool's own", least=500)


@table
class CallLimits:
    """`limits`: how much runs side by side."""

    parallel: int = setting(64, "Calls of one message that run side by side.")
    threads: int = setting(32, "Calls of plain functions that run side by side.", most=10_000)
    processes: int = setting(4, "Worker processes.", most=1_000)
    memory_mb: int = setting(1024, "Memory of one worker process.")
    tools: Mapping[str, ToolLimits] = opened()


@table
class JavaScriptSettings:
    """`javascript`: how JavaScript tools run."""

    workers: int = setting(4, "Calls of JavaScript tools that run side by side.", most=1_000)
    memory_mb: int = setting(64, "Memory of one call of a JavaScript tool.")


@table
class ModelTable:
    """`models.NAME`: one model."""

    window: int | None = setting(None, "How many tokens one model reads.", unset="by family")
    input_price: float | None = setting(None, "US dollars for a million tokens read.", unset="by model")
    output_price: float | None = setting(None, "US dollars for a million tokens written.", unset="by model")
    small: bool | None = setting(
        None, "Whether it gets the tools for small models only.", unset="the tiny model"
    )


@table
class ModelSettings:
    """`models`: the models that answer."""

    default: str | None = setting(None, "The model that answers, as `openai/o3`.", unset="none")
    fallbacks: tuple[str, ...] = setting((), "Models tried, in order, when the one before fails.")
    small_tools: tuple[str, ...] | None = setting(
        None, "The tools small models get.", unset="see `oneclaw models`"
    )
    named: Mapping[str, ModelTable] = opened(names=".+", inline=True)


@table
class LocalModelSettings:
    """`local`: how models run on this machine."""

    threads: int | None = setting(
        None, "Threads of a model that runs on this machine.", unset="cores - 1", most=10_000
    )
    window: int = setting(8192, "The most tokens such a model keeps ready to read.")
    memory_mb: int | None = setting(None, "Memory such a model may take; its window fits.", unset="no limit")
    idle_seconds: float = setting(300.0, "How long such a model stays loaded unasked.")


@table
class ProviderTable:
    """`providers.NAME`: one provider of models."""

    wire: WireName | None = setting(None, "The wire format it speaks.", unset="by provider")
    base_url: str | None = setting(None, "Where it is reached; this machine is allowed.", unset="by provider")
    key: str | None = setting(None, "The name of the secret that holds its key.", unset="by provider")
    text_calls: bool = setting(False, "Whether calls that a model writes as text are read.")
    strict: bool | None = setting(
        None, "Whether a model is held to the schemas of its tools and answers.", unset="by provider"
    )
    attempts: int = setting(4, "How often a request is tried in all.", most=1_000)
    idle_seconds: float = setting(120.0, "How long a provider may be silent.")
    total_seconds: float = setting(900.0, "How long one request may take in all.")


@table
class StoreTable:
    """`store`: what is kept."""

    keep_days: float | None = limit(90, "Days that ended runs and their events are kept.", most=100_000)


@table
class UndoTable:
    """`undo`: earlier versions of files and deleted files."""

    keep_days: float | None = limit(30, "Days that deleted and earlier files are kept.", most=100_000)
    total_mb: int = setting(1024, "The most space they take; the oldest go first.")
    file_mb: int = setting(32, "Files that are larger before a change are not kept.", most=100_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Where a run ends: each guard is on, and None takes it away."""

    rounds: int | None = limit(15, "Requests with tools in one run; then one without, for an answer.")
    repeats: int | None = limit(3, "Rounds in a row with the same calls and results.")
    calls: int | None = limit(200, "Calls of one run.")
    tokens: int | None = limit(2_000_000, "Tokens of one run, read and written.", most=10**15)
    cost: float | None = limit(10.0, "US dollars of one run, where the price is known.")
    seconds: float | None = limit(3_600.0, "Time of one run.")
    repairs: int | None = limit(2, "Times a structured answer that does not fit is asked for again.")


@table
class MemoryTable:
    """`memory`: what agents are told of their memories."""

    digest_chars: int = setting(4000, "The most characters of memories told unasked.")


@table
class SkillSettings:
    """`skills`: what agents are told of skills and of the project's notes."""

    catalogue_chars: int = setting(8000, "The most characters of the catalogue of skills.")
    notes_chars: int = setting(16_000, "The most characters of AGENTS.md files told unasked.")


@table
class McpServerTable:
    """`mcp.servers.NAME`: one MCP server whose tools agents may use."""

    command: str | None = setting(None, "The program of a local server.", unset="none")
    args: tuple[str, ...] = setting((), "The arguments of the program.")
    env: tuple[str, ...] = setting(
        (), "Variables of the program: `VARIABLE=SECRET` gives it the secret of that name."
    )
    folder: Path | None = setting(None, "Where the program starts.", unset="the workspace")
    url: str | None = setting(None, "The address of a server that is reached by HTTP.", unset="none")
    headers: tuple[str, ...] = setting(
        (), "Headers of each request: `Authorization=Bearer {SECRET}` puts the secret there."
    )
    enabled: bool = setting(True, "Whether the server is used.")
    required: bool = setting(False, "Whether nothing starts without it.")
    sandbox: bool = setting(False, "Whether a local server runs in the sandbox of commands.")
    network: bool = setting(False, "Whether a server in the sandbox may reach the network.")
    start_seconds: float = setting(30.0, "How long it may take to start and to list its tools.", most=600)
    idle_seconds: float = setting(60.0, "How long a call may go without an answer or progress.", most=86_400)
    total_seconds: float = setting(600.0, "How long a call may take in all.", most=86_400)
    sampling: bool = setting(False, "Whether the server may ask the model of the agent that calls it.")


@table
class McpSettings:
    """`mcp`: other programs that speak the Model Context Protocol."""

    tools_share: float = setting(
        0.05, "The part of a model's window above which MCP tools are found by search_tools only.", most=1
    )
    servers: Mapping[str, McpServerTable] = opened(names=r"[A-Za-z][A-Za-z0-9_-]{0,31}")


@table
class Settings:
    """All settings. Each field is a table of the settings file."""

    workspace: WorkspaceSettings = WorkspaceSettings()
    tools: ToolSettings = ToolSettings()
    agents: Mapping[str, AgentTable] = opened()
    plugins: Mapping[str, PluginTable] = opened()
    switches: Mapping[str, bool] = opened("Turns one tool on or off.", unset="the tool's own")
    features: FeatureSettings = FeatureSettings()
    permissions: PermissionSettings = PermissionSettings()
    questions: QuestionSettings = QuestionSettings()
    shell: ShellSettings = ShellSettings()
    network: NetworkSettings = NetworkSettings()
    web: WebSettings = WebSettings()
    secrets: SecretTable = SecretTable()
    limits: CallLimits = CallLimits()
    javascript: JavaScriptSettings = JavaScriptSettings()
    models: ModelSettings = ModelSettings()
    local: LocalModelSettings = LocalModelSettings()
    providers: Mapping[str, ProviderTable] = opened()
    store: StoreTable = StoreTable()
    undo: UndoTable = UndoTable()
    runs: Limits = Limits()
    memory: MemoryTable = MemoryTable()
    skills: SkillSettings = SkillSettings()
    mcp: McpSettings = McpSettings()


DEFAULTS = Settings()
