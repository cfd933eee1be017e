"""Doctor: checks this machine and these settings, and names remedies."""

import asyncio
import os
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from oneclaw.agent.small import SmallModel
from oneclaw.app import App
from oneclaw.config import Config, user_folder
from oneclaw.core.errors import describe
from oneclaw.core.permit.need import NEEDS, needs_of
from oneclaw.operations import machine
from oneclaw.operations.features import feature_names
from oneclaw.operations.machine import Checkup
from oneclaw.operations.models import keys_set
from oneclaw.operations.reading import reading

CHECK_SECONDS = 1.0
"""How long the store is read through; a large one takes longer, and is read as far as that goes."""
CheckFunction = Callable[[], Checkup | Awaitable[Checkup]]


async def diagnose(config: Config) -> list[Checkup]:
    """Every check, in order; one that fails itself is bad. What blocks runs in a thread."""
    nowhere = f"no settings file; {user_folder('config') / 'oneclaw.toml'} would be read"
    found = [machine.check_python(), Checkup("settings", "ok", str(config.file or nowhere))]
    async with AsyncExitStack() as stack:
        app = await _try_to_open(config, stack)

        def opened() -> App:
            if isinstance(app, App):
                return app
            raise app

        local = await asyncio.to_thread(machine.why_no_local_models)
        shell = config.settings.shell.mode, config.settings.shell.sandbox
        checks: dict[str, CheckFunction] = {
            "store": lambda: check_store(config),
            "workspace": lambda: check_workspace(config.workspace_folder),
            "tools": lambda: check_policy(opened()),
            "sources": lambda: check_sources(opened()),
            "tool files": lambda: check_tool_files(opened()),
            "javascript": machine.check_javascript,
            "workers": machine.check_workers,
            "network": lambda: machine.check_network(config.settings.network.proxy),
            "time zone": machine.check_zone,
            "secrets": lambda: check_secrets(config.secrets_file),
            "models": lambda: check_models(opened(), can_run_local=not local),
            "llama.cpp": lambda: machine.check_local_models(local),
            "features": lambda: check_features(opened()),
            "sandbox": lambda: machine.check_sandbox(*shell),
            "limits": machine.check_limits,
        }
        for topic, check in checks.items():
            try:
                made = await asyncio.to_thread(check)
                found.append(made if isinstance(made, Checkup) else await made)
            except Exception as error:
                found.append(Checkup(topic, "bad", describe(error)))
    return found


async def _try_to_open(config: Config, stack: AsyncExitStack) -> App | Exception:
    """The app, open to look; or what keeps it from opening, which each check that needs it tells."""
    try:
        app = await stack.enter_async_context(App(config).looking())
        await app.sources.wait()
        return app
    except Exception as error:
        return error


async def check_store(config: Config) -> Checkup:
    file, version = config.store_file, f"SQLite {sqlite3.sqlite_version}"
    if not can_be_made(file.parent):
        remedy = "Name another data folder with --home or ONECLAW_HOME."
        return Checkup("store", "bad", f"{file.parent} cannot be made or written", remedy)
    with reading(config) as store:
        if store is None:
            return Checkup("store", "ok", f"{version}; {file} is made at the first call")
        problems, is_whole = await store.database.find_faults(CHECK_SECONDS)
    if problems:
        return Checkup("store", "bad", f"{file} is damaged: {problems[0]}", "Restore it from a backup.")
    sound = "is sound" if is_whole else f"is sound as far as could be read in {CHECK_SECONDS:g} seconds"
    return Checkup("store", "ok", f"{version}; {file} {sound}")


def check_workspace(folder: Path) -> Checkup:
    if not can_be_made(folder):
        remedy = "Name another folder with --workspace or `workspace.folder`."
        return Checkup("workspace", "bad", f"{folder} cannot be made, read or written", remedy)
    return Checkup("workspace", "ok", str(folder) + ("" if folder.exists() else " is made when first used"))


def can_be_made(folder: Path) -> bool:
    """Whether the folder is there for us to use, or the nearest one above it lets us make it."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.R_OK | os.W_OK | os.X_OK)


def check_policy(app: App) -> Checkup:
    """Whether each setting about tools and needs is about one that exists."""
    definitions = app.registry.definitions()
    unused = app.policy.unused(definitions)
    settings = app.config.settings
    unlimited = sorted(settings.limits.tools.keys() - {one.name for one in definitions})
    needs = {need for one in definitions for need in needs_of(one)} | NEEDS.keys()
    unknown = sorted(settings.permissions.needs.keys() - needs)
    bound = {one.name: one.feature for one in definitions if not one.switchable}
    named = [(one.setting, one.entry) for one in unused] + [("limits.tools", name) for name in unlimited]
    wrong = [_misfit(setting, entry, bound) for setting, entry in named]
    wrong += [
        (f"permissions.needs names {need!r}, which no tool needs", f"the needs are {', '.join(NEEDS)}.")
        for need in unknown
    ]
    if not wrong:
        return Checkup("tools", "ok", f"{len(definitions)} tools")
    text, hint = wrong[0]
    more = f" (and {len(wrong) - 1} more that are wrong)" if wrong[1:] else ""
    return Checkup("tools", "warn", text + more, f"Correct the setting; {hint}")


def _misfit(setting: str, entry: str, bound: Mapping[str, str | None]) -> tuple[str, str]:
    """Describes a settings entry without effect, and the remedy."""
    if setting == "switches" and entry in bound:
        text = f"switches names {entry!r}, which has no switch of its own"
        return text, f"it comes and goes with {bound[entry]}, as `oneclaw features` shows."
    return f"{setting} names {entry!r}, which fits no tool", "`oneclaw tools` lists the names."


def check_sources(app: App) -> Checkup:
    """Whether the sources of tools opened."""
    unwell = [health for health in app.sources.health if health.state != "ready"]
    if not unwell:
        return Checkup("sources", "ok", f"{len(app.sources.health)} sources of tools are ready")
    first, more = unwell[0], f" (and {len(unwell) - 1} more)" if unwell[1:] else ""
    text = f"{first.source}: {first.state} {first.reason}".rstrip() + more
    return Checkup("sources", "warn", text, "`oneclaw tools sources` shows how each is.")


def check_tool_files(app: App) -> Checkup:
    """Whether the tools from outside could be loaded."""
    problems = list(app.problems)
    tools = [tool for tool in app.sources.outside if tool.origin != "built-in"]
    names = {tool.name for tool in tools}
    unused = [name for name in app.config.settings.tools.override if name not in names]
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        remedy = "`oneclaw tools check` says what is wrong with each file."
        return Checkup("tool files", "warn", f"{problems[0]}{more}", remedy)
    if unused:
        text = f"tools.override names {unused[0]!r}, which no tool from outside has"
        return Checkup("tool files", "warn", text, "Correct the setting, or take the name out.")
    count = "no tools" if not tools else "1 tool" if len(tools) == 1 else f"{len(tools)} tools"
    return Checkup("tool files", "ok", f"{count} from outside; yours are read from {app.config.tools_folder}")


def check_secrets(file: Path) -> Checkup:
    if not file.exists():
        return Checkup("secrets", "ok", f"no secrets file; {file} would be read")
    if file.stat().st_mode & 0o077:
        return Checkup("secrets", "bad", f"{file} can be read by others", f"chmod 600 {file}")
    return Checkup("secrets", "ok", str(file))


def _keep(provider: str) -> str:
    return f"`oneclaw keys set {provider}` keeps the key."


def check_models(app: App, *, can_run_local: bool) -> Checkup:
    """Which model answers, and which keys are set: their names, never their values."""
    from oneclaw.operations.embedded import NAME
    from oneclaw.providers.packages import KNOWN

    default, keys = app.catalog.default, keys_set(app)
    found = ", ".join(name for name, is_set in keys.items() if is_set)
    said = f"keys: {found}" if found else "no key is set"
    if default is None:
        remedy = "`oneclaw setup` chooses one, step by step; `oneclaw models default PROVIDER/MODEL` sets it."
        who = "only `oneclaw chat` answers, by the tiny model"
        if not can_run_local:
            who = "nothing answers, and the tiny model cannot run here: see llama.cpp"
        elif NAME not in app.catalog.packages.names():
            who = f"nothing answers; `pip install {KNOWN[NAME]}` installs a tiny model"
        return Checkup("models", "warn", f"no model is set: {who}; {said}", remedy)
    provider = default.partition("/")[0]
    needed = app.catalog.provider(provider).key
    if needed and not keys.get(needed):
        return Checkup("models", "bad", f"{default} answers, but {needed} is not set", _keep(provider))
    if provider == "local" and not can_run_local:
        return Checkup("models", "bad", f"{default} cannot run here: see llama.cpp; {said}")
    small = SmallModel(app.catalog, app.agents, "default").note
    return Checkup("models", "ok", f"{default} answers; {said}" + (f"; {small}" if small else ""))


def check_features(app: App) -> Checkup:
    """Which features are on, and what a tool that would be there lacks on this machine."""
    on = [name for name in feature_names(app) if app.policy.features.get(name)]
    whys = [app.policy.why(tool.definition, agent="default", origin=tool.origin) for tool in app.registry]
    for why in whys:
        refusing = [step for step in why.steps if step.verdict == "refuses"]
        if [step.setting for step in refusing] == ["machine"]:
            return Checkup("features", "warn", f"{why.tool} is not there: {refusing[0].text}")
    said = ", ".join(on) if on else "none"
    return Checkup("features", "ok", f"on: {said}; `oneclaw features` switches them")
