"""The output of a job: read in pieces, binary said to be binary."""

import random

from oneclaw.run.shell.log import Log


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
