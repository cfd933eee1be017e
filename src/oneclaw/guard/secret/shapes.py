"""Recognises tokens of known services by their format.

A model that is asked to read a file must see what stands in it, so these stay in what a model is given. In
the journal, where nobody needs them, they become `[masked:github token]`. No pattern reaches over a quote,
so that JSON stays JSON, and none repeats a repetition, so that no text makes them slow.
"""

import re
from dataclasses import dataclass

_WORD = "[A-Za-z0-9_-]"
_EDGE = rf"(?:(?<!{_WORD})|(?<=\\[bfnrt]))"  # or after the escape of a line's end in JSON


@dataclass(frozen=True, slots=True)
class SecretShape:
    """A token's name, a text it always contains, and its pattern; group 1 stays visible.

    The pattern is text: compiling them all would be ten times the work of importing this file.
    """

    name: str
    hint: str
    pattern: str


def _token(name: str, hint: str, rest: str, before: str = "") -> SecretShape:
    return SecretShape(name, hint, f"{_EDGE}(){before}{re.escape(hint)}{rest}")


# All of these begin a run of at least `_RUN` letters, digits, _ and -, or stand right before one.
TOKENS = (
    # At least one digit: `sk-` also begins names of classes and files.
    _token("api key", "sk-", rf"(?=[A-Za-z_-]{{0,60}}\d){_WORD}{{20,}}"),
    _token("stripe key", "k_live_", "[A-Za-z0-9]{16,}", before="[sr]"),
    _token("stripe key", "k_test_", "[A-Za-z0-9]{16,}", before="[sr]"),
    *(_token("github token", f"gh{letter}_", "[A-Za-z0-9]{36,}") for letter in "pousr"),
    _token("github token", "github_pat_", "[A-Za-z0-9_]{22,}"),
    _token("gitlab token", "glpat-", f"{_WORD}{{20,}}"),
    _token("npm token", "npm_", "[A-Za-z0-9]{36}"),
    _token("pypi token", "pypi-", f"{_WORD}{{50,}}"),
    _token("hugging face token", "hf_", "[A-Za-z0-9]{30,}"),
    _token("groq key", "gsk_", "[A-Za-z0-9]{30,}"),
    _token("slack token", "xox", "[abeoprs]-[A-Za-z0-9-]{15,}"),
    _token("aws key", "AKIA", "[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _token("aws key", "ASIA", "[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _token("google key", "AIza", f"{_WORD}{{35}}(?!{_WORD})"),
    _token("google token", "ya29.", f"{_WORD}{{20,}}"),
    _token("sendgrid key", "SG.", rf"{_WORD}{{20,32}}\.{_WORD}{{32,64}}"),
    _token("json web token", "eyJ", rf"{_WORD}{{17,}}\.{_WORD}{{10,}}\.{_WORD}*"),
)
OTHERS = (
    SecretShape(
        "token",
        "earer ",
        r"(\b[Bb]earer +)(?=[A-Za-z._~+/-]{0,60}\d)[A-Za-z0-9_.~+/-]{16,}={0,2}",
    ),
    SecretShape(
        "credentials",
        "uthorization",
        r"""([Aa]uthorization\\?["']?\s*[:=]\s*\\?["']?[A-Za-z]{4,10} +)[A-Za-z0-9_.~+/-]{8,}={0,2}""",
    ),
    SecretShape("password", "://", r"""(://[^\s/:@"'\\]{0,64}:)[^\s/@"'\\]{3,200}(?=@)"""),
    SecretShape(
        "private key",
        "PRIVATE KEY-----",
        r"""(-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY-----)(?:[^"\\-]|\\[^"]|-(?!----END))+""",
    ),
)

_LEAST_CHARS = len("://:abc@")
"""No shape is shorter."""
_RUN = b"x" * 20
_BEGINNINGS = tuple(
    b"sk- sk_ rk_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- npm_ pypi- hf_ gsk_ xox AKIA ASIA AIza"
    b" eyJ".split()
)
_BEFORE = (b"ya29.", b"SG.")
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_CLASSES = bytes(ord("x") if code in _LETTERS else ord(" ") for code in range(256))


def mask(text: str) -> str:
    """`text` with every token of a known look replaced by its name."""
    if len(text) < _LEAST_CHARS:
        return text
    shapes = [shape for shape in OTHERS if shape.hint in text]
    if _may_hold_token(text):
        shapes += [shape for shape in TOKENS if shape.hint in text]
    for shape in shapes:
        text = re.sub(shape.pattern, rf"\1[masked:{shape.name}]", text)
    return text


def _may_hold_token(text: str) -> bool:
    """Whether a long run in the text begins as a token does. One pass over bytes, faster than any pattern."""
    if len(text) < len(_RUN):
        return False
    data = text.encode("utf-8", "replace")
    classes = data.translate(_CLASSES)
    at = classes.find(_RUN)
    while at >= 0:
        if data.startswith(_BEGINNINGS, at) or data.endswith(_BEFORE, 0, at):
            return True
        if data[at - 1 : at] == b"\\" and data.startswith(_BEGINNINGS, at + 1):
            return True
        end = classes.find(b" ", at)
        at = classes.find(_RUN, end) if end >= 0 else -1
    return False
