"""Messages taken apart, and what `it` means."""

import pytest

from oneclaw_smollm2.follow_ups import means_before, name_it, same_again, save_it
from oneclaw_smollm2.steps import (
    find_path,
    is_request,
    join_answer,
    says_nothing,
    split_steps,
)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("Read a.txt and save it as b.txt", ["Read a.txt", "save it as b.txt"]),
        ("Read a.txt, then list the files", ["Read a.txt", "list the files"]),
        ("What time is it in Rome? List the files.", ["What time is it in Rome?", "List the files."]),
        ("List the files; read a.txt", ["List the files", "read a.txt"]),
        ("Copy a.txt to b/c.txt", ["Copy a.txt to b/c.txt"]),
        ('Write "a" to b.txt and then "c" to d.txt', ['Write "a" to b.txt', 'Write "c" to d.txt']),
        ('Write "one; two and read three" to a.txt', ['Write "one; two and read three" to a.txt']),
        ("Write 'it's one. Two' to a.txt", ["Write 'it's one. Two' to a.txt"]),
        ("Read notes.v2.txt", ["Read notes.v2.txt"]),
        ("Fetch https://example.com/a.b?c=d;e", ["Fetch https://example.com/a.b?c=d;e"]),
        ("a. b. c. d. e. f. g. h. i. j. k.", ["a. b. c. d. e. f. g. h. i. j. k."]),
        ("Read a.txt\nRead b.txt", ["Read a.txt", "Read b.txt"]),
        ("copy a.txt to c.txt and then list it", ["copy a.txt to c.txt", "list it"]),
        ("delete a.txt and b.txt", ["delete a.txt", "delete b.txt"]),
        ("Read a.txt and copy it to b.txt", ["Read a.txt", "copy it to b.txt"]),
        ("read a.txt and b.txt", ["read a.txt", "read b.txt"]),
        ("Show me a.txt, src/b.py and c.md.", ["Show me a.txt", "Show me src/b.py", "Show me c.md"]),
        ("Fetch https://a.dev/x and https://b.dev", ["Fetch https://a.dev/x", "Fetch https://b.dev"]),
        ("Write a.txt and b.txt", ["Write a.txt and b.txt"]),
        ("my cat is Miso, remember it", ["Remember that my cat is Miso"]),
        ("My cat is Miso. Please remember that.", ["Remember that My cat is Miso."]),
        ("Read a.txt and remember it", ["Read a.txt", "remember it"]),
        ("Read a.txt! ...", ["Read a.txt! ..."]),
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
        ("rename it to b.txt", "rename a.txt to b.txt"),
        ("bring it back", "bring a.txt back"),
    ],
)
def test_it_is_the_file_only_where_a_file_is_meant(step: str, named: str) -> None:
    assert name_it(step, "a.txt") == named
    assert name_it(step, "") == step


def test_saving_what_came_before_is_put_plainly() -> None:
    assert save_it("save it as b.txt") == 'Save "it" to b.txt'
    assert save_it("please append the result to logs/x.log.") == 'Append "it" to logs/x.log'
    assert save_it("save the world") is None


@pytest.mark.parametrize(
    ("step", "tool", "whole"),
    [
        ("and in Paris?", "get_current_time", "What time is it in Paris?"),
        ("what about New York", "get_current_time", "What time is it in New York?"),
        ("and b.txt?", "read_file", "Read b.txt"),
        ("and in Paris?", "read_file", "and in Paris?"),
        ("read b.txt", "get_current_time", "read b.txt"),
    ],
)
def test_the_same_again_is_a_request_of_its_own(step: str, tool: str, whole: str) -> None:
    assert same_again(step, tool) == whole


def test_words_for_what_came_before_are_known() -> None:
    assert all(map(means_before, ("it", "That", "the result", "its contents", "the file")))
    assert not any(map(means_before, ("milk", "the cat sat", 3, None)))


def test_a_message_that_stands_for_itself_is_no_answer() -> None:
    assert is_request("what time is it")
    assert is_request("please list the files")
    assert not is_request("todo.txt")


@pytest.mark.parametrize("value", ["something", "it", "a file", "A note", "remember", "something for me"])
def test_a_word_that_stands_for_what_was_never_said_says_nothing(value: str) -> None:
    assert says_nothing(value)


@pytest.mark.parametrize("value", ["milk", "file", "a file cabinet", "remember the milk", "", 3, None])
def test_any_other_value_says_something(value: object) -> None:
    assert not says_nothing(value)


@pytest.mark.parametrize(
    ("asked", "answer", "whole"),
    [
        ("Save a file", "todo.txt", "Save todo.txt"),
        ("Save todo.txt", "buy bread", 'Save todo.txt "buy bread"'),
        ("remember something for me.", "my car is red", "remember my car is red"),
        ("open the file", "a.txt", "open a.txt"),
        ("open the file.txt", "now", 'open the file.txt "now"'),
    ],
)
def test_an_answer_takes_the_place_of_the_word_that_stood_for_it(asked: str, answer: str, whole: str) -> None:
    assert join_answer(asked, answer) == whole
