"""JSON Schemas that every provider takes, and tool definitions of other products. Public."""

from oneclaw.core.make.foreign import Adopted, adopt
from oneclaw.core.make.portable import (
    Finding,
    array,
    boolean,
    integer,
    lint,
    number,
    obj,
    optional,
    string,
    string_enum,
)

__all__ = [
    "Adopted",
    "Finding",
    "adopt",
    "array",
    "boolean",
    "integer",
    "lint",
    "number",
    "obj",
    "optional",
    "string",
    "string_enum",
]
