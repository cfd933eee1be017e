"""Endpoint: one request of the API, with the schema of its body, checked before its handler runs."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Literal

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from oneclaw.core.errors import InvalidConfig, Kind, NotFound, OneClawError, StoreError, ToolError
from oneclaw.core.subschema import is_object

if TYPE_CHECKING:
    from oneclaw.app import App

Handler = Callable[["App", Mapping[str, Any]], Awaitable[Any]]
"""Takes the app and the values of the path, the query and the body; returns plain data, a record, or a
response of its own."""
BYTES = "application/octet-stream"
EVENTS = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A request. `body` and `query` are the properties of their schemas; `required` ones must be given.

    takes  the type of the body; of bytes the handler gets a stream, as `content`
    gives  the type of the answer
    """

    method: Literal["GET", "POST"]
    path: str
    summary: str
    handler: Handler
    body: Mapping[str, Any] = field(default_factory=dict[str, Any])
    query: Mapping[str, Any] = field(default_factory=dict[str, Any])
    required: tuple[str, ...] = ()
    takes: str = "application/json"
    gives: str = "application/json"

    @property
    def body_schema(self) -> dict[str, Any]:
        return _object_schema(self.body, [name for name in self.required if name in self.body])

    @property
    def query_schema(self) -> dict[str, Any]:
        return _object_schema(self.query, [name for name in self.required if name in self.query])

    def route(self, app: "App") -> Route:
        async def respond(request: Request) -> Response:
            try:
                given = dict(request.path_params)
                given |= _checked(self.query_schema, dict(request.query_params))
                if self.takes == BYTES:
                    _check_type(request, BYTES, "The content of a file is sent as it is")
                    given["content"] = request.stream()
                elif self.method == "POST":
                    given |= _checked(self.body_schema, await _read_body(request))
                if self.gives == EVENTS:
                    given["last_event_id"] = request.headers.get("last-event-id", "")[:300]
                answer = await self.handler(app, given)
                return answer if isinstance(answer, Response) else JSONResponse(plain(answer))
            except ValueError as error:
                return fail(400, str(error))
            except ToolError as error:
                return fail(_TOOL_STATUS.get(error.kind, 400), error.message)
            except OneClawError as error:
                return fail(status_of(error), str(error))

        return Route(f"/api{self.path}", respond, methods=[self.method], name=self.summary)


def plain(value: Any) -> Any:
    """A record, or a list of them, as JSON."""
    return json.loads(json.dumps(value, default=_plain_record))


def _plain_record(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    return list(value) if isinstance(value, set | frozenset) else str(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def fail(status: int, message: str) -> JSONResponse:
    return JSONResponse({"error": message}, status)


def status_of(error: OneClawError) -> int:
    """The HTTP status of an error of ours."""
    if isinstance(error, NotFound):
        return 404
    if isinstance(error, StoreError):
        return 503
    return 400 if isinstance(error, InvalidConfig) else 409


_TOOL_STATUS = {Kind.FILE_NOT_FOUND: 404, Kind.PATH_NOT_ALLOWED: 403, Kind.PERMISSION_DENIED: 403}
"""The HTTP status of an error of a guard."""


def _check_type(request: Request, wanted: str, how: str) -> None:
    if request.headers.get("content-type", "").partition(";")[0].strip() != wanted:
        raise ValueError(f"{how}, with the header content-type: {wanted}.")


async def _read_body(request: Request) -> dict[str, Any]:
    _check_type(request, "application/json", "Send the body as JSON")
    try:
        document = json.loads(await request.body() or b"{}")
    except (ValueError, RecursionError):
        raise ValueError("The body is not JSON.") from None
    if not is_object(document):
        raise ValueError("The body must be a JSON object.")
    return dict(document)


def _checked(schema: Mapping[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    from oneclaw.core.check.form import read_form

    defaults = {name: each["default"] for name, each in schema["properties"].items() if "default" in each}
    return defaults | read_form(schema, given)  # a value that means none, as "null", is left out


def _object_schema(properties: Mapping[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": required,
        "additionalProperties": False,
    }
