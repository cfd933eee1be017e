"""The training data: answers the grammar can write, and nothing of what is kept back."""

import json
import re
from typing import Any

import pytest
from training.data import make_rows
from training.evaluate import is_right
from training.heldout import Case, cases, every_message
from training.own import ON_DEVICE, own_skills
from training.unlike import family_skills, single_skills

SETS = ("plain", "harder", "unseen", "talk", "fresh", "fresh_unseen")


def plain(text: str) -> str:
    return re.sub(r"\W+", "", text.lower())


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return list(make_rows(40, 11, {plain(each) for each in every_message()}, None))


def test_the_same_seed_makes_the_same_sentences(rows: list[dict[str, Any]]) -> None:
    again = list(make_rows(3, 11, {plain(each) for each in every_message()}, None))
    assert again == rows[:3]


def test_no_message_that_is_kept_back_is_trained_on(rows: list[dict[str, Any]]) -> None:
    kept_back = {plain(each) for each in every_message()}
    assert not [message for row in rows for message, _ in row["pairs"] if plain(message) in kept_back]


def test_without_the_list_of_what_is_kept_back_some_of_it_would_be_trained_on() -> None:
    kept_back = {plain(each) for each in every_message()}
    free = make_rows(150, 2, set(), None)
    assert [message for row in free for message, _ in row["pairs"] if plain(message) in kept_back]


def test_every_answer_is_talk_a_question_or_a_call_of_a_tool_in_its_list(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        names = re.findall(r"^([a-z_0-9]+)\(", row["head"], re.MULTILINE)
        for _, answer in row["pairs"]:
            name, _, rest = answer.removeprefix(">").partition(" ")
            assert answer == ">chat" or name in names
            assert rest in ("", "?") or isinstance(json.loads(rest), dict)


def test_about_a_quarter_is_talk(rows: list[dict[str, Any]]) -> None:
    answers = [answer for row in rows for _, answer in row["pairs"]]
    assert 0.15 < answers.count(">chat") / len(answers) < 0.35


def test_there_are_many_unlike_tools() -> None:
    assert len({each.name for each in (*single_skills(), *family_skills())}) >= 150
    assert [each.name for each in own_skills()] == list(ON_DEVICE)


def test_no_tool_that_is_kept_back_is_trained_on() -> None:
    trained = {name for each in (*single_skills(), *family_skills()) for name in (each.name, *each.names)}
    for name in ("unseen", "fresh_unseen"):
        assert not {each.name for each in cases(name)[0]} & trained


@pytest.mark.parametrize("name", SETS)
def test_the_sets_ask_for_tools_and_parameters_that_exist(name: str) -> None:
    tools, rows = cases(name)
    known = {each.name: each.parameters["properties"] for each in tools}
    assert rows
    for case in rows:
        assert case.tool is None or set(case.arguments) <= set(known[case.tool])


def test_an_argument_nobody_asked_for_is_wrong_unless_it_is_the_default() -> None:
    tools, _ = cases("plain")
    case = Case("Fetch x", "http_request", {"url": "https://a.dev"})
    assert is_right(case, tools, ("http_request", {"url": "https://a.dev", "method": "GET"}))
    assert not is_right(case, tools, ("http_request", {"url": "https://a.dev", "method": "POST"}))
    assert not is_right(case, tools, ("http_request", {"url": "https://b.dev"}))
    assert not is_right(case, tools, None)
