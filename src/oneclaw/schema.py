"""Portable JSON Schemas, and import of foreign tool definitions. Public."""

from oneclaw.core.define.foreign import Adopted, adopt
from oneclaw.core.define.lint import Finding, lint
from oneclaw.core.define.portable import array, boolean, integer, number, obj, optional, string, string_enum

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
