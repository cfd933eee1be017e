"""What a grant covers, and what makes it void."""

from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.permit.grant import (
    HASHED,
    Grant,
    MemoryBook,
    definition_hash,
    find,
    fits,
    glob_fits,
    literal,
    new_id,
    text_of,
)
from oneclaw.core.tool import ToolDefinition

TOOL = ToolDefinition(name="shell", description="Run a program.", needs=("shell",), effect="write")
DIGEST = definition_hash(TOOL)


def allow(**changes: Any) -> Grant:
    values: dict[str, Any] = {
        "id": new_id(), "need": "shell", "tool": "shell", "verdict": "allow", "scope": "everywhere",
        "digest": DIGEST,
    }  # fmt: skip
    return Grant(**(values | changes))


def deny(**changes: Any) -> Grant:
    return allow(verdict="deny", digest="", **changes)


def found(*grants: Grant, **changes: Any) -> Grant | None:
    values: dict[str, Any] = {
        "need": "shell", "digest": DIGEST, "agent": "a", "session": "s", "now": 100.0,
        "arguments": {"command": "ls"},
    }  # fmt: skip
    return find(grants, **(values | changes))


@pytest.mark.parametrize(
    ("grant", "is_covered"),
    [
        (allow(), True),
        (allow(need="mail"), False),
        (allow(scope="session", holder="s"), True),
        (allow(scope="session", holder="a"), False),
        (allow(scope="agent", holder="a"), True),
        (allow(scope="agent", holder="s"), False),
        (allow(expires=100.1), True),
        (allow(expires=100.0), False),
        (allow(digest="other"), False),
        (allow(pattern={"command": "ls"}), True),
        (allow(pattern={"command": "rm"}), False),
        (allow(pattern={"command": "ls", "folder": "**"}), False),
        (allow(about="for this"), False),
    ],
)
def test_a_grant_covers_a_call_when_all_of_it_holds(grant: Grant, is_covered: bool) -> None:
    assert (found(grant) is grant) is is_covered


def test_a_grant_for_one_reason_is_for_that_reason_alone() -> None:
    grant = allow(about="host 10.0.0.1 is private")
    assert found(grant, about="host 10.0.0.1 is private") is grant
    assert found(grant, about="host 10.0.0.2 is private") is None
    general = allow()
    assert found(general, about="host 10.0.0.2 is private") is general


@pytest.mark.parametrize("scope", ["session", "agent", "everywhere"])
@pytest.mark.parametrize("other", ["session", "agent", "everywhere"])
def test_a_denial_beats_every_allow_whatever_their_scopes(scope: str, other: str) -> None:
    holders = {"session": "s", "agent": "a", "everywhere": ""}
    denial = deny(scope=scope, holder=holders[scope])
    grant = allow(scope=other, holder=holders[other])
    assert found(denial, grant) is found(grant, denial) is denial
    assert found(grant) is grant


def test_a_denial_holds_for_a_changed_tool_and_ends_when_it_expires() -> None:
    denial = deny(expires=200.0)
    assert found(denial, digest="changed") is denial
    assert found(denial, now=200.0) is None


def test_among_allows_the_narrowest_is_named() -> None:
    grants = [allow(), allow(scope="agent", holder="a"), allow(scope="session", holder="s")]
    assert found(*grants) is grants[2]
    assert found(*grants[:2]) is grants[1]


@pytest.mark.parametrize(
    "changes",
    [
        {"scope": "session"},
        {"scope": "agent"},
        {"holder": "a"},
        {"digest": ""},
        {"scope": "world"},
        {"verdict": "perhaps"},
        {"verdict": "deny", "pattern": {"command": "rm **"}},
        {"verdict": "deny", "about": "this host"},
    ],
)
def test_a_grant_that_makes_no_sense_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        allow(**changes)


CHANGED: dict[str, Any] = {
    "name": "shell2",
    "label": "Shell",
    "description": "Run any program.",
    "parameters": {"type": "object", "properties": {"command": {"type": "string"}}},
    "output": {"type": "string"},
    "needs": ("shell", "mail"),
    "effect": "read",
    "isolation": "process",
    "resource": "file:{path}",
    "secrets": ("TOKEN",),
    "version": "2",
}
OWNERS_OWN = {
    *("seconds", "group", "feature", "default_on", "switchable", "chars", "trim", "spill", "agents", "polls"),
    *("aliases", "missing", "preview"),
}


@pytest.mark.parametrize("name", HASHED)
def test_a_tool_that_changed_in_what_was_approved_has_another_hash(name: str) -> None:
    assert definition_hash(replace(TOOL, **{name: CHANGED[name]})) != DIGEST


def test_every_field_of_a_definition_is_either_hashed_or_the_owners_own() -> None:
    assert {field.name for field in fields(ToolDefinition)} == set(HASHED) | OWNERS_OWN


def test_the_hash_does_not_depend_on_the_order_of_keys_or_the_kind_of_mapping() -> None:
    one = replace(TOOL, parameters={"type": "object", "properties": {}})
    nothing: dict[str, Any] = {}
    parameters: dict[str, Any] = {"properties": MappingProxyType(nothing), "type": "object"}
    other = replace(TOOL, parameters=MappingProxyType(parameters))
    assert definition_hash(one) == definition_hash(other) == DIGEST
    assert definition_hash(replace(TOOL, seconds=5.0, default_on=False)) == DIGEST


@pytest.mark.parametrize(
    ("glob", "text", "does_fit"),
    [
        ("src/*", "src/a.py", True),
        ("src/*", "src/a/b.py", False),
        ("src/**", "src/a/b.py", True),
        ("src/**", "src-evil/a", False),
        ("src/**", "src/../etc/passwd", False),
        ("src/**", "src/a/..", False),
        ("src/**", "src\\..\\x", False),
        ("src/**", "src/%2e%2e/x", False),
        ("src/**", "src/%252E./x", False),
        ("src/**", "src/.%2e%2fx", False),
        ("src/**", "src/a..b", True),
        ("src/**", "src/...", True),
        ("**", '["src/../x"]', False),
        ("**", '["../x"]', False),
        ("../x", "../x", True),
        ("git *", "git status", True),
        ("git *", "git status; rm x", False),
        ("git *", "git status\nrm x", False),
        ("git *", "git $(rm x)", False),
        ("git *", "git log > x", False),
        ("https://*.example.com/**", "https://api.example.com/v1/x?y=1", True),
        ("https://*.example.com/**", "https://evil.org/x.example.com/", False),
        ("https://*.example.com/**", "https://evil.org?.example.com/", False),
        ("https://*.example.com/**", "https://evil.org#.example.com/", False),
        ("https://*.example.com/**", "https://me@evil.org\\.example.com/", False),
        ("https://example.com/**", "https://example.com.evil.org/", False),
        ("a[*]b", "a*b", True),
        ("a[*]b", "axb", False),
        ("a[*]*", "a*x", True),
        ("[a]", "[a]", True),
        ("?", "?", True),
        ("?", "x", False),
        ("", "", True),
        ("*", "", True),
        ("**", "any\nthing/at all", True),
        ("**", "x" * 10_001, False),
        ("", "x", False),
    ],
)
def test_a_glob_stays_inside_its_part(glob: str, text: str, does_fit: bool) -> None:
    assert glob_fits(glob, text) is does_fit


# Every character at which `str.splitlines` begins a new line, and CR LF.
LINE_ENDS = [*(chr(code) for code in range(0x110000) if len(f"a{chr(code)}b".splitlines()) > 1), "\r\n"]


@pytest.mark.parametrize("end", LINE_ENDS)
def test_a_star_stops_at_every_line_end(end: str) -> None:
    assert not glob_fits("git *", f"git status{end}rm x")
    assert not glob_fits("git *", f"git status{end}")
    assert glob_fits("git **", f"git status{end}rm x")
    assert glob_fits(f"git *{end}*", f"git status{end}rm x"), "one that the pattern names fits"


@pytest.mark.parametrize("end", "\x85\u2028\u2029")
def test_with_the_line_ends_of_ascii_alone_it_would_go_on(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ascii_alone = frozenset(map(chr, range(32)))
    monkeypatch.setattr("oneclaw.core.permit.grant._ENDS_A_PART", ascii_alone)
    assert glob_fits("git *", f"git status{end}rm x")


SMALL = st.text("ab/*[]", max_size=8)


def slow_fits(glob: str, text: str) -> bool:
    """The meaning of a glob, letter by letter, for tests."""
    if not glob:
        return not text
    if glob.startswith("[*]"):
        return text[:1] == "*" and slow_fits(glob[3:], text[1:])
    if glob.startswith("**"):
        rest = glob.lstrip("*")
        return any(slow_fits(rest, text[at:]) for at in range(len(text) + 1))
    if glob.startswith("*"):
        part = text.split("/")[0]
        return any(slow_fits(glob[1:], text[at:]) for at in range(len(part) + 1))
    return text[:1] == glob[0] and slow_fits(glob[1:], text[1:])


@given(SMALL, SMALL)
def test_reading_the_text_once_agrees_with_trying_every_way(glob: str, text: str) -> None:
    assert glob_fits(glob, text) == slow_fits(glob, text)


@given(st.text(), st.text())
def test_a_literal_fits_itself_and_nothing_else(text: str, other: str) -> None:
    assert glob_fits(literal(text), text)
    assert glob_fits(literal(text), other) == (text == other)


def test_a_hostile_text_does_not_hold_up_the_program() -> None:
    # A backtracking expression would not end: 100 wildcards over 10,000 equal letters.
    assert not glob_fits("**a" * 100 + "b", "a" * 10_000)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a b", "a b"), (5, "5"), (True, "true"), (None, "null"),
        ([1, "a"], '[1,"a"]'), ({"b": 1, "a": 2}, '{"a":2,"b":1}'),
    ],
)  # fmt: skip
def test_a_pattern_sees_texts_as_they_are_and_the_rest_as_json(value: Any, text: str) -> None:
    assert text_of(value) == text
    assert fits({"x": literal(text)}, {"x": value})
    assert not fits({"x": literal(text)}, {})


async def test_the_book_lists_revokes_and_counts_its_changes() -> None:
    book = MemoryBook()
    one, other = allow(id="one"), allow(id="other", tool="mail")
    versions = [book.version]
    await book.add(one)
    versions.append(book.version)
    await book.add(other)
    assert await book.of("shell") == [one]
    assert await book.all() == [one, other]
    with pytest.raises(ValueError, match="already"):
        await book.add(one)
    assert await book.revoke("one")
    versions.append(book.version)
    assert not await book.revoke("one")
    assert await book.all() == [other]
    assert len(set(versions)) == 3
