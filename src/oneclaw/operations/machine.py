"""Doctor checks of this machine: interpreter, network, time zones, models, sandbox, limits."""

import os
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Checkup:
    """One thing looked at: how it is in one sentence, and the remedy where something is to be done."""

    topic: str
    state: Literal["ok", "warn", "bad"]
    text: str
    remedy: str = ""


def check_python() -> Checkup:
    import platform

    version = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    return Checkup("python", "ok", version)


async def check_javascript() -> Checkup:
    from oneclaw.js.runtime import JavaScriptSource, Runtime

    runtime, source = Runtime(size=1), JavaScriptSource.of("doctor.js", "function answer() { return 42; }")
    try:
        fault = (await runtime.check(source, ["answer"]))["answer"]
    finally:
        await runtime.close()
    if fault:
        return Checkup("javascript", "bad", f"a JavaScript worker gave a wrong answer: {fault}")
    return Checkup("javascript", "ok", "JavaScript workers start and answer")


async def check_workers() -> Checkup:
    from oneclaw.core.define.function import tool
    from oneclaw.core.tool import Context
    from oneclaw.run.runner import CallRunner

    runner = CallRunner()
    try:
        answered = await runner.run(tool(answer, isolation="process"), {}, Context(), 20.0)
    finally:
        await runner.close()
    if answered != 42:
        return Checkup("workers", "bad", "a worker process gave a wrong answer")
    return Checkup("workers", "ok", "worker processes start and answer")


def answer() -> int:
    """Answer."""
    return 42


def check_network(proxy: str | None) -> Checkup:
    ignored = [name for name in ("http_proxy", "https_proxy", "all_proxy") if os.environ.get(name)]
    if proxy:
        return Checkup("network", "ok", "requests go through the proxy of `network.proxy`")
    if ignored:
        remedy = "Set `network.proxy` if requests must go through a proxy."
        return Checkup("network", "warn", f"{', '.join(ignored)} in the environment is not used", remedy)
    return Checkup("network", "ok", "requests go straight out; private addresses need a grant")


def check_zone() -> Checkup:
    from zoneinfo import available_timezones

    count = len(available_timezones())
    if count < 100:
        return Checkup("time zone", "warn", f"only {count} time zones are known", "Install tzdata.")
    return Checkup("time zone", "ok", f"{count} time zones")


def why_no_local_models() -> str:
    """Why what runs models on this machine cannot be loaded, in one sentence; empty when it can."""
    from oneclaw.providers.base import ProviderError
    from oneclaw.providers.local.engine import check_loadable

    try:
        check_loadable()
    except ProviderError as error:
        return str(error)
    return ""


def check_local_models(problem: str) -> Checkup:
    """Whether models can run on this machine; `problem` is why not."""
    if problem:
        return Checkup("llama.cpp", "warn", problem)
    return Checkup("llama.cpp", "ok", "models can run on this machine; `oneclaw models local` lists them")


def check_sandbox(mode: str, way: str) -> Checkup:
    """Tests the sandbox; `mode` and `way` are the owner's settings."""
    from oneclaw.guard.sandbox import bubblewrap, landlock, seccomp
    from oneclaw.guard.sandbox.places import program_places

    if mode == "native" or way == "none":
        setting, value = ("mode", mode) if mode == "native" else ("sandbox", way)
        text = f'nothing shuts commands in, by shell.{setting} = "{value}": they can do all that you can'
        return Checkup("sandbox", "warn", text, f"Take shell.{setting} out of the settings to shut them in.")
    works, why = None, ""
    if way != "landlock":
        works, why = bubblewrap.probe(program_places())
    if works:
        return Checkup("sandbox", "ok", "bubblewrap works, and shuts commands in")
    if way != "bubblewrap" and landlock.version() and seccomp.is_known():
        if not why:
            return Checkup("sandbox", "ok", "Landlock shuts commands in, as set; bubblewrap would hide more")
        text = f"{why}; meanwhile Landlock shuts commands in, and hides less"
        return Checkup("sandbox", "warn", text, "Install or mend bubblewrap.")
    remedy = "Install or mend bubblewrap; until then no command is run."
    return Checkup("sandbox", "warn", why or "this kernel has no Landlock", remedy)


def check_limits() -> Checkup:
    """Reports what limits commands: the kernel, or our own count."""
    from oneclaw.child.group import make_group

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
    return Checkup("limits", "ok", "; ".join(said))
