"""crypto in JavaScript tools: chance that differs, digests and HMAC that are those of Python."""

import hashlib
import hmac
import re

import pytest
from tests.js.conftest import Evaluate

from oneclaw.core.errors import ToolError

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\Z")
SAMPLES = ["", "abc", "größe 😀", "x" * 100_000]


@pytest.mark.parametrize("name", ["SHA-1", "SHA-256", "SHA-384", "SHA-512", "MD5"])
async def test_a_digest_is_python_s(evaluate: Evaluate, name: str) -> None:
    python = name.replace("-", "").lower()
    told = await evaluate(
        """
        const bytes = (text) => new TextEncoder().encode(text);
        const whole = async (text) => new Uint8Array(await crypto.subtle.digest(p.name, bytes(text))).toHex();
        const rows = p.samples.map(async (text) => [crypto.digest(p.name, text), crypto.digest(p.plain,
            bytes(text)),
            await whole(text), crypto.hmac(p.name, 'the key', text),
            crypto.hmac({ name: p.name }, bytes('k'.repeat(200)), bytes(text))]);
        return Promise.all(rows);
        """,
        {"name": name, "plain": python, "samples": SAMPLES},
    )
    for text, row in zip(SAMPLES, told, strict=True):
        data = text.encode()
        short, long = (hmac.new(key, data, python).hexdigest() for key in (b"the key", b"k" * 200))
        assert row == [hashlib.new(python, data).hexdigest()] * 3 + [short, long]


async def test_chance_differs_within_a_call_and_between_calls_of_one_loaded_file(evaluate: Evaluate) -> None:
    body = """
        const wide = crypto.getRandomValues(new Uint32Array(4));
        return [crypto.randomUUID(), crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(16)).toHex(),
                [...wide].join(), Math.random()];
    """
    told = [value for _ in range(4) for value in await evaluate(body)]
    assert len(set(told)) == len(told)
    assert all(UUID.match(told[index]) for index in (0, 1, 5, 6))


async def test_random_values_fill_just_the_array_they_are_given(evaluate: Evaluate) -> None:
    told = await evaluate("""
        const all = new Uint8Array(64);
        const part = all.subarray(16, 48);
        const same = crypto.getRandomValues(part) === part;
        const outside = [...all.subarray(0, 16), ...all.subarray(48)].every((byte) => byte === 0);
        const thrown = (work) => { try { return work() } catch (error) { return error.name } };
        return [same, outside, part.some((byte) => byte !== 0),
            crypto.getRandomValues(new Uint8Array(0)).length,
                crypto.getRandomValues(new Uint8Array(65536)).length,
                thrown(() => crypto.getRandomValues(new Uint8Array(65537))),
                thrown(() => crypto.getRandomValues(new Float64Array(1))),
                    thrown(() => crypto.getRandomValues([0]))];
    """)
    assert told == [True, True, True, 0, 65536, "QuotaExceededError", *["TypeMismatchError"] * 2]


@pytest.mark.parametrize(
    "call", ["crypto.digest('CRC32', '')", "await crypto.subtle.digest('x', new Uint8Array())"]
)
async def test_an_unknown_algorithm_is_named(evaluate: Evaluate, call: str) -> None:
    words = r"NotSupportedError: crypto does not know the algorithm \w+; use SHA-1, SHA-256"
    with pytest.raises(ToolError, match=words):
        await evaluate(call)


async def test_crypto_needs_no_permission(evaluate: Evaluate) -> None:
    assert len(await evaluate("return crypto.randomUUID()", needs=[])) == 36
