"""A web address taken apart once."""

from contextlib import suppress
from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.errors import Kind, ToolError
from oneclaw.guard.network.url import Target, parse, parse_host

BASE = Target("https", "example.org", 8443, "/a/b/c?old=1")


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://example.com", Target("http", "example.com", 80, "/")),
        ("HTTPS://EXAMPLE.com:443/X", Target("https", "example.com", 443, "/X")),
        ("  http://example.com/\n", Target("http", "example.com", 80, "/")),
        ("http://example.com:8080?q=a b#part", Target("http", "example.com", 8080, "/?q=a%20b")),
        ("http://example.com./", Target("http", "example.com.", 80, "/")),
        ("http://a_b.example.com/", Target("http", "a_b.example.com", 80, "/")),
        ("http://bücher.example/ä?ö", Target("http", "xn--bcher-kva.example", 80, "/%C3%A4?%C3%B6")),
        ("http://faß.de/", Target("http", "xn--fa-hia.de", 80, "/")),
        ("http://Ｅｘａｍｐｌｅ。com/", Target("http", "example.com", 80, "/")),
        ("http://r3---sn-x.example.com/", Target("http", "r3---sn-x.example.com", 80, "/")),
        ("http://[2001:4860:0:0::8888]:81/", Target("http", "2001:4860::8888", 81, "/")),
        ("http://8.8.8.8/", Target("http", "8.8.8.8", 80, "/")),
        ("http://h.example/a/./b/../c/%2e%2e/d/..", Target("http", "h.example", 80, "/a/")),
        ("http://h.example/%zz%41|[]{}", Target("http", "h.example", 80, "/%zz%41|[]%7B%7D")),
        ("http://evil.example#@good.example/", Target("http", "evil.example", 80, "/")),
        ("http://evil.example?@good.example/", Target("http", "evil.example", 80, "/?@good.example/")),
        ("http://evil.example/@good.example", Target("http", "evil.example", 80, "/@good.example")),
    ],
)
def test_a_plain_address_is_read_as_browsers_read_it(url: str, target: Target) -> None:
    assert parse(url) == target


@pytest.mark.parametrize(
    "host",
    [
        *("2130706433", "0x7f000001", "017700000001", "0177.0.0.1", "0x7f.1", "127.1", "127.0.1"),
        "127.0.0.1.",
        *(
            "0x7F.0x0.0x0.0x1",
            "00000177.0.0.01",
            "127.0.0.0x1",
            "１２７.０.０.１",
            "127。0。0。1",
            "127．0｡0.1",
            "①②⑦.⓪.⓪.①",
        ),
    ],
)
def test_every_notation_of_an_ipv4_address_is_the_address_and_is_called_odd(host: str) -> None:
    assert parse(f"http://{host}/") == Target("http", "127.0.0.1", 80, "/", is_odd=True)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("example.com", "start with http"),
        ("/path", "start with http"),
        ("", "start with http"),
        ("ftp://example.com/", "only http and https"),
        ("file:///etc/passwd", "only http and https"),
        ("gopher://127.0.0.1:6379/_x", "only http and https"),
        ("http:example.com", "followed by //"),
        ("http:/example.com", "followed by //"),
        ("http:///example.com", "followed by //"),
        ("http://", "cannot be read"),
        ("http://:80/", "cannot be read"),
        ("http://user@example.com/", "Authorization header"),
        ("http://good.example:x@127.0.0.1/", "Authorization header"),
        ("http://example.com\\@127.0.0.1/", "backslashes"),
        ("http:\\\\example.com", "backslashes"),
        ("http://exa\tmple.com/", "control characters"),
        ("http://example.com/\r\nX: y", "control characters"),
        ("http://example.com/a\x00b", "control characters"),
        ("http://example.com/\ud800", "control characters"),
        ("http://127.0.0.1%2f@example.com/", "Authorization header"),
        ("http://127%2e0.0.1/", "ends in a number"),
        ("http://ex%61mple.com/", "not a name or address"),
        ("http://exa mple.com/", "not a name or address"),
        ("http://a..b/", "not a name or address"),
        ("http://" + "a" * 64 + ".com/", "not a name or address"),
        ("http://" + "a." * 130 + "com/", "not a name or address"),
        ("http://a,b/", "not a name or address"),
        ("http://xn--a/", "international"),
        ("http://\u200d.example/", "international"),
        ("http://example.com:65536/", "65535"),
        ("http://example.com:8a/", "cannot be read"),
        ("http://example.com:-1/", "cannot be read"),
        ("http://example.com:８０/", "cannot be read"),
        ("http://[::1/", "cannot be read"),
        ("http://::1/", "cannot be read"),
        ("http://[::1]x/", "cannot be read"),
        ("http://[1::2::3]/", "IPv6"),
        ("http://[fe80::1%25en0]/", "one network interface"),
        ("http://[fe80::1%en0]/", "one network interface"),
        ("http://1.2.3.4.5/", "out of range"),
        ("http://256.1.1.1/", "out of range"),
        ("http://4294967296/", "out of range"),
        ("http://1.2.3.09/", "ends in a number"),
        ("http://a.1/", "ends in a number"),
        ("http://" + "9" * 5000 + "/", "ends in a number"),
        ("http://example.com/" + "a" * 20_000, "longer than"),
    ],
)
def test_what_programs_read_differently_is_refused(url: str, why: str) -> None:
    with pytest.raises(ToolError, match="Invalid URL: ") as caught:
        parse(url)
    assert caught.value.kind is Kind.VALIDATION_ERROR
    assert why in caught.value.message
    assert len(caught.value.message) < 400
    assert caught.value.message.isprintable()


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("/x", "https://example.org:8443/x"),
        ("x?y", "https://example.org:8443/a/b/x?y"),
        ("../x", "https://example.org:8443/a/x"),
        ("../../../../x", "https://example.org:8443/x"),
        ("?new", "https://example.org:8443/a/b/c?new"),
        ("", "https://example.org:8443/a/b/c?old=1"),
        ("#part", "https://example.org:8443/a/b/c?old=1"),
        ("//other.example/x", "https://other.example/x"),
        ("http://other.example", "http://other.example/"),
        ("./a:b", "https://example.org:8443/a/b/a:b"),
    ],
)
def test_a_redirect_is_read_relative_to_where_it_came_from(location: str, url: str) -> None:
    assert str(parse(location, BASE)) == url


@pytest.mark.parametrize(
    "location", ["///evil.example/", "/\\evil.example", "\\\\evil.example", "javascript:alert(1)"]
)
def test_a_redirect_that_hides_its_host_is_refused(location: str) -> None:
    with pytest.raises(ToolError, match="Invalid URL"):
        parse(location, BASE)


@given(st.text(max_size=60), st.sampled_from(("{}", "http://{}", "http://{}/x", "//{}")))
def test_any_text_is_a_target_or_one_clear_error(text: str, form: str) -> None:
    with suppress(ToolError):
        target = parse(form.format(text), BASE)
        again = parse(str(target))
        assert (again.origin, again.path) == (target.origin, target.path)
        assert str(target).isascii()


@given(st.ip_addresses(v=4), st.sampled_from(("{:d}", "0x{:x}", "0{:o}")))
def test_a_number_is_the_address_it_means(address: IPv4Address, form: str) -> None:
    assert parse_host(form.format(int(address)))[0] == str(address)
