"""Known secrets taken out, in whatever spelling they come."""

import base64
import html
import json
import shlex
import threading
from collections.abc import Callable
from functools import reduce
from time import process_time
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oneclaw.guard.secret import escapes
from oneclaw.guard.secret.redactor import SecretRedactor

SECRET = 'Tr0ub4dor&3/+ "quoted" é=\\'
KEY = "7f3Kq9LmZx82VbNtRw"


def redact(text: str, secret: str = SECRET) -> str:
    return SecretRedactor({"NAME": secret}).redact(text)


def small_percent(text: str) -> str:
    return "".join(
        f"%{byte:02x}" if byte > 127 or chr(byte) in '&/+ "=\\' else chr(byte) for byte in text.encode()
    )


def mixed(text: str) -> str:
    """Every other letter a capital."""
    return "".join(char.upper() if at % 2 else char.lower() for at, char in enumerate(text))


SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": lambda s: s,
    "json": lambda s: json.dumps({"a": s}),
    "json with letters as they are": lambda s: json.dumps({"a": s}, ensure_ascii=False),
    "json in json": lambda s: json.dumps(json.dumps({"a": s})),
    "python": lambda s: repr([s]),
    "html": html.escape,
    "percent": lambda s: quote(s, safe=""),
    "percent in a path": quote,
    "form": quote_plus,
    "percent in small letters": small_percent,
    "base64": lambda s: base64.b64encode(s.encode()).decode(),
    "base64 for addresses": lambda s: base64.urlsafe_b64encode(s.encode()).decode(),
    "basic authorization": lambda s: "Basic " + base64.b64encode(f"user:{s}".encode()).decode(),
    "basic authorization, shifted": lambda s: "Basic " + base64.b64encode(f"user1:{s}".encode()).decode(),
    "basic authorization, shifted twice": lambda s: base64.b64encode(f"user12:{s}!!".encode()).decode(),
    "hex": lambda s: s.encode().hex(),
    "HEX": lambda s: s.encode().hex().upper(),
    "shell": lambda s: shlex.quote(s + "'"),
    "hex in mixed letters": lambda s: mixed(s.encode().hex()),
    "percent, every letter": lambda s: "".join(f"%{byte:02x}" for byte in s.encode()),
    "percent in mixed letters": lambda s: "".join(mixed(f"%{byte:02x}") for byte in s.encode()),
    "percent, some letters": lambda s: "".join(f"%{byte:02X}" if at % 3 or byte > 127 else chr(byte)
                                               for at, byte in enumerate(s.encode())),
    "percent in percent": lambda s: "".join(f"%25{byte:02X}" for byte in s.encode()),
    "decimal entities": lambda s: "".join(f"&#{ord(char)};" for char in s),
    "decimal entities with zeros": lambda s: "".join(f"&#000{ord(char)};" for char in s),
    "hex entities": lambda s: "".join(mixed(f"&#x{ord(char):x};") for char in s),
    "some entities": lambda s: "".join(f"&#x{ord(char):x};" if at % 2 else char for at, char in enumerate(s)),
    "named entities": lambda s: "".join(NAMED.get(char, char) for char in s) + "&#33;",
    "entities in html": lambda s: "".join(f"&amp;#{ord(char)};" for char in s),
    "\\u": lambda s: "".join(f"\\u{ord(char):04x}" for char in s),
    "\\u in capitals": lambda s: "".join(f"\\u{ord(char):04X}" for char in s),
    "\\u, some letters": lambda s: "".join(f"\\u{ord(char):04X}" if at % 2 else char
                                           for at, char in enumerate(s)),
    "\\u in json": lambda s: "".join(f"\\\\u{ord(char):04x}" for char in s),
    "\\u{}": lambda s: "".join(f"\\u{{{ord(char):x}}}" for char in s),
    "\\U": lambda s: "".join(f"\\U{ord(char):08X}" for char in s),
    "\\x": lambda s: "".join(f"\\x{ord(char):02x}" for char in s),
    "\\u in percent": lambda s: quote("".join(f"\\u{ord(char):04x}" for char in s), safe=""),
    "each letter another way": lambda s: "".join((f"&#{ord(char)};", quote(char, safe=""),
                                                  f"\\u{ord(char):04x}", char)[at % 4]
                                                 for at, char in enumerate(s)),
}  # fmt: skip
NAMED = {"&": "&amp;", "/": "&sol;", "+": "&plus;", '"': "&quot;", "=": "&equals;", "\\": "&bsol;"}


@pytest.mark.parametrize("name", SPELLINGS)
@pytest.mark.parametrize("secret", [SECRET, KEY])
def test_a_secret_is_taken_out_in_each_spelling(name: str, secret: str) -> None:
    text = f"before {SPELLINGS[name](secret)} after"
    redacted = redact(text, secret)
    assert "[redacted:NAME]" in redacted
    assert redacted.startswith("before ")
    assert redacted.endswith(" after")
    for spell in SPELLINGS.values():
        assert spell(secret) not in redacted


@pytest.mark.parametrize("name", SPELLINGS)
def test_without_the_redactor_it_would_be_there(name: str) -> None:
    text = f"before {SPELLINGS[name](KEY)} after"
    assert SecretRedactor().redact(text) is text


ESCAPED = [name for name in SPELLINGS if "percent" in name or "entities" in name or "\\\\" in name]


@pytest.mark.parametrize("name", ESCAPED)
def test_with_escapes_left_as_they_are_it_would_be_there(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spelled = SPELLINGS[name]("&" + SECRET + "&")
    assert redact(spelled) != spelled
    monkeypatch.setattr("oneclaw.guard.secret.redactor.undo", lambda text, sought: iter(()))  # pyright: ignore
    assert redact(spelled) == spelled


def test_with_hex_sought_as_it_is_mixed_letters_would_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    spelled = mixed(KEY.encode().hex())
    assert redact(spelled, KEY) == "[redacted:NAME]"
    monkeypatch.setattr("oneclaw.guard.secret.redactor._small_hex", lambda text: text)  # pyright: ignore
    assert redact(spelled, KEY) == spelled


def test_base64_in_an_address_is_known() -> None:
    secret = "k??>>~~??>>key"
    encoded = quote(base64.b64encode(secret.encode()).decode(), safe="")
    assert "%2F" in encoded or "%2B" in encoded
    assert redact(f"?a={encoded}&b", secret) == "?a=[redacted:NAME]&b"


def test_what_stands_beside_an_escaped_secret_stays() -> None:
    spelled = SPELLINGS["percent, every letter"](KEY)
    assert redact(f"a%20b{spelled}%20&amp;\\u0041", KEY) == "a%20b[redacted:NAME]%20&amp;\\u0041"
    assert redact(f"é{spelled}é{spelled}", KEY) == "é[redacted:NAME]é[redacted:NAME]"


def test_escapes_of_other_things_are_left_as_they_are() -> None:
    text = "%41%zz%e2%82%ac &#65; &#x110000; &nosuch; &#; \\u0041 \\ud83d\\ude00 \\ud800 \\U00110000 \\x4"
    assert redact(text, KEY) is text


@pytest.mark.parametrize(
    "piece", ["%", "%4", "%41", "%25", "&", "&amp;", "&#", "&#x41;", "\\", "\\u0041", "\\u{"]
)
def test_escapes_by_the_thousand_take_bounded_time(piece: str) -> None:
    """Seconds of the processor, not of the clock: another program on the machine does not count."""
    text = (piece * 100_000)[:100_000]
    before = process_time()
    assert redact(text, KEY) is text
    assert process_time() - before < 2


@given(st.text() | st.text("%&#;x\\u{}04af1AF"), st.text("Aa41%&;\\u", min_size=8, max_size=12))
def test_no_text_makes_it_raise(text: str, secret: str) -> None:
    redact(text, secret)


def test_base64_leaves_no_letter_of_the_secret_behind() -> None:
    for before in ("", "a", "ab", "abc"):
        for after in ("", "x", "xy"):
            encoded = base64.b64encode(f"{before}{KEY}{after}".encode()).decode()
            rest = redact(encoded, KEY).replace("[redacted:NAME]", "")
            assert len(rest.rstrip("=")) <= 4, rest


def test_text_without_secrets_is_the_same_object() -> None:
    text = "nothing to see here " * 100
    assert redact(text) is text


def test_the_longest_secret_wins() -> None:
    redactor = SecretRedactor({"SHORT": "correct-horse", "LONG": "correct-horse-battery"})
    assert redactor.redact("correct-horse-battery correct-horse") == "[redacted:LONG] [redacted:SHORT]"


def test_a_value_under_two_names_keeps_the_first() -> None:
    assert SecretRedactor({"A": KEY, "B": KEY}).redact(KEY) == "[redacted:A]"


def test_every_occurrence_goes() -> None:
    assert redact(f"{KEY}{KEY} {KEY}", KEY) == "[redacted:NAME][redacted:NAME] [redacted:NAME]"


def test_a_short_secret_goes_only_where_it_stands_alone() -> None:
    assert redact("pin 4711, not 147112 nor x4711", "4711") == "pin [redacted:NAME], not 147112 nor x4711"


@pytest.mark.parametrize("value", ["", "a", "abc", "   ", " ab "])
def test_what_is_too_short_is_never_taken_out(value: str) -> None:
    text = f"{value} abc a  "
    assert redact(text, value) is text


def test_space_around_a_value_does_not_count() -> None:
    assert redact(f"<{KEY}>", f"  {KEY}\n") == "<[redacted:NAME]>"


def test_the_lines_of_a_key_are_taken_out_one_by_one() -> None:
    line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
    key = f"-----BEGIN PRIVATE KEY-----\n{line}\n-----END PRIVATE KEY-----\n"
    shown = redact(f"12: -----BEGIN PRIVATE KEY-----\n13: {line}\n", key)
    assert shown == "12: -----BEGIN PRIVATE KEY-----\n13: [redacted:NAME]\n"
    assert redact(key, key) == "[redacted:NAME]\n"


# ---------------------------------------------------------------------- values


def test_a_value_is_searched_in_keys_and_members_at_every_depth() -> None:
    value: dict[str, Any] = {"a": [1, {KEY: f"x{KEY}"}, (KEY, None)], "b": True, "c": 1.5, KEY: {}}
    redacted = SecretRedactor({"NAME": KEY}).redact_value(value)
    mark = "[redacted:NAME]"
    assert redacted == {"a": [1, {mark: f"x{mark}"}, [mark, None]], "b": True, "c": 1.5, mark: {}}
    assert KEY in value


def test_a_number_can_be_a_secret() -> None:
    redactor = SecretRedactor({"PIN": "8345127790"})
    assert redactor.redact_value({"pin": 8345127790, "other": 8345127791}) == {
        "pin": "[redacted:PIN]",
        "other": 8345127791,
    }


class Showing:
    def __str__(self) -> str:
        return f"Showing({KEY})"


class Raising:
    def __str__(self) -> str:
        raise RuntimeError("no")


def test_an_object_is_searched_by_its_text() -> None:
    raising = Raising()
    redacted = SecretRedactor({"NAME": KEY}).redact_value([Showing(), raising, 10**5000])
    assert redacted == ["Showing([redacted:NAME])", raising, 10**5000]


def test_without_secrets_a_value_is_the_same_object() -> None:
    value = {"a": [1]}
    assert SecretRedactor().redact_value(value) is value


def test_a_value_too_deep_to_search_is_not_let_through() -> None:
    deep: list[Any] = reduce(lambda inner, _: [inner], range(100_000), [KEY])
    assert (
        SecretRedactor({"NAME": KEY}).redact_value(deep)
        == "(a value nested too deeply to be searched for secrets)"
    )


# ---------------------------------------------------------------------- for all texts


@given(st.text(min_size=8), st.text(), st.text())
def test_no_secret_survives(secret: str, before: str, after: str) -> None:
    assume(len(secret.strip()) >= 8)
    redacted = SecretRedactor({"N": secret}).redact(before + secret.strip() + after)
    assert secret.strip() not in redacted or secret.strip() in "[redacted:N]"


@given(st.text(), st.lists(st.text(alphabet="abcdefgh123", min_size=8), max_size=5))
def test_text_that_holds_no_secret_is_left_as_it_is(text: str, secrets: list[str]) -> None:
    assume(not any(secret in text for secret in secrets))
    assume(not set(text) & set("abcdefgh123"))
    assert (
        SecretRedactor({f"N{number}": secret for number, secret in enumerate(secrets)}).redact(text) == text
    )


def test_learning_while_others_redact_is_safe() -> None:
    redactor = SecretRedactor()
    wrong: list[str] = []

    def read() -> None:
        for _ in range(300):
            shown = redactor.redact("secret-number-7 and text")
            if shown not in ("secret-number-7 and text", "[redacted:N7] and text"):
                wrong.append(shown)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(60):
        redactor.learn(f"N{number}", f"secret-number-{number}" if number < 10 else f"other-secret-{number}")
    for thread in threads:
        thread.join()
    assert wrong == []
    assert redactor.redact("secret-number-7") == "[redacted:N7]"


LONG = "sk-live/Ab+9_" + "kLm0PqRs" * 6


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n    "])
@pytest.mark.parametrize("chars", [40, 60, 64, 76])
@pytest.mark.parametrize("before", ["", "a", "KEY=", "x" * 200])
@pytest.mark.parametrize("encode", [base64.b64encode, bytes.hex])
def test_base64_and_hex_are_known_in_lines_as_programs_write_them(
    encode: Callable[[bytes], bytes | str], before: str, chars: int, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded = encode(f"{before}{LONG}\n{before}".encode())
    whole = encoded.decode() if isinstance(encoded, bytes) else encoded
    text = end.join(whole[at : at + chars] for at in range(0, len(whole), chars))
    found = SecretRedactor({"KEY": LONG}).redact(f"before\n{text}\nafter\n")
    assert "[redacted:KEY]" in found
    assert found.startswith("before\n")
    assert found.endswith("\nafter\n")
    # Twin: where lines are not joined, the secret is not found.
    monkeypatch.setattr(escapes, "_ESCAPES", escapes._ESCAPES[1:])  # pyright: ignore[reportPrivateUsage]
    assert "[redacted" not in SecretRedactor({"KEY": LONG}).redact(text)


def test_lines_of_ordinary_text_are_left_as_they_are() -> None:
    text = "a" * 50 + "\n" + "b" * 50 + "\nwords and more words\n"
    assert SecretRedactor({"KEY": LONG}).redact(text) == text
