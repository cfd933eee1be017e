"""Tokens known by their look: masked where they are kept, and nothing else is."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.guard.secret import shapes
from oneclaw.guard.secret.shapes import mask

# Put together here, so that no scanner takes this file for a leak.
A1 = "aB3dE5gH7jK9mN1pQ3sT5vX7zC9bD1fG3hJ5kL7mP9rS1tV3wX5yZ7"
TOKENS = {
    "sk-" + A1[:48]: "api key",
    "sk-ant-api03-" + A1: "api key",
    "sk-proj-" + A1[:40] + "_-" + A1[:10]: "api key",
    "sk_" + "live_" + A1[:24]: "stripe key",
    "rk_" + "test_" + A1[:24]: "stripe key",
    "ghp_" + A1[:36]: "github token",
    "ghs_" + A1[:36]: "github token",
    "github_pat_" + A1[:22] + "_" + A1[:30]: "github token",
    "glpat-" + A1[:20]: "gitlab token",
    "npm_" + A1[:36]: "npm token",
    "pypi-" + A1 + A1[:10]: "pypi token",
    "hf_" + A1[:34]: "hugging face token",
    "gsk_" + A1[:52]: "groq key",
    "xoxb-" + "123456789012-1234567890123-" + A1[:24]: "slack token",
    "AKIA" + "Q3EGRI7XSDF4T2BH": "aws key",
    "ASIA" + "Q3EGRI7XSDF4T2BH": "aws key",
    "AIza" + A1[:35]: "google key",
    "ya29." + A1: "google token",
    "SG." + A1[:22] + "." + A1[:43]: "sendgrid key",
    "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + A1[:43]: "json web token",
}
PRIVATE = (
    "-----BEGIN {0}PRIVATE KEY-----\n"
    + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n" * 3
    + "-----END {0}PRIVATE KEY-----"
)


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize(
    ("before", "after"), [("", ""), ("TOKEN=", "\n"), ('"', '"'), ("(", ")"), ("é", " é"), ("a\n", "\nb")]
)
def test_a_token_is_masked_wherever_it_stands(token: str, before: str, after: str) -> None:
    assert mask(f"{before}{token}{after}") == f"{before}[masked:{TOKENS[token]}]{after}"


@pytest.mark.parametrize("token", TOKENS)
def test_json_stays_json_and_the_token_is_gone(token: str) -> None:
    value = {"text": f'say "{token}"\n{token}\\{token}', "list": [token, {"k": f"\t{token}"}]}
    masked = mask(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    assert token not in masked
    mark = f"[masked:{TOKENS[token]}]"
    assert json.loads(masked) == {"text": f'say "{mark}"\n{mark}\\{mark}', "list": [mark, {"k": f"\t{mark}"}]}


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"Authorization: Bearer {A1[:30]}", "Authorization: Bearer [masked:token]"),
        ('{"authorization": "Basic dXNlcjpwYXNz"}', '{"authorization": "Basic [masked:credentials]"}'),
        (
            "curl -H 'Authorization: token 0123456789abcdef'",
            "curl -H 'Authorization: token [masked:credentials]'",
        ),
        ("postgres://app:hunter2@db/x", "postgres://app:[masked:password]@db/x"),
        ("redis://:hunter2@db", "redis://:[masked:password]@db"),
    ],
)
def test_credentials_are_masked_and_what_stands_around_them_stays(text: str, masked: str) -> None:
    assert mask(text) == masked


@pytest.mark.parametrize("kind", ["", "RSA ", "OPENSSH ", "ENCRYPTED "])
def test_a_private_key_is_masked_whole(kind: str) -> None:
    key = PRIVATE.format(kind)
    assert (
        mask(f"a\n{key}\nb")
        == f"a\n-----BEGIN {kind}PRIVATE KEY-----[masked:private key]-----END {kind}PRIVATE KEY-----\nb"
    )
    kept = json.loads(mask(json.dumps({"key": key, "next": 1})))
    assert "MIIEv" not in kept["key"]
    assert kept["next"] == 1


def test_a_private_key_that_was_cut_is_masked_to_its_end() -> None:
    cut = PRIVATE.format("")[:100]
    kept = json.loads(mask(json.dumps({"key": cut, "next": "stays"})))
    assert kept == {"key": "-----BEGIN PRIVATE KEY-----[masked:private key]", "next": "stays"}


@pytest.mark.parametrize(
    "text",
    [
        "sk-estimator-doc-link-fitted-and-more",
        "a task-list-of-many-things-2024-01-01",
        "disk-usage-of-the-last-30-days-total",
        "the bearer of this letter of recommendation",
        "Authorization: required for all of them",
        "https://example.org:8080/path@2024",
        "see http://host/a:b@c",
        "git@github.com:owner/repository.git",
        "AKIAAAA",
        "0123456789abcdef0123456789abcdef01234567",
        "d41d8cd98f00b204e9800998ecf8427e",
        "test_a_symlink_out_of_the_workspace_is_refused",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0\n-----END PUBLIC KEY-----",
        "eyJust a word of twenty.and.more",
    ],
)
def test_what_only_resembles_a_token_is_left_alone(text: str) -> None:
    assert mask(text) is text or mask(text) == text


def test_our_own_sources_are_left_alone() -> None:
    for source in Path(shapes.__file__).parents[1].rglob("*.py"):
        if source.name != "shapes.py":
            text = source.read_text(encoding="utf-8")
            assert mask(text) == text, source


def test_the_quick_look_misses_nothing_that_the_patterns_find(monkeypatch: pytest.MonkeyPatch) -> None:
    def always(text: str) -> bool:
        return True

    texts = [
        f"{before}{token}" for token in TOKENS for before in ("", " ", "x ", "\\n", "é", "/", "://", "=")
    ]
    quick = [mask(text) for text in texts]
    monkeypatch.setattr(shapes, "_may_hold_token", always)
    assert [mask(text) for text in texts] == quick


@given(st.text(alphabet=st.sampled_from('sk-ghp_xoxb AKIA.eyJ:/@"\\n-1aZ\n'), max_size=400))
def test_json_stays_json_whatever_stands_in_it(text: str) -> None:
    json.loads(mask(json.dumps({"a": text, "b": [text]})))


@pytest.mark.parametrize(
    "text",
    [
        "sk-" * 100_000,
        "sk-" + "a" * 300_000,
        "eyJ" + "a" * 100_000 + "." + "b" * 100_000,
        "://" * 100_000,
        "://a:" * 60_000,
        "-----BEGIN PRIVATE KEY-----" * 12_000,
        "-----BEGIN PRIVATE KEY-----" + "-" * 300_000,
        "Authorization: " * 20_000,
        "Bearer " * 40_000,
        "\ud800" * 100_000,
    ],
    ids=str.__len__,
)  # fmt: skip
def test_no_text_makes_it_slow(text: str) -> None:
    began = time.process_time()
    mask(text)
    assert time.process_time() - began < 1.0
