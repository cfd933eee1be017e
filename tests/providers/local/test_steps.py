"""Messages taken apart, and what `it` means."""

import pytest

from oneclaw.providers.local.steps import find_path, is_request, means_before, name_it, save_it, split_steps


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("Read a.txt and save it as b.txt", ["Read a.txt", "save it as b.txt"]),
        ("Read a.txt, then list the files", ["Read a.txt", "list the files"]),
        ("What time is it in Rome? List the files.", ["What time is it in Rome?", "List the files."]),
        ("List the files; read a.txt", ["List the files", "read a.txt"]),
        ("Copy a.txt to b/c.txt", ["Read a.txt", "Save it as b/c.txt"]),
        ('Write "one; two and read three" to a.txt', ['Write "one; two and read three" to a.txt']),
        ("Write 'it's one. Two' to a.txt", ["Write 'it's one. Two' to a.txt"]),
        ("Read notes.v2.txt", ["Read notes.v2.txt"]),
        ("Fetch https://example.com/a.b?c=d;e", ["Fetch https://example.com/a.b?c=d;e"]),
        ("a. b. c. d. e. f. g.", ["a. b. c. d. e. f. g."]),
        ("Hello", ["Hello"]),
        ("", [""]),
    ],
)
def test_a_message_is_taken_apart_where_requests_meet(text: str, steps: list[str]) -> None:
    assert split_steps(text) == steps


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("read a.txt", "a.txt"),
        ("save to notes/today.md.", "notes/today.md"),
        ("look in src/", "src/"),
        ("fetch https://example.com/a.txt", ""),
        ("hello there", ""),
    ],
)
def test_a_path_is_found(text: str, path: str) -> None:
    assert find_path(text) == path


@pytest.mark.parametrize(
    ("step", "named"),
    [
        ("read it back", "read a.txt back"),
        ("show me the file", "show me a.txt"),
        ("append 'x' to it", "append 'x' to a.txt"),
        ("what time is it?", "what time is it?"),
        ("read b.txt", "read b.txt"),
        ("put it into b.txt", "put it into b.txt"),
    ],
)
def test_it_is_the_file_only_where_a_file_is_meant(step: str, named: str) -> None:
    assert name_it(step, "a.txt") == named
    assert name_it(step, "") == step


def test_saving_what_came_before_is_put_plainly() -> None:
    assert save_it("save it as b.txt") == 'Save "it" to b.txt'
    assert save_it("please append the result to logs/x.log.") == 'Append "it" to logs/x.log'
    assert save_it("save the world") is None


def test_words_for_what_came_before_are_known() -> None:
    assert all(map(means_before, ("it", "That", "the result", "its contents", "the file")))
    assert not any(map(means_before, ("milk", "the cat sat", 3, None)))


def test_a_message_that_stands_for_itself_is_no_answer() -> None:
    assert is_request("what time is it")
    assert is_request("please list the files")
    assert not is_request("todo.txt")
