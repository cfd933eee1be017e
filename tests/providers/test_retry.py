"""How long to wait before a request is made again."""

import random
from email.utils import formatdate

import pytest

from oneclaw.providers.http.retry import Retry, retry_after

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "-3"}, 0),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "7"}, 7),
        ({"retry-after": formatdate(NOW + 20, usegmt=True)}, 20),
        ({"retry-after": formatdate(NOW + 20)}, 20),
        ({"retry-after": formatdate(NOW - 20, usegmt=True)}, 0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:30"}, 10),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Tue, 99 Nov 2023 22:13:30 GMT"}, None),
    ],
)
def test_the_wait_a_provider_asks_for_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


def test_waits_grow_to_their_bound_and_differ() -> None:
    retry = Retry(chance=random.Random(1))
    for failed, most in ((1, 0.5), (2, 1), (3, 2), (4, 4), (20, 30), (10_000, 30)):
        waits = [retry.seconds(failed) for _ in range(50)]
        assert most / 2 <= min(waits) < max(waits) <= most
        assert len(set(waits)) > 40


def test_no_wait_is_shorter_than_what_was_asked_for() -> None:
    retry = Retry(chance=random.Random(1))
    waits = [retry.seconds(1, 20) for _ in range(50)]
    assert 20 <= min(waits) < max(waits) <= 22
    # One who asks for no wait at all is not hammered.
    assert min(retry.seconds(3, 0) for _ in range(50)) >= 1
