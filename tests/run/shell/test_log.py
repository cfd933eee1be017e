"""The output of a job: read in pieces, binary said to be binary."""

import random

import pytest

from oneclaw.guard.secret.redactor import SecretRedactor
from oneclaw.run.shell.log import Log
from oneclaw.run.shell.output import Redact


def log_of(*parts: bytes) -> Log:
    made = Log()
    for part in parts:
        made.add(part)
    return made


def test_a_replacement_character_that_was_written_is_text() -> None:
    text = "\ufffd" * 1_000
    assert log_of(text.encode()).page(0, 2_000).text == text


def test_bytes_that_are_wrong_are_replaced_and_much_of_them_is_binary() -> None:
    few = log_of(b"caf\xe9 and more\n").page(0, 100)
    assert (few.text, few.total_chars) == ("caf\ufffd and more\n", 14)
    assert log_of(random.Random(1).randbytes(900)).page(0, 900).text.startswith("(Binary output of ")


def test_a_character_that_comes_in_two_pieces_is_whole() -> None:
    assert log_of(b"\xef\xbf", b"\xbd").page(0, 10).text == "\ufffd"


SECRET = "tide-7f3Q/xW+9zK=ebb&flow"


def read_in_pieces(log: Log, chars: int) -> str:
    total = log.page(0, 1).total_chars
    return "".join(log.page(at, chars).text for at in range(0, total, chars))


@pytest.mark.parametrize("chars", [1, 5, 24])
@pytest.mark.parametrize("cut", [0, 1, 12, 24])
def test_a_secret_is_in_no_pieces_of_a_log(chars: int, cut: int) -> None:
    parts = [b"x" * 20_000 + SECRET[:cut].encode(), SECRET[cut:].encode() + b"y" * 20_000]

    def read(redact: Redact) -> str:
        log = Log(redact)
        for part in parts:
            log.add(part)
            log.page(0, 1)
        return read_in_pieces(log, chars)

    assert read(SecretRedactor({"KEY": SECRET}).redact) == "x" * 20_000 + "[redacted:KEY]" + "y" * 20_000
    assert SECRET in read(str), "the twin"


def test_places_keep_their_numbers_when_the_older_half_goes() -> None:
    log = Log()
    for number in range(300_000):
        log.add(b"%09d\n" % number)
    page = log.page(None, 20)
    assert page.total_chars == 3_000_000
    assert page.text == "000299998\n000299999\n"
    assert log.page(2_500_000, 10).text == "000250000\n"
