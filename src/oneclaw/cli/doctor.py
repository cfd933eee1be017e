"""`oneclaw doctor`: what works on this machine, and what to install for the rest."""

import argparse
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

State = Literal["ok", "warn", "bad"]

CHECK_SECONDS = 1.0
"""How long the store is read through; a large one takes longer, and is read as far as that goes."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: how it is, and what to do about it."""

    topic: str
    state: State
    text: str
    remedy: str = ""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


async def run(arguments: argparse.Namespace) -> int:
    from dataclasses import asdict

    from oneclaw.cli.terminal import print_json, print_line

    findings = await look(arguments)
    if arguments.json:
        print_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            mark, style = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "bad": ("✗", "red")}[finding.state]
            print_line(f"{mark} {finding.topic:<12}{finding.text}", style, indent=14)
            if finding.remedy:
                print_line(f"  {'':<12}→ {finding.remedy}", indent=2)
    return 1 if any(finding.state == "bad" for finding in findings) else 0


async def look(arguments: argparse.Namespace) -> list[Finding]:
    """Every check, in order; one that fails itself is a finding too."""
    from oneclaw.cli.opened import read_config
    from oneclaw.config import user_folder
    from oneclaw.core.errors import OneClawError, describe

    findings = [check_python()]
    try:
        config = read_config(arguments)
    except OneClawError as error:
        return [*findings, Finding("settings", "bad", str(error))]
    nowhere = f"no settings file; {user_folder('config') / 'oneclaw.toml'} would be read"
    findings.append(Finding("settings", "ok", str(config.file or nowhere)))
    checks: list[tuple[str, Callable[[], Finding | Awaitable[Finding]]]] = [
        ("store", lambda: check_store(config.store_file)),
        ("workspace", lambda: check_workspace(config.workspace_folder)),
        ("tools", lambda: check_policy(arguments)),
        ("tool files", lambda: check_tool_files(arguments)),
        ("javascript", check_javascript),
        ("workers", check_workers),
        ("network", lambda: check_network(config.settings.network.proxy)),
        ("time zone", check_zone),
        ("secrets", lambda: check_secrets(config.secrets_file)),
        ("models", lambda: check_models(arguments)),
        ("llama.cpp", check_local_models),
        ("features", lambda: check_features(arguments)),
        (
            "sandbox",
            lambda: check_sandbox(config.settings.shell.mode, config.settings.shell.sandbox),
        ),
        ("limits", check_limits),
    ]
    for topic, check in checks:
        try:
            found = check()
            findings.append(found if isinstance(found, Finding) else await found)
        except Exception as error:
            findings.append(Finding(topic, "bad", describe(error)))
    return findings


def check_python() -> Finding:
    import platform

    version = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    return Finding("python", "ok", version)


async def check_store(file: Path) -> Finding:
    import sqlite3

    if not can_be_made(file.parent):
        remedy = "Name another data folder with --home or ONECLAW_HOME."
        return Finding("store", "bad", f"{file.parent} cannot be made or written", remedy)
    if not file.exists():
        return Finding("store", "ok", f"SQLite {sqlite3.sqlite_version}; {file} is made at the first call")
    from oneclaw.store.store import Store

    with Store(file, read_only=True) as store:
        problems, is_whole = await store.database.find_faults(CHECK_SECONDS)
    if problems:
        return Finding("store", "bad", f"{file} is damaged: {problems[0]}", "Restore it from a backup.")
    sound = "is sound" if is_whole else f"is sound as far as could be read in {CHECK_SECONDS:g} seconds"
    return Finding("store", "ok", f"SQLite {sqlite3.sqlite_version}; {file} {sound}")


def check_workspace(folder: Path) -> Finding:
    if not can_be_made(folder):
        remedy = "Name another folder with --workspace or `workspace.folder`."
        return Finding("workspace", "bad", f"{folder} cannot be made, read or written", remedy)
    return Finding("workspace", "ok", str(folder) + ("" if folder.exists() else " is made when first used"))


def can_be_made(folder: Path) -> bool:
    """Whether the folder is there for us to use, or the nearest one above it lets us make it."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.R_OK | os.W_OK | os.X_OK)


async def check_policy(arguments: argparse.Namespace) -> Finding:
    from oneclaw.cli.opened import open_app
    from oneclaw.core.permit.need import NEEDS, needs_of

    async with open_app(arguments).looking() as app:
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
        return Finding("tools", "ok", f"{len(definitions)} tools")
    text, hint = wrong[0]
    more = f" (and {len(wrong) - 1} more that are wrong)" if wrong[1:] else ""
    return Finding("tools", "warn", text + more, f"Correct the setting; {hint}")


def _misfit(setting: str, entry: str, bound: Mapping[str, str | None]) -> tuple[str, str]:
    """What is said of an entry that has no effect, and what to do."""
    if setting == "switches" and entry in bound:
        text = f"switches names {entry!r}, which has no switch of its own"
        return text, f"it comes and goes with {bound[entry]}, as `oneclaw features` shows."
    return f"{setting} names {entry!r}, which fits no tool", "`oneclaw tools` lists the names."


async def check_tool_files(arguments: argparse.Namespace) -> Finding:
    from oneclaw.cli.opened import open_app
    from oneclaw.cli.terminal import printable

    async with open_app(arguments).looking() as app:
        problems = list(app.problems)
        tools = [tool for tool in app.outside.tools if tool.origin != "built-in"]
        folder = app.config.tools_folder
        names = {tool.name for tool in tools}
        unused = [name for name in app.config.settings.tools.override if name not in names]
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        remedy = "`oneclaw tools check` says what is wrong with each file."
        return Finding("tool files", "warn", f"{printable(str(problems[0]))}{more}", remedy)
    if unused:
        text = f"tools.override names {unused[0]!r}, which no tool from outside has"
        return Finding("tool files", "warn", text, "Correct the setting, or take the name out.")
    count = "no tools" if not tools else "1 tool" if len(tools) == 1 else f"{len(tools)} tools"
    return Finding("tool files", "ok", f"{count} from outside; yours are read from {folder}")


async def check_javascript() -> Finding:
    from oneclaw.js.runtime import Runtime, Source

    runtime, source = Runtime(size=1), Source.of("doctor.js", "function answer() { return 42; }")
    try:
        fault = (await runtime.check(source, ["answer"]))["answer"]
    finally:
        await runtime.close()
    if fault:
        return Finding("javascript", "bad", f"a JavaScript worker gave a wrong answer: {fault}")
    return Finding("javascript", "ok", "JavaScript workers start and answer")


async def check_workers() -> Finding:
    from oneclaw.core.make.function import tool
    from oneclaw.core.tool import Context
    from oneclaw.run.runner import Runner

    runner = Runner()
    try:
        answered = await runner.run(tool(answer, isolation="process"), {}, Context(), 20.0)
    finally:
        await runner.close()
    if answered != 42:
        return Finding("workers", "bad", "a worker process gave a wrong answer")
    return Finding("workers", "ok", "worker processes start and answer")


def answer() -> int:
    """Answer."""
    return 42


def check_network(proxy: str | None) -> Finding:
    ignored = [name for name in ("http_proxy", "https_proxy", "all_proxy") if os.environ.get(name)]
    if proxy:
        return Finding("network", "ok", "requests go through the proxy of `network.proxy`")
    if ignored:
        remedy = "Set `network.proxy` if requests must go through a proxy."
        return Finding("network", "warn", f"{', '.join(ignored)} in the environment is not used", remedy)
    return Finding("network", "ok", "requests go straight out; private addresses need a grant")


def check_zone() -> Finding:
    from zoneinfo import available_timezones

    count = len(available_timezones())
    if count < 100:
        return Finding("time zone", "warn", f"only {count} time zones are known", "Install tzdata.")
    return Finding("time zone", "ok", f"{count} time zones")


def check_secrets(file: Path) -> Finding:
    if not file.exists():
        return Finding("secrets", "ok", f"no secrets file; {file} would be read")
    if file.stat().st_mode & 0o077:
        return Finding("secrets", "bad", f"{file} can be read by others", f"chmod 600 {file}")
    return Finding("secrets", "ok", str(file))


async def check_models(arguments: argparse.Namespace) -> Finding:
    """Which model answers, and which keys are set: their names, never their values."""
    from oneclaw.cli.models import keys_set
    from oneclaw.cli.opened import open_app

    async with open_app(arguments).looking() as app:
        default = app.catalog.default
        keys = keys_set(app)
        needed = None if default is None else app.catalog.provider(default.partition("/")[0]).key
    found = ", ".join(name for name, is_set in keys.items() if is_set)
    said = f"keys: {found}" if found else "no key is set"
    if default is None:
        remedy = 'Set models.default = "provider/model", or give --model; `oneclaw models` lists them.'
        text = f"no model is set: only `oneclaw chat` answers, by the tiny model that comes along; {said}"
        return Finding("models", "warn", text, remedy)
    if needed and not keys.get(needed):
        return Finding("models", "bad", f"{default} answers, but {needed} is not set", f"export {needed}=…")
    return Finding("models", "ok", f"{default} answers; {said}")


def check_local_models() -> Finding:
    """Whether what runs models on this machine can be loaded."""
    from oneclaw.providers.base import ProviderError
    from oneclaw.providers.local.engine import check_loadable

    try:
        check_loadable()
    except ProviderError as error:
        return Finding("llama.cpp", "warn", str(error))
    return Finding("llama.cpp", "ok", "models can run on this machine; `oneclaw models local` lists them")


def check_sandbox(mode: str, way: str) -> Finding:
    """What shuts commands in, tried out; `mode` and `way` are as the owner set them."""
    from oneclaw.guard.sandbox import bubblewrap, landlock, seccomp
    from oneclaw.guard.sandbox.places import program_places

    if mode == "native" or way == "none":
        setting, value = ("mode", mode) if mode == "native" else ("sandbox", way)
        text = f'nothing shuts commands in, by shell.{setting} = "{value}": they can do all that you can'
        return Finding("sandbox", "warn", text, f"Take shell.{setting} out of the settings to shut them in.")
    works, why = None, ""
    if way != "landlock":
        works, why = bubblewrap.probe(program_places())
    if works:
        return Finding("sandbox", "ok", "bubblewrap works, and shuts commands in")
    if way != "bubblewrap" and landlock.version() and seccomp.is_known():
        if not why:
            return Finding("sandbox", "ok", "Landlock shuts commands in, as set; bubblewrap would hide more")
        text = f"{why}; meanwhile Landlock shuts commands in, and hides less"
        return Finding("sandbox", "warn", text, "Install or mend bubblewrap.")
    remedy = "Install or mend bubblewrap; until then no command is run."
    return Finding("sandbox", "warn", why or "this kernel has no Landlock", remedy)


def check_limits() -> Finding:
    """What holds the memory and the processes of commands: the kernel, or our own count."""
    from oneclaw.guard.sandbox.group import make_group

    made = make_group(1 << 30, 1000)
    if made is not None:
        made.remove()
    held = {
        "memory": made is not None and made.holds_memory,
        "processes": made is not None and made.holds_tasks,
    }
    by_kernel = " and ".join(name for name, is_held in held.items() if is_held)
    by_count = " and ".join(name for name, is_held in held.items() if not is_held)
    said = [f"control groups hold the {by_kernel} of commands"] if by_kernel else []
    if by_count:
        said.append(
            f"no control group can be made for the {by_count} of commands: counted ten times a second"
        )
    return Finding("limits", "ok", "; ".join(said))


async def check_features(arguments: argparse.Namespace) -> Finding:
    """Which features are on, and what a tool that would be there lacks on this machine."""
    from oneclaw.cli.features import features_of
    from oneclaw.cli.opened import open_app

    async with open_app(arguments).looking() as app:
        on = [name for name in features_of(app) if app.policy.features.get(name)]
        whys = [app.policy.why(tool.definition, agent="default", origin=tool.origin) for tool in app.registry]
    for why in whys:
        refusing = [step for step in why.steps if step.verdict == "refuses"]
        if [step.setting for step in refusing] == ["machine"]:
            return Finding("features", "warn", f"{why.tool} is not there: {refusing[0].text}")
    said = ", ".join(on) if on else "none"
    return Finding("features", "ok", f"on: {said}; `oneclaw features` switches them")
