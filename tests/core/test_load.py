"""What comes of loading tools from outside."""

from oneclaw.core.load import LoadProblem


def test_a_problem_is_one_line_with_its_place() -> None:
    assert str(LoadProblem("weather.json", "no such function")) == "weather.json: no such function"
    assert str(LoadProblem("drive.json", "no name", index=2)) == "drive.json, entry 2: no name"
