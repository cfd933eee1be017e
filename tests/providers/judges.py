"""Requests held to the types of the official SDKs: keys they do not know and values of another type fail."""

import json
import warnings
from collections.abc import Callable
from typing import Any

from anthropic.types.message_create_params import MessageCreateParamsStreaming
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
from pydantic import BaseModel, ConfigDict
from tests.providers.typed_dicts import problems

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the SDK has an escape sequence that Python warns of
    from google.genai import types

Judge = Callable[[bytes], dict[str, Any]]


class GeminiBody(BaseModel):
    """The body of a request in the SDK's types, which forbid unknown keys."""

    model_config = ConfigDict(extra="forbid")

    contents: list[types.Content]
    systemInstruction: types.Content | None = None
    tools: list[types.Tool] | None = None
    toolConfig: types.ToolConfig | None = None
    generationConfig: types.GenerationConfig | None = None


TYPES: dict[str, Any] = {
    "anthropic": MessageCreateParamsStreaming,
    "openai_chat": CompletionCreateParamsStreaming,
    "openai_responses": ResponseCreateParamsStreaming,
}


def judge(wire: str, body: bytes) -> dict[str, Any]:
    """The body of a request, read; it fails where the SDK of the provider has no place for a part of it."""
    read = json.loads(body)
    if wire == "gemini":
        taken = GeminiBody.model_validate_json(body)
        # The types keep all of it: nothing was sent that they only pass over.
        again = [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in taken.contents]
        assert again == read["contents"]
    else:
        assert problems(read, TYPES[wire]) == []
    return read
