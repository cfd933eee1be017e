"""What every test may use."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--many", type=int, default=0, help="run the crash tests this many times instead of 50")


@pytest.fixture
def many(request: pytest.FixtureRequest) -> int:
    """How many times a crash test is to be run."""
    return int(request.config.getoption("--many")) or 50
