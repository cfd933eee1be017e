"""The program's side of one JavaScript call: messages from the worker, requests and the end.

All of it comes from a process that runs foreign code: shapes are checked, numbers and sizes bounded.
"""

import asyncio
import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, cast

from oneclaw.child.exit_report import Ended, read_exit
from oneclaw.child.frames import Garbled, decode
from oneclaw.child.worker import Worker
from oneclaw.core.errors import ForeignError, ToolError, describe
from oneclaw.js.hint import hint
from oneclaw.js.prelude import BORDER_LINE
from oneclaw.js.source import JavaScriptSource

FRAME_BYTES = 8 * 1024 * 1024 + 1024
"""The most one message of a worker may hold."""
MESSAGES = 10_000
QUESTIONS = 100
"""The most questions to the host under way at once; the next is read when one has been answered."""
LOG_CHARS = 64 * 1024

_IN_A_ROW = 50
_STOP_SECONDS = 0.25
_SHORT_CHARS = 350
_PLACE = re.compile(r" {4}at (?:(?P<name>.{0,200}) \()?<input>:(?P<line>\d{1,9}):(?P<column>\d{1,9})\)?")
_OF_TEXT = (None, "<eval>", "anonymous")
"""Of what JSON.parse, eval or Function was given, unless it is the last line: then it is of the file."""
_SPENT = "InternalError: out of memory"


class Answers(Protocol):
    """A host function for a running tool."""

    async def answer(self, op: str, arguments: list[Any]) -> Any:
        """A JSON value. Raises `ToolError`, which the tool can catch as an Error."""
        ...


@dataclass(frozen=True, slots=True)
class Ran:
    """The value: a string as is, undefined as "", others as JSON; and the log."""

    text: str
    log: str
    is_json: bool = False


class CallExchange:
    """Messages of one call."""

    def __init__(self, worker: Worker, source: JavaScriptSource, answers: Answers, memory_bytes: int) -> None:
        self.is_impure = False
        self._worker = worker
        self._source = source
        self._answers = answers
        self._memory_bytes = memory_bytes
        self._log: list[str] = []
        self._log_chars = 0
        self._unsaid = 0
        self._questions: set[asyncio.Task[None]] = set()

    async def listen(self) -> Ran | list[str]:
        """Hear the worker out: a result, or for a check the reasons. Raises `ToolError`."""
        try:
            for number in range(MESSAGES):
                payload = await self._worker.receive()
                if payload[:1] in (b"d", b"v"):
                    return Ran(payload[1:].decode(), self._logged(), payload[:1] == b"v")
                end = await self._take(decode(payload[1:]))
                if end is not None:
                    return end
                if number % _IN_A_ROW == 0:
                    await asyncio.sleep(0)  # others want their turn too
            self._worker.kill(f"it sent more than {MESSAGES:,} messages")
            raise self._error(
                f"{self._source.file} said too much: more than {MESSAGES:,} messages in one call."
            )
        except asyncio.CancelledError as stopped:
            # On the error itself: scopes of asyncio know a cancel by its very class.
            stopped.__dict__["details"] = self._details()
            raise
        except Ended as ended:
            raise self._error(f"The process that ran {self._source.file} {ended}.") from None
        except (UnicodeDecodeError, Garbled):
            raise self._nonsense() from None
        finally:
            await self._stop_asking()

    async def _take(self, message: dict[str, Any]) -> list[str] | None:
        match message:
            case {"log": [str(level), str(text)]}:
                self._keep(text if level == "log" else f"{level}: {text}")
            case {"call": [int(number), str(op), list(values)]} if 0 <= number < 2**31:  # pyright: ignore[reportUnknownVariableType]
                await self._ask(number, op, cast(list[Any], values))
            case {"held": []}:
                self._worker.holds = self._source.digest
            case {"impure": []}:
                self.is_impure = True
            case {"unsaid": [int(count)]}:
                self._unsaid += count
            case {"checked": [list(reasons)]}:  # pyright: ignore[reportUnknownVariableType]
                return [str(reason) for reason in cast(list[object], reasons)]
            case {"fail": [str(words), str(stack), str(made)]}:
                self._fail(words, stack, made)
            case {"missing": [str(reason)]}:
                raise self._error(f"{self._source.file}: {reason[:200]}.")
            case {"spent": []}:
                self._fail(_SPENT)
            case {"died": [int(code)]}:
                self._worker.kill("one of its processes died")  # it may have died while it read the line
                died = read_exit(code, "", "", False)
                raise self._error(f"The process that ran {self._source.file} {died}.")
            case _:
                raise self._nonsense()
        return None

    async def _ask(self, number: int, op: str, values: list[Any]) -> None:
        while len(self._questions) >= QUESTIONS:
            await asyncio.wait(self._questions, return_when=asyncio.FIRST_COMPLETED)
        question = asyncio.ensure_future(self._answer(number, op, values))
        self._questions.add(question)
        question.add_done_callback(self._questions.discard)

    async def _answer(self, number: int, op: str, values: list[Any]) -> None:
        try:
            said = encode([True, await self._answers.answer(op, values)])
        except ToolError as error:
            said = encode([False, error.message, error.kind.value])
        except Exception as error:
            said = encode([False, f"{op} failed: {describe(error)}"])
        self._worker.send(b"A" + number.to_bytes(4, "big") + said)

    async def _stop_asking(self) -> None:
        """Cancels host functions of a call that has ended."""
        for question in self._questions:
            question.cancel()
        if self._questions:
            await asyncio.wait(self._questions, timeout=_STOP_SECONDS)

    def _keep(self, line: str) -> None:
        left = LOG_CHARS - self._log_chars
        if left <= 0:
            self._unsaid += 1
            return
        line = line[:left].encode("utf-8", "replace").decode()
        self._log.append(line)
        self._log_chars += len(line) + 1

    def _logged(self) -> str:
        more = [f"… and {self._unsaid:,} more"] if self._unsaid else []
        return "\n".join([*self._log, *more])

    def _fail(self, words: str, stack: str = "", made: str = "") -> NoReturn:
        words = words.strip() or "Error"
        if words == _SPENT:
            words = f"the tool used more than the {self._memory_bytes // 2**20} MB of memory it may"
        place = _place(self._source.file, stack, made)
        if len(words) <= _SHORT_CHARS:
            number = int(place.rsplit(":", 2)[1]) if place else 0
            line = "".join(self._source.text.split("\n", number)[number - 1 : number]) if number else ""
            instead = hint(words, line)
            said = f"{words} ({place})" if place else words
            raise self._error(f"{said}: {instead}." if instead else said)
        # The engine cuts it, but only after the secrets have been taken out.
        raise self._error(f"{place}: {words}" if place else words, ForeignError)

    def _nonsense(self) -> ToolError:
        self._worker.kill("it sent a message nobody understands")
        return self._error(f"The process that ran {self._source.file} sent nonsense and was stopped.")

    def _error(self, message: str, kind: type[ToolError] = ToolError) -> ToolError:
        return kind(message, details=self._details())

    def _details(self) -> dict[str, str] | None:
        log = self._logged()
        return {"log": log} if log else None


def encode(value: Any) -> bytes:
    """JSON as JavaScript reads it. Raises `ValueError` or `TypeError` for what is none."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


def _place(file: str, stack: str, made: str) -> str:
    """Where in the file of the tool it was: the uppermost line that is neither ours nor the engine's.

    `made` is the class of what was thrown: its constructor is not where things went wrong.
    """
    lines = stack.rstrip("\n").split("\n")
    for at, line in enumerate(lines):
        found = _PLACE.fullmatch(line)
        if found is None or int(found["line"]) >= BORDER_LINE:
            continue
        name = found["name"]
        if at + 1 < len(lines) and (name in _OF_TEXT or name == made):
            continue
        return f"{file}:{found['line']}:{found['column']}"
    return ""
