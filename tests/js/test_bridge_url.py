"""URL and URLSearchParams in JavaScript: parts, setters, pairs, and names in other letters."""

from typing import Any

import pytest
from tests.js.caller import CallJs
from tests.js.conftest import Evaluate, outcomes

from oneclaw.core.errors import ToolError
from oneclaw.js.runtime import Runtime

PARTS = """
    const parts = (url) => ({ href: url.href, origin: url.origin, protocol: url.protocol,
        username: url.username,
        password: url.password, host: url.host, hostname: url.hostname, port: url.port,
            pathname: url.pathname,
        search: url.search, hash: url.hash });
"""


async def test_an_address_is_taken_apart(evaluate: Evaluate) -> None:
    address = "HTTPS://me:pa%20ss@Example.COM:8443/a/./b/../c d?q=ä&x='#top"
    assert await evaluate(PARTS + "return parts(new URL(p.address))", {"address": address}) == {
        "href": "https://me:pa%20ss@example.com:8443/a/c%20d?q=%C3%A4&x=%27#top",
        "origin": "https://example.com:8443",
        "protocol": "https:",
        "username": "me",
        "password": "pa%20ss",
        "host": "example.com:8443",
        "hostname": "example.com",
        "port": "8443",
        "pathname": "/a/c%20d",
        "search": "?q=%C3%A4&x=%27",
        "hash": "#top",
    }


SET: list[tuple[str, str, str, str]] = [
    ("https://a.test/x?q#h", "protocol", "http", "http://a.test/x?q#h"),
    ("https://a.test:80/", "protocol", "http:", "http://a.test/"),
    ("https://a.test/", "protocol", "mailto", "https://a.test/"),
    ("https://a.test/", "protocol", "1x", "https://a.test/"),
    ("https://a.test/", "username", "a@b", "https://a%40b@a.test/"),
    ("mailto:x", "username", "a", "mailto:x"),
    ("https://u@a.test/", "password", "p:", "https://u:p%3A@a.test/"),
    ("https://a.test:1/", "host", "b.test:2/rest", "https://b.test:2/"),
    ("https://a.test:1/", "host", "b.test", "https://b.test:1/"),
    ("https://a.test/", "host", "", "https://a.test/"),
    ("https://a.test/", "host", "b test", "https://a.test/"),
    ("https://a.test:1/", "hostname", "b.test:2", "https://a.test:1/"),
    ("https://a.test:1/", "hostname", "0x7f.1", "https://127.0.0.1:1/"),
    ("https://a.test/", "port", "8443abc", "https://a.test:8443/"),
    ("https://a.test:1/", "port", "443", "https://a.test/"),
    ("https://a.test:1/", "port", "", "https://a.test/"),
    ("https://a.test:1/", "port", "99999", "https://a.test:1/"),
    ("https://a.test/x", "pathname", "a b/../c?#", "https://a.test/c%3F%23"),
    ("mailto:x", "pathname", "y", "mailto:x"),
    ("sc://h/x", "pathname", "", "sc://h"),
    ("https://a.test/?a", "search", "?ä b", "https://a.test/?%C3%A4%20b"),
    ("https://a.test/?a#h", "search", "", "https://a.test/#h"),
    ("https://a.test/#a", "hash", "b c`", "https://a.test/#b%20c%60"),
    ("https://a.test/#a", "hash", "", "https://a.test/"),
    ("https://a.test/#a", "href", "http://[::1]:80/", "http://[::1]/"),
]


async def test_a_part_is_set_or_left_as_it_was(evaluate: Evaluate) -> None:
    body = """
        return p.rows.map(([start, part, value]) => {
            const url = new URL(start);
            url[part] = value;
            return [url.href, new URL(url.href).href];
        });
    """
    for row, told in zip(SET, await evaluate(body, {"rows": SET}), strict=True):
        assert told == [row[3]] * 2, row


async def test_an_address_that_cannot_be_read_is_named(evaluate: Evaluate) -> None:
    told = await evaluate("""
        const url = new URL('https://a.test/');
        let thrown;
        try { url.href = 'nonsense' } catch (error) { thrown = error.message }
        return [URL.canParse('x'), URL.canParse('x', 'http://a/'), URL.parse('http://[1'), URL.parse('/y',
            'http://a').href,
                thrown, url.href, JSON.stringify({ url })];
    """)
    assert told == [
        *[False, True, None, "http://a/y", "Invalid URL: nonsense", "https://a.test/"],
        '{"url":"https://a.test/"}',
    ]
    with pytest.raises(ToolError, match=r"^TypeError: Invalid URL: x y against z \(probe\.js:1:"):
        await evaluate("new URL('x y', 'z')")
    with pytest.raises(ToolError, match="TypeError: URL needs an address"):
        await evaluate("new URL()")


NAMES = [
    ("bücher.example", "xn--bcher-kva.example"),
    ("BÜCHER.example", "xn--bcher-kva.example"),
    ("☃.net", "xn--n3h.net"),
    ("faß.de", "xn--fa-hia.de"),
    ("１２７.０.０.１", "127.0.0.1"),
    ("中国.test", "xn--fiqs8s.test"),
    ("xn--n3h.net", "xn--n3h.net"),
    ("a\u3002b", "a.b"),
    ("a\u00adb", "ab"),
]
REFUSED = ["\ufffd.test", "\u0301a.test", "a\u200db.test", "\u05d0a.test", "ü" * 100_000]


async def test_a_host_in_other_letters_is_written_as_browsers_do(evaluate: Evaluate) -> None:
    body = "return p.names.map(([name]) => [name, new URL(`http://${name}/`).host])"
    assert await evaluate(body, {"names": NAMES}) == [list(pair) for pair in NAMES]
    body = "return p.names.filter((name) => URL.canParse(`http://${name}/`))"
    assert await evaluate(body, {"names": REFUSED}) == []


async def test_the_parameters_of_an_address_and_the_address_change_together(evaluate: Evaluate) -> None:
    told = await evaluate("""
        const url = new URL('https://a.test/?a=1&b=2');
        const params = url.searchParams;
        params.append('c', 'x y&z');
        const first = url.href;
        params.delete('a');
        params.set('b', 'ü');
        const second = url.search;
        url.search = '?only=1';
        const third = [...params];
        params.delete('only');
        return [first, second, third, url.href, url.searchParams === params];
    """)
    assert told == [
        "https://a.test/?a=1&b=2&c=x+y%26z",
        "?b=%C3%BC&c=x+y%26z",
        [["only", "1"]],
        "https://a.test/",
        True,
    ]


MADE = [
    ("'?a=1&a=2&&b&=c'", "a=1&a=2&b=&=c"),
    ("'a+b=%41%zz%'", "a+b=A%25zz%25"),
    ("{ a: 1, b: 'x y' }", "a=1&b=x+y"),
    ("[['a', 'b'], ['c', null]]", "a=b&c=null"),
    ("new Map([['k', '*-._~!()']])", "k=*-._%7E%21%28%29"),
    ("new URLSearchParams('a=b')", "a=b"),
    ("'a=%F0%9F%98%80&b=%ff'", "a=%F0%9F%98%80&b=%EF%BF%BD"),
    ("undefined", ""),
]


async def test_parameters_are_made_of_text_pairs_and_objects(evaluate: Evaluate) -> None:
    told = await outcomes(evaluate, [f"String(new URLSearchParams({init}))" for init, _ in MADE])
    assert told == [text for _, text in MADE]


async def test_parameters_are_asked_and_sorted(evaluate: Evaluate) -> None:
    told: list[Any] = await evaluate("""
        const params = new URLSearchParams('b=1&a=2&b=3&😀=4&ﬃ=5');
        const seen = [];
        params.forEach((value, name) => seen.push(name + value));
        const before = [params.get('b'), params.getAll('b'), params.get('x'), params.has('b', '3'),
            params.has('b', '4'),
                        params.size, [...params.keys()].length, [...params.values()].length];
        params.sort();
        const sorted = String(params);
        params.delete('b', '1');
        params.set('b', '9');
        return [before, seen[0], decodeURIComponent(sorted), params.getAll('b'),
                Object.prototype.toString.call(params), params[Symbol.iterator] === params.entries];
    """)
    assert told == [
        ["1", ["1", "3"], None, True, False, 5, 5, 5],
        "b1",
        "a=2&b=1&b=3&😀=4&ﬃ=5",
        ["9"],
        "[object URLSearchParams]",
        True,
    ]
    with pytest.raises(ToolError, match="URLSearchParams needs pairs of a name and a value"):
        await evaluate("new URLSearchParams([['a']])")


async def test_an_address_made_while_the_file_is_loaded_does_not_keep_the_file_from_being_held(
    runtime: Runtime, call_js: CallJs
) -> None:
    text = "const base = new URL('https://a.test/x');\nfunction f() { return new URL('y', base).href; }"
    assert (await call_js(text)).text == "https://a.test/y"
    assert (await call_js(text)).text == "https://a.test/y"
    assert not runtime._impure  # pyright: ignore[reportPrivateUsage]
