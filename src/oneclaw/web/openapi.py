"""The OpenAPI document of the API, made from its endpoints."""

import re
from collections.abc import Iterable
from typing import Any

from oneclaw.web.answers import answer_schema
from oneclaw.web.endpoint import BYTES, Endpoint

_PARAMETER = re.compile(r"\{(\w+)\}")
_ERROR = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
_FAILURES = {
    "400": "The request is wrong",
    "401": "Nobody is logged in",
    "403": "The request is not allowed",
    "404": "There is no such thing",
    "409": "The thing is busy",
    "405": "The method is another one",
    "413": "The body is too long",
    "421": "The server does not answer to this name",
    "429": "Too many logins have failed",
    "503": "The store cannot be used",
}


def openapi(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    from oneclaw import __version__

    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        paths.setdefault(f"/api{endpoint.path}", {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {"title": "OneClaw", "version": __version__},
        "paths": paths,
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{"token": []}],
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    answer = answer_schema(endpoint.method, endpoint.path)
    error = {"content": {"application/json": {"schema": _ERROR}}}
    operation: dict[str, Any] = {
        "summary": endpoint.summary,
        "parameters": [*_path_parameters(endpoint), *_query_parameters(endpoint)],
        "responses": {
            "200": {"description": "Done", "content": {endpoint.gives: {"schema": answer}}},
            **{status: {"description": text, **error} for status, text in _FAILURES.items()},
        },
    }
    if endpoint.method == "POST":
        header = {"type": "string", "enum": ["1"]}
        operation["parameters"].append(
            {"name": "X-OneClaw", "in": "header", "required": True, "schema": header}
        )
        schema = endpoint.body_schema if endpoint.takes != BYTES else {"type": "string", "format": "binary"}
        required = endpoint.takes == BYTES or bool(endpoint.required)
        operation["requestBody"] = {"required": required, "content": {endpoint.takes: {"schema": schema}}}
    return operation


def _path_parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    named: list[str] = _PARAMETER.findall(endpoint.path)
    schema = {"type": "string", "minLength": 1}
    return [{"name": name, "in": "path", "required": True, "schema": schema} for name in named]


def _query_parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "query", "required": name in endpoint.required, "schema": schema}
        for name, schema in endpoint.query.items()
    ]
