"""OneClaw, the tool runtime for AI agents. Each name is loaded when it is first used."""

# `typing` itself is not loaded: it costs more than all of this file.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from oneclaw.agent.agent import Agent as Agent
    from oneclaw.agent.agent import Limits as Limits
    from oneclaw.agent.run_handle import RunHandle as RunHandle
    from oneclaw.app import App as App
    from oneclaw.app import ask as ask
    from oneclaw.config import Config as Config
    from oneclaw.config import load_config as load_config
    from oneclaw.core.call import Image as Image
    from oneclaw.core.call import Output as Output
    from oneclaw.core.call import ToolCall as ToolCall
    from oneclaw.core.call import ToolResult as ToolResult
    from oneclaw.core.define.function import tool as tool
    from oneclaw.core.errors import InvalidConfig as InvalidConfig
    from oneclaw.core.errors import Kind as Kind
    from oneclaw.core.errors import MissingKey as MissingKey
    from oneclaw.core.errors import NotFound as NotFound
    from oneclaw.core.errors import OneClawError as OneClawError
    from oneclaw.core.errors import ToolError as ToolError
    from oneclaw.core.registry import Registry as Registry
    from oneclaw.core.run_event import RunFailed as RunFailed
    from oneclaw.core.session import Session as Session
    from oneclaw.core.tool import Context as Context
    from oneclaw.core.tool import Tool as Tool
    from oneclaw.core.tool import ToolDefinition as ToolDefinition
    from oneclaw.core.version import __version__ as __version__
    from oneclaw.engine import Engine as Engine
    from oneclaw.providers.scripted import Scripted as Scripted

_HOME = {
    "Agent": "oneclaw.agent.agent",
    "App": "oneclaw.app",
    "Config": "oneclaw.config",
    "Context": "oneclaw.core.tool",
    "Engine": "oneclaw.engine",
    "Image": "oneclaw.core.call",
    "InvalidConfig": "oneclaw.core.errors",
    "Kind": "oneclaw.core.errors",
    "Limits": "oneclaw.agent.agent",
    "MissingKey": "oneclaw.core.errors",
    "NotFound": "oneclaw.core.errors",
    "OneClawError": "oneclaw.core.errors",
    "Output": "oneclaw.core.call",
    "Registry": "oneclaw.core.registry",
    "RunFailed": "oneclaw.core.run_event",
    "RunHandle": "oneclaw.agent.run_handle",
    "Scripted": "oneclaw.providers.scripted",
    "Session": "oneclaw.core.session",
    "Tool": "oneclaw.core.tool",
    "ToolCall": "oneclaw.core.call",
    "ToolDefinition": "oneclaw.core.tool",
    "ToolError": "oneclaw.core.errors",
    "ToolResult": "oneclaw.core.call",
    "__version__": "oneclaw.core.version",
    "ask": "oneclaw.app",
    "load_config": "oneclaw.config",
    "tool": "oneclaw.core.define.function",
}

__all__ = list(_HOME)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'oneclaw' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
