"""Explanations without a door: what they say is what a call meets."""

import pytest

from oneclaw import App
from oneclaw.core.errors import NotFound, ToolError
from oneclaw.operations.tools import find_tool, switch_tools
from oneclaw.operations.why import explain


async def test_a_tool_that_is_switched_off_comes_with_its_remedy(app: App) -> None:
    (state,) = await switch_tools(app, "read_file", False)
    told = await explain(app, "read_file")
    assert (state.on, told.why.allowed) == (False, False)
    assert told.remedy == "`oneclaw tools on read_file` switches it on."
    await switch_tools(app, "read_file", None)
    told = await explain(app, "read_file")
    assert (told.why.allowed, told.remedy) == (True, "")


async def test_the_arguments_decide_which_needs_stand_in_the_way(app: App) -> None:
    private = await explain(app, "fetch_url", arguments={"url": "http://192.168.1.1/"})
    public = await explain(app, "fetch_url", arguments={"url": "http://93.184.215.14/"})
    assert private.notes == ("192.168.1.1:80 is not public: it is a private address.",)
    assert {one.need for one in private.standings} - {one.need for one in public.standings}
    assert public.notes == ()
    with pytest.raises(ToolError, match="url"):
        await explain(app, "fetch_url", arguments={"url": 7, "nothing": 1})


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("raed_file", "Did you mean read_file"),
        ("memory", "It is a feature"),
        ("zzz", "`oneclaw tools` lists"),
    ],
)
async def test_an_unknown_tool_is_named_with_what_may_be_meant(app: App, name: str, said: str) -> None:
    with pytest.raises(NotFound, match=f"There is no tool '{name}'.*{said}"):
        find_tool(app, name)
