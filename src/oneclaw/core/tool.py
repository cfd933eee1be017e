"""Tool, ToolDefinition, and the Context a running tool gets."""

import re
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from oneclaw.core.errors import InvalidName, InvalidTool, Kind, ToolError
from oneclaw.core.session import Session, Workspace

if TYPE_CHECKING:
    from oneclaw.core.text.diff import Preview

NAME = re.compile(r"[a-z][a-z0-9_]{0,63}\Z")

Effect = Literal["read", "write", "unknown"]
Isolation = Literal["inline", "thread", "process"]
CutPlace = Literal["head", "middle"]
_CHOICES = {"effect": get_args(Effect), "isolation": get_args(Isolation), "trim": get_args(CutPlace)}
Execute = Callable[[dict[str, Any], "Context"], Any]
"""The work of a tool: checked arguments and a context in; a value, an `Output` or an awaitable out."""


AskQuestion = Callable[[str, tuple[str, ...], Mapping[str, Any] | None, float | None], Awaitable[Any]]
"""Asks a person: the text, the options of a choice, the schema of a form, and how long it is open."""


def no_parameters() -> dict[str, Any]:
    return {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """A tool's definition.

    name        ^[a-z][a-z0-9_]{0,63}$, unique
    label       the name a person reads, or one for each language (`{"en": "Read a file"}`); see `label_in`
    parameters  JSON Schema 2020-12 of an object
    needs       permissions asked before each call, as `files.write`
    seconds     the limit of one call
    group       tools that belong together, as `files`
    effect      `read` may be run again after a crash; `write` and `unknown` may not
    isolation   `inline`, `thread`, or `process` (killed when its time is up); where nobody says,
                a coroutine function runs inline and any other in a thread
    resource    a template such as `file:{path}`: calls that share it keep their order when one writes
    output      JSON Schema of a result; one that does not fit it is an `execution_error`
    secrets     names of the secrets the tool is given, and no others
    feature     a switch that must be on for the tool to exist
    default_on  whether the tool is on where nobody has said
    switchable  whether it can be switched alone; one that cannot comes and goes with its feature
    chars       the most characters of a result the model is given
    trim        which part of a longer one: its `head`, or head and tail (`middle` goes)
    spill       whether what was cut is kept in a file of the session
    agents      the only agents that have it; None for all
    polls       whether it is meant to be called again and again until its result is another
    aliases     other names by which it may be called; no model is told of them
    missing     says what this machine lacks for the tool and how to get it; empty when nothing
    preview     says what a call would change, for the question whether it may; it only reads
    """

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=no_parameters)
    label: str | Mapping[str, str] = ""
    needs: tuple[str, ...] = ()
    seconds: float = 30.0
    group: str = ""
    version: str = "1"
    effect: Effect = "unknown"
    isolation: Isolation | None = None
    resource: str | None = None
    output: Mapping[str, Any] | None = None
    secrets: tuple[str, ...] = ()
    feature: str | None = None
    default_on: bool = True
    switchable: bool = True
    chars: int = 20_000
    trim: CutPlace = "head"
    spill: bool = True
    agents: tuple[str, ...] | None = None
    polls: bool = False
    aliases: tuple[str, ...] = ()
    missing: Callable[[], str] | None = None
    preview: "Callable[[Mapping[str, Any], Session], Preview | None] | None" = None

    def __post_init__(self) -> None:
        for name in (self.name, *self.aliases):
            if not isinstance(name, str) or not NAME.match(name):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InvalidName(
                    f"Tool name {str(name)[:80]!r} is not allowed: use lower-case letters, digits and _,"
                    " starting with a letter, at most 64 characters."
                )
        for field_name, allowed in _CHOICES.items():
            value = getattr(self, field_name)
            if value not in allowed and not (field_name == "isolation" and value is None):
                raise InvalidTool(
                    f"Tool {self.name!r} has the {field_name} {value!r}; use one of: {', '.join(allowed)}."
                )
        label = cast("object", self.label)
        texts = dict[object, object](label) if isinstance(label, Mapping) else {}  # pyright: ignore[reportUnknownArgumentType]
        is_named = texts and all(isinstance(text, str) and text for pair in texts.items() for text in pair)
        if not isinstance(label, str) and not is_named:
            raise InvalidTool(
                f"Tool {self.name!r} has the label {str(self.label)[:80]!r}; use a text, or one for each"
                ' language, as {"en": "Read a file"}.'
            )
        if not 0 < self.seconds < float("inf") or self.chars < 1:
            raise InvalidTool(
                f"Tool {self.name!r} has the limits {self.seconds!r} seconds and {self.chars!r} characters;"
                " both must be above 0."
            )

    def label_in(self, language: str = "en") -> str:
        """The label in a language, else in English, else the first; made of the name where there is none."""
        label = self.label
        if isinstance(label, str):
            return label or _label_of(self.name)
        return label.get(language) or label.get("en") or next(iter(label.values()))


@lru_cache(1024)
def _label_of(name: str) -> str:
    return name.replace("_", " ").capitalize()


class Context:
    """The context of a running tool."""

    _waits = 0
    _waiting_since: float | None = None
    _waited_seconds = 0.0
    _cancelled = False

    def __init__(
        self,
        call_id: str = "",
        session: Session | None = None,
        secrets: Mapping[str, str] | None = None,
        progress: Callable[[str, float | None], None] | None = None,
        require: Callable[[str, str], Awaitable[None]] | None = None,
        tool: str = "",
        seconds: float = 30.0,
        redact: Callable[[str], str] | None = None,
        kept: frozenset[str] = frozenset(),
        ask: "AskQuestion | None" = None,
    ) -> None:
        self.call_id = call_id
        self.kept = kept
        """The needs of the call that stand by an answer that was kept: nobody was asked about it."""
        self.tool = tool
        self.seconds = seconds
        self.session = session or Session()
        self.secrets: Mapping[str, str] = secrets or {}
        self._progress = progress
        self._require = require
        self._ask = ask
        self._redact = redact
        self._on_cancel: list[Callable[[], None]] = []

    @property
    def agent(self) -> str:
        return self.session.agent

    @property
    def workspace(self) -> Workspace:
        return self.session.workspace

    def progress(self, text: str, fraction: float | None = None) -> None:
        """Tell people how far the work is; `fraction` goes from 0 to 1."""
        if self._progress is not None:
            self._progress(text, fraction)

    def redact(self, text: str) -> str:
        """`text` without known secrets. Results are redacted anyway; a tool that gives parts of a text
        does it before it cuts, because half a secret is not known as one."""
        return text if self._redact is None else self._redact(text)

    async def require(self, need: str, reason: str) -> None:
        """Ask for a need that only shows while running; raises `ToolError` when it is not granted."""
        if self._require is None:
            raise ToolError(f"{reason} This needs the permission {need}.", Kind.PERMISSION_DENIED)
        with self.paused():
            await self._require(need, reason)

    async def ask(
        self,
        text: str,
        *,
        options: Sequence[str] = (),
        schema: Mapping[str, Any] | None = None,
        seconds: float | None = None,
    ) -> Any:
        """Ask the person, and wait for the answer: a text, one of `options`, or an object that fits `schema`.

        `seconds` is how long the question is open. Raises `ToolError` when nobody answers. The time until the
        answer does not count against the limit of the call.
        """
        if self._ask is None:
            raise ToolError("Nobody is there to ask.")
        with self.paused():
            return await self._ask(text, tuple(options), schema, seconds)

    def ask_in_thread(self, text: str, **more: Any) -> Any:
        """`ask` for work that runs in a thread; waits for the answer there."""
        return self._wait_in_thread(lambda: self.ask(text, **more))

    def require_in_thread(self, need: str, reason: str) -> None:
        """`require` for work that runs in a thread; waits for the answer there."""
        if self._require is None:
            raise ToolError(f"{reason} This needs the permission {need}.", Kind.PERMISSION_DENIED)
        self._wait_in_thread(lambda: self.require(need, reason))

    def _wait_in_thread(self, begin: Callable[[], Awaitable[Any]]) -> Any:
        import asyncio  # heavy, and seldom needed here

        async def wait() -> Any:
            loop, task = asyncio.get_running_loop(), asyncio.current_task()

            def stop() -> None:
                if task is not None:
                    with suppress(RuntimeError):  # the loop has ended
                        loop.call_soon_threadsafe(task.cancel)

            self.on_cancel(stop)
            return await begin()

        try:
            return asyncio.run(wait())
        except asyncio.CancelledError:
            raise ToolError("The call was cancelled.", Kind.CANCELLED) from None

    @contextmanager
    def paused(self) -> Generator[None]:
        """Meanwhile the clock of the call stands still: a person, a worker or another call is waited for."""
        self._waits += 1
        if self._waiting_since is None:
            self._waiting_since = monotonic()
        try:
            yield
        finally:
            self._waits -= 1
            if not self._waits:  # the last of them: until then something was waited for
                self._waited_seconds = self.waited_seconds
                self._waiting_since = None

    @property
    def waited_seconds(self) -> float:
        """How long the clock stood still: this does not count against the limit of the call."""
        since = self._waiting_since
        return self._waited_seconds + (0.0 if since is None else monotonic() - since)

    @property
    def cancelled(self) -> bool:
        """True once the call is over for its caller: stop, and change nothing more."""
        return self._cancelled

    def check(self) -> None:
        """Raise when the call has been cancelled; call it before each effect."""
        if self._cancelled:
            raise ToolError("The call was cancelled.", Kind.CANCELLED)

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Run `callback` (from any thread) when the call is cancelled or out of time."""
        self._on_cancel.append(callback)
        if self._cancelled:
            callback()

    def cancel(self) -> None:
        """Mark the call as over. Called by the engine."""
        if not self._cancelled:
            self._cancelled = True
            for callback in self._on_cancel:
                callback()


@dataclass(frozen=True, slots=True)
class Tool:
    """A definition and its work. `function` is the Python function it was made from, if any."""

    definition: ToolDefinition
    execute: Execute
    origin: str = ""
    function: Callable[..., Any] | None = None

    @property
    def name(self) -> str:
        return self.definition.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the Python function itself, past the engine: for the tests of the function."""
        if self.function is None:
            raise TypeError(f"Tool {self.name!r} was not made from a function; call it through the engine.")
        return self.function(*args, **kwargs)
