"""calculate: the tool around the parser."""

import pytest

from oneclaw.core.errors import Kind, ToolError
from oneclaw.tools.calculate import calculate


def test_it_gives_the_result_as_text() -> None:
    assert calculate("15% of 80") == "12"
    assert calculate("5 miles in km") == "8.04672 km"


def test_a_mistake_names_its_place_in_one_sentence() -> None:
    with pytest.raises(ToolError) as caught:
        calculate("2 * (3 + 4")
    assert caught.value.message == (
        "The bracket that opens here is not closed (character 5, before '(3 + 4')."
    )
    assert caught.value.kind is Kind.VALIDATION_ERROR
    with pytest.raises(ToolError, match=r"The expression ends .* \(character 4, the end\)\."):
        calculate("5 +")
    with pytest.raises(ToolError, match=r"The expression has 1,200 characters; at most 1,000 are read\.$"):
        calculate("1+" * 600)


def test_nothing_in_it_is_run() -> None:
    for expression in ("__import__('os').getcwd()", "().__class__", "lambda: 1", "open('/etc/passwd')"):
        with pytest.raises(ToolError):
            calculate(expression)


def test_it_only_reads() -> None:
    assert (calculate.definition.effect, calculate.definition.needs) == ("read", ())
