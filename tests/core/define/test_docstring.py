"""Docstrings in the four forms, and prose that only looks like one."""

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oneclaw.core.define.docstring import parse

GOOGLE = """Find places near a point.

    Looks in the index first
    and asks the network after.

    Args:
        point (tuple(float, float)): Where to look,
            in degrees.
        radius (float, optional): How far: in metres.
        **options: Whatever else.
        unheard_of: Not a parameter.

    Returns:
        A list of point: value pairs.

    Raises:
        ValueError: radius: out of range.
    """

NUMPY = """Find places near a point.

    Looks in the index first
    and asks the network after.

    Parameters
    ----------
    point : tuple of float
        Where to look,
        in degrees.
    radius : float, optional
        How far: in metres.
    **options
        Whatever else.

    Returns
    -------
    list
        point : not this one
    """

REST = """Find places near a point.

    Looks in the index first
    and asks the network after.

    :param tuple point: Where to look,
        in degrees.
    :type point: tuple
    :param float radius: How far: in metres.
    :keyword options: Whatever else.
    :returns: point: something
    :raises ValueError: when radius: wrong
    """

PLAIN = """Find places near a point.

    Looks in the index first
    and asks the network after.

    point: Where to look,
        in degrees.
    radius: How far: in metres.

    options: Whatever else.
    """

BULLETS = """Find places near a point.

    Looks in the index first
    and asks the network after.

    - `point` (tuple): Where to look,
      in degrees.
    - **radius**: How far: in metres.
    * options: Whatever else.

    Returns: a list.
    """


@pytest.mark.parametrize(
    "text", [GOOGLE, NUMPY, REST, PLAIN, BULLETS], ids=["google", "numpy", "rest", "plain", "bullets"]
)
def test_every_form_gives_the_same_description_and_parameters(text: str) -> None:
    found = parse(text, ["point", "radius", "options"])

    assert found.description == (
        "Find places near a point.\n\nLooks in the index first and asks the network after."
    )
    assert found.parameters == {
        "point": "Where to look, in degrees.",
        "radius": "How far: in metres.",
        "options": "Whatever else.",
    }


def test_names_that_are_not_parameters_are_left_alone() -> None:
    text = "Send it.\n\nNote: this costs money.\nurl: the address"

    assert parse(text, ["url"]).parameters == {"url": "the address"}
    assert parse(text, ["url"]).description == "Send it.\n\nNote: this costs money."
    assert parse(text, []).parameters == {}


def test_a_word_before_a_colon_in_an_address_is_not_a_parameter() -> None:
    found = parse("Fetch.\n\nhttp://example.com is an example.", ["http"])

    assert found.parameters == {}
    assert "http://example.com" in found.description


def test_a_line_that_only_looks_like_a_field_is_prose() -> None:
    text = "Cheer.\n\n:tada: done\n@someone: said x\n::\n"

    assert parse(text, ["x"]).description == "Cheer.\n\n:tada: done @someone: said x ::"


def test_numpy_names_can_share_a_text() -> None:
    text = "Add.\n\nParameters\n==========\nx, y : int\n    A number.\n"

    assert parse(text, ["x", "y"]).parameters == {"x": "A number.", "y": "A number."}


def test_an_example_after_the_arguments_does_not_replace_their_text() -> None:
    text = dedent("""Run.

        Args:
            path: The right text.

        Example:
            path: a wrong one
        """)

    assert parse(text, ["path"]).parameters == {"path": "The right text."}


def test_sections_between_the_summary_and_the_arguments_do_not_hide_them() -> None:
    text = "Run.\n\nReturns:\n    path: not here\n\nArgs:\n    path: here\n"

    assert parse(text, ["path"]).parameters == {"path": "here"}
    assert parse(text, ["path"]).description == "Run."


def test_lists_and_code_in_a_description_keep_their_lines() -> None:
    text = "Run it.\n\n- one\n- two\n\n>>> run()\n3\n\nA last\nparagraph."

    assert parse(text).description == "Run it.\n\n- one\n- two\n\n>>> run()\n3\n\nA last paragraph."


@pytest.mark.parametrize("text", [None, "", "   ", "\n\n"])
def test_no_text_gives_no_description(text: str | None) -> None:
    assert parse(text, ["x"]) == ("", {})


@given(st.text(alphabet=" \n:@*-=`().paramArgsx|>1", max_size=200))
def test_any_text_is_read_without_an_error(text: str) -> None:
    found = parse(text, ["param", "x", "Args"])

    assert set(found.parameters) <= {"param", "x", "Args"}
