"""Every wire format there is, as the servers of the tests speak it."""

import pytest
from tests.providers.formats.anthropic import Anthropic
from tests.providers.formats.format import Format
from tests.providers.formats.gemini import Gemini
from tests.providers.formats.openai_chat import Chat, Local
from tests.providers.formats.openai_responses import Responses

FORMATS: tuple[Format, ...] = (Chat(), Responses(), Anthropic(), Gemini(), Local())
BY_LABEL = {each.label: each for each in FORMATS}
BY_WIRE = {each.wire: each for each in FORMATS if not each.is_local}


def label_of(format: Format) -> str:
    return format.label


each_format = pytest.mark.parametrize("format", FORMATS, ids=label_of)
