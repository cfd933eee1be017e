"""Source text of a JavaScript file."""

import hashlib
from dataclasses import dataclass

from oneclaw.core.errors import ToolError
from oneclaw.js.prelude import BORDER_LINE

SOURCE_CHARS = 4_000_000


@dataclass(frozen=True, slots=True)
class JavaScriptSource:
    """`file` is the name errors show; `digest` tells one text from another."""

    file: str
    text: str
    digest: str

    @classmethod
    def of(cls, file: str, text: str) -> "JavaScriptSource":
        return cls(file, text, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())

    def encode(self) -> bytes:
        """The text as bytes. Raises `ToolError` for what the engine cannot read."""
        if "\0" in self.text:
            raise ToolError(f"{self.file} holds a NUL character: write \\0 instead.", effects="none")
        if len(self.text) > SOURCE_CHARS or self.text.count("\n") >= BORDER_LINE:
            most = f"{SOURCE_CHARS:,} characters or {BORDER_LINE:,} lines"
            raise ToolError(f"{self.file} has more than {most}: make it shorter.", effects="none")
        try:
            return self.text.encode()
        except UnicodeEncodeError:
            raise ToolError(f"{self.file} is not Unicode text.", effects="none") from None
