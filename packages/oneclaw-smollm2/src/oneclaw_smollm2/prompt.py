"""The prompt the embedded model was trained on, and how its answer is read."""

import json
import re
from collections.abc import Sequence
from typing import Any

from oneclaw import ToolDefinition
from oneclaw.core.subschema import is_object
from oneclaw_smollm2.parameters import first_sentence, read_parameters

CHAT = ">chat"
_CALL = re.compile(r"\s*>([a-z][a-z0-9_]*)\s*(\{.*\})\s*\Z", re.DOTALL)
_QUESTION = re.compile(r"\s*>([a-z][a-z0-9_]*)\s*\?\s*\Z")
_TAG = re.compile(r"<\|[a-z_]+\|>")


def write_prompt(definitions: Sequence[ToolDefinition], text: str) -> str:
    """What the model continues: the tools, one a line, and the message."""
    lines = [line for each in definitions if (line := signature(each)) is not None]
    head = "\n".join(["Tools:", *lines])
    return (
        f"<|im_start|>system\n{head}<|im_end|>\n"
        f"<|im_start|>user\n{without_tags(text)}<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


def signature(definition: ToolDefinition) -> str | None:
    """`write_file(path, content, mode?): Write contents to a file`; None if a small model cannot call it."""
    parameters = read_parameters(definition)
    if parameters is None:
        return None
    shown = ", ".join(each.name if each.is_required else f"{each.name}?" for each in parameters)
    return without_tags(f"{definition.name}({shown}): {first_sentence(definition.description)}")


def without_tags(text: str) -> str:
    """The text without what means something in a prompt.

    A space stands for each tag, so that what is left of two of them can never be a third.
    """
    return _TAG.sub(" ", text)


def read_answer(text: str) -> tuple[str, dict[str, Any]] | None:
    """The tool and its arguments; None where the model only wants to talk, or said nothing that is a call."""
    found = _CALL.match(text)
    if found is None:
        return None
    try:
        arguments = json.loads(found[2])
    except (ValueError, RecursionError):
        return None
    return (found[1], dict(arguments)) if is_object(arguments) else None


def read_question(text: str) -> str | None:
    """The tool the model would call if the message said what a required parameter needs."""
    found = _QUESTION.match(text)
    return None if found is None else found[1]
