"""The tiny model for tests: one process of llama.cpp, shared by the tests of a file."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.conftest import missing_engine as missing_engine
from tests.conftest import weights as weights

from oneclaw_smollm2.provider import SmolProvider

sys.path.append(str(Path(__file__).parents[1]))  # for `training` and `evaluation`


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that ask the model itself: `make quick` leaves them out."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent) and "weights" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def model(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SmolProvider]:
    """The tiny model, loaded once for the tests of a file."""
    from evaluation.trial import open_model

    async with open_model(tmp_path_factory.mktemp("model")) as opened:
        yield opened
