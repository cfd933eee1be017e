"""Texts that a message gives word for word: after a colon, or in the lines above `save it as a.txt`."""

import re

from oneclaw_smollm2.call import Ruled
from oneclaw_smollm2.message import looks_like_path

_PATH = r"(?:(?:the|a|my) )?(?:new )?(?:file |note )?(?:called |named )?(?P<path>[^\s:,]+?)"
_FOLLOWING = r"(?: (?:this|that|the following|these|these lines|this text|these items|the text|down))*"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE | re.DOTALL)
    for form in (
        rf"(?P<verb>write|save|put|store|add|append|note|enter){_FOLLOWING} (?:to|in|into|as"
        rf"|on) {_PATH}\s*:\s*(?P<content>.+)",
        r"(?P<verb>create|make|start|write)(?: me)?(?: an?| the)?(?: new)?(?: text)?(?: file| note"
        r"| document)?(?: called| named)?"
        r" (?P<path>[^\s:,]+?)(?: with| containing| saying| that says| holding)?(?: the)?(?: following)?"
        r"(?: text| contents?| lines?| words?)?\s*:\s*(?P<content>.+)",
        rf"(?:[^\n]*:)?\s*(?P<content>.+?)\s*\n\s*(?:please )?(?P<verb>save|write|put|store)"
        rf" (?:it|this|that|them|the list|these)(?: all)? (?:as|to|in|into) {_PATH}[.!]?",
        rf"(?P<verb>save|write|put|store) (?:it|this|that|them|the following) (?:as|to|in"
        rf"|into) {_PATH}\s*\n(?P<content>.+)",
    )
)


def read_dictation(request: str) -> Ruled | None:
    """The call that writes a dictated text into a file; None where a message dictates none."""
    for form in _FORMS:
        found = form.fullmatch(request.strip())
        if found is not None and looks_like_path(found["path"]):
            verb, text = found["verb"].lower(), found["content"].strip()
            is_quoted = len(text) > 1 and text[0] + text[-1] in ('""', "''", "“”", "‘’", "``")
            mode = "append" if verb in ("add", "append", "put", "note", "enter") else "overwrite"
            content = text[1:-1] if is_quoted else text
            return Ruled("write_file", verb, {"path": found["path"], "content": content, "mode": mode})
    return None
