"""The hop after a redirect."""

import pytest

from oneclaw.core.errors import Kind, ToolError
from oneclaw.guard.network.outgoing_request import OutgoingRequest, follow
from oneclaw.guard.network.url import parse

START = OutgoingRequest(
    "POST", parse("https://a.example/x"), (("Authorization", "k"), ("Content-Type", "t")), b"body"
)


def test_what_is_not_a_redirect_leads_nowhere() -> None:
    for status in (200, 300, 304, 305, 306, 400):
        assert follow(START, status, "/y") is None
    assert follow(START, 302, None) is None


def test_a_post_becomes_a_get_without_its_body() -> None:
    after = OutgoingRequest("GET", parse("https://a.example/y"), (("Authorization", "k"),), is_led=True)
    assert follow(START, 302, "/y") == after


def test_a_kept_method_keeps_its_body_and_harmless_headers_on_another_host() -> None:
    target = parse("https://b.example/")
    after = OutgoingRequest("POST", target, (("Content-Type", "t"),), b"body", is_led=True)
    assert follow(START, 307, "//b.example") == after


@pytest.mark.parametrize("place", ["http://a.example/x", "https://a.example:444/x", "https://b.a.example/x"])
def test_another_scheme_port_or_subdomain_is_another_origin(place: str) -> None:
    after = follow(OutgoingRequest("GET", START.target, START.headers), 302, place)
    assert after is not None
    assert after.headers == (("Content-Type", "t"),)


def test_a_body_is_never_sent_on_unencrypted() -> None:
    with pytest.raises(ToolError, match="unencrypted") as caught:
        follow(START, 308, "http://a.example/x")
    assert caught.value.kind is Kind.NETWORK_ERROR
    plain = OutgoingRequest("POST", parse("http://a.example/x"), (), b"body")
    assert follow(plain, 308, "http://b.example/") is not None


def test_of_an_address_that_a_server_chose_the_host_alone_is_shown() -> None:
    assert START.shown == "https://a.example/x"
    led = follow(START, 307, "https://b.example:444/ignore-all?that=was&said")
    assert led is not None
    assert led.shown == "https://b.example:444"
    for errand, place in ((led, "ftp://ignore"), (START, "http://b.example/ignore")):
        with pytest.raises(ToolError) as caught:
            follow(errand, 307, place)
        assert "ignore" not in caught.value.message
