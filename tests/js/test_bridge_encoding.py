"""Text and bytes in JavaScript: TextEncoder, TextDecoder, base64, atob and btoa."""

import base64

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.js.conftest import Evaluate

from oneclaw.core.errors import ToolError


async def test_text_becomes_utf8_and_comes_back(evaluate: Evaluate) -> None:
    assert await evaluate("return [...new TextEncoder().encode('aé€😀')]") == list("aé€😀".encode())
    told = await evaluate("""
        const text = 'aé€😀'.repeat(30000);
        const bytes = new TextEncoder().encode(text);
        return [bytes.length, new TextDecoder().decode(bytes) === text, new TextEncoder().encode().length,
                new TextEncoder().encoding, [...new TextEncoder().encode('x\\ud800y')]];
    """)
    assert told == [300_000, True, 0, "utf-8", list("x\ufffdy".encode())]


async def test_encode_into_stops_where_the_next_character_does_not_fit(evaluate: Evaluate) -> None:
    told = await evaluate("""
        const target = new Uint8Array(6);
        const result = new TextEncoder().encodeInto('aé😀€', target);
        return [result, [...target]];
    """)
    assert told == [{"read": 2, "written": 3}, [0x61, 0xC3, 0xA9, 0, 0, 0]]


ENCODED = [
    ("utf-8", "efbbbf41", "A"),
    ("UTF8 ", "41ff42", "A\ufffdB"),
    ("utf-8", "f09f9841e282", "\ufffdA\ufffd"),
    ("latin1", "80e9", "€é"),
    ("ascii", "e9", "é"),
    ("utf-16le", "fffe6100", "a"),
    ("utf-16", "3dd800de", "\U0001f600"),
    ("utf-16be", "d83dde00", "\U0001f600"),
    ("utf-16le", "3dd86100", "\ufffda"),
    ("utf-16le", "610062", "a\ufffd"),
]


async def test_bytes_are_read_in_the_encoding_that_is_named(evaluate: Evaluate) -> None:
    body = "return p.rows.map(([label, data]) => new TextDecoder(label).decode(Uint8Array.fromHex(data)))"
    assert await evaluate(body, {"rows": ENCODED}) == [text for _, _, text in ENCODED]


async def test_a_fatal_decoder_throws_and_can_be_used_again(evaluate: Evaluate) -> None:
    told = await evaluate("""
        const decoder = new TextDecoder('utf-8', { fatal: true });
        const bad = (label, hex) => {
            try { return new TextDecoder(label, { fatal: true }).decode(Uint8Array.fromHex(hex)) }
            catch (error) { return error.name + ': ' + error.message }
        };
        let thrown;
        try { decoder.decode(new Uint8Array([0x61, 0xff])) }
            catch (error) { thrown = error instanceof TypeError }
        return [thrown, decoder.decode(new Uint8Array([0xc3, 0xa9])), bad('utf-8', 'ff'), bad('utf-16le',
            '00d8'),
                decoder.fatal, decoder.ignoreBOM, new TextDecoder('l1').encoding];
    """)
    assert told == [
        True,
        "é",
        "TypeError: The encoded data was not valid UTF-8.",
        "TypeError: The encoded data was not valid UTF-16.",
        True,
        False,
        "windows-1252",
    ]


async def test_an_unknown_encoding_is_named(evaluate: Evaluate) -> None:
    with pytest.raises(
        ToolError, match=r"RangeError: TextDecoder does not know the encoding klingon; use utf-8"
    ):
        await evaluate("new TextDecoder('klingon')")


async def test_a_character_in_two_pieces_is_one(evaluate: Evaluate) -> None:
    told = await evaluate("""
        const piecewise = (label, hex) => {
            const decoder = new TextDecoder(label);
            let text = '';
            for (const byte of Uint8Array.fromHex(hex)) text += decoder.decode(new Uint8Array([byte]),
                { stream: true });
            return text + decoder.decode();
        };
        return [piecewise('utf-8', 'efbbbf61f09f98806262c3'), piecewise('utf-16le', 'fffe3dd800de6200')];
    """)
    assert told == ["a\U0001f600bb\ufffd", "\U0001f600b"]


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.binary(max_size=40), min_size=200, max_size=200))
async def test_any_bytes_are_decoded_as_python_decodes_them(evaluate: Evaluate, samples: list[bytes]) -> None:
    body = """
        const whole = new TextDecoder('utf-8', { ignoreBOM: true });
        const pieces = (bytes) => {
            const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
            let text = '';
            for (const byte of bytes) text += decoder.decode(new Uint8Array([byte]), { stream: true });
            return text + decoder.decode();
        };
        return p.samples.map((hex) => Uint8Array.fromHex(hex)).map((bytes) => [whole.decode(bytes),
            pieces(bytes)]);
    """
    told = await evaluate(body, {"samples": [sample.hex() for sample in samples]})
    assert told == [[sample.decode("utf-8", "replace")] * 2 for sample in samples]


async def test_long_bytes_that_are_not_text_are_decoded_whole(evaluate: Evaluate) -> None:
    sample = ("ab€😀" * 2000).encode() + b"\xff" + ("é" * 9000).encode() + b"\xf0\x9f" + b"z" * 20000
    body = "return new TextDecoder().decode(base64.decodeBytes(p.data))"
    told = await evaluate(body, {"data": base64.b64encode(sample).decode()})
    assert told == sample.decode("utf-8", "replace")


async def test_base64_of_text_and_bytes_in_both_alphabets(evaluate: Evaluate) -> None:
    told = await evaluate("""
        return [base64.encode('ü?>'), base64.encodeUrl('ü?>é'), base64.decode('w7w/Pg=='),
            base64.decode('w7w_ \\nPg'),
                base64.encode(new Uint8Array([255, 0])), [...base64.decodeBytes('/wA=')], base64.encode(''),
                base64.decode(base64.encodeUrl('ü?>é'))];
    """)
    url = base64.urlsafe_b64encode("ü?>é".encode()).decode().rstrip("=")
    assert told == ["w7w/Pg==", url, "ü?>", "ü?>", "/wA=", [255, 0], "", "ü?>é"]
    with pytest.raises(ToolError, match=r"TypeError: The text is not base64\. \(probe\.js:"):
        await evaluate("base64.decode('a*b')")


async def test_atob_and_btoa_are_for_one_byte_letters(evaluate: Evaluate) -> None:
    told = await evaluate("""
        const all = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('');
        const thrown = (work) => { try { return work() } catch (error) { return error.name } };
        return [atob(btoa(all)) === all, btoa(all), atob(' Zm\\n9v '), thrown(() => btoa('€')),
                thrown(() => atob('Zg=')), thrown(() => atob('a')), thrown(() => atob('_-'))];
    """)
    wrong = "InvalidCharacterError"
    assert told == [
        *[True, base64.b64encode(bytes(range(256))).decode(), "foo"],
        *[wrong, wrong, wrong, wrong],
    ]
