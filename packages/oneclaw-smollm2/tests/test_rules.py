"""Calls that are read by rule: what fits one is that call, and what nearly fits is none."""

import pytest
from evaluation.everyday import IDLE, REFUSED, RULED
from evaluation.stand_ins import STAND_INS

from oneclaw.tools.builtin import load
from oneclaw_smollm2.follow_ups import Before
from oneclaw_smollm2.plan import make_plan
from oneclaw_smollm2.request import bare_request
from oneclaw_smollm2.rules import read_call
from oneclaw_smollm2.verbs import TRAINED

TOOLS = [*(load(name).definition for name in TRAINED), *STAND_INS]


async def never(prompt: str, grammar: str) -> str:
    raise AssertionError("the model was asked")


@pytest.mark.parametrize(("text", "tool", "arguments"), RULED)
async def test_a_request_that_fits_a_rule_is_that_call(
    text: str, tool: str, arguments: dict[str, object] | None
) -> None:
    (step,) = await make_plan(text, TOOLS, never)
    if arguments is None:
        assert (step.tool, step.asks) == ("", tool)
    else:
        assert (step.tool, dict(step.arguments)) == (tool, arguments)


@pytest.mark.parametrize("text", [row[0] for row in RULED if row[1] != "edit_file"])
async def test_without_its_tool_it_is_refused_in_one_sentence(text: str) -> None:
    (step,) = await make_plan(text, TOOLS[: len(TRAINED)], never)
    assert (step.tool, step.asks) == ("", "")
    assert step.words.startswith("I cannot ")
    assert step.words.endswith("`oneclaw setup` connects a bigger model.")
    assert step.words.count(". ") == 0


@pytest.mark.parametrize("text", REFUSED)
async def test_what_nearly_fits_is_refused_and_the_model_is_not_asked(text: str) -> None:
    step = (await make_plan(text, TOOLS, never))[0]
    assert (step.tool, step.asks, step.is_refused) == ("", "", True)
    assert step.words.startswith("I cannot ")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "delete the last line of todo.txt",
            "delete everything in archive",
            "delete archive",
            "delete *.txt",
        ),
        *("delete all txt files", "move all files to archive", "delete it", "rename it to x.txt", "delete /"),
        *("copy report.txt over final.txt", "put report.txt in final.txt", "report.txt moved to archive"),
        *("My sister deleted report.txt", "I renamed a.txt to b.txt yesterday", "should I delete a.txt?"),
        *("what happens if I delete report.txt", "directory listing", "remove a.txt from the list"),
        *("rm -rf archive", "change the title of notes.md to Ideas", "put 'thank you' into Japanese"),
        *("replace everything in todo.txt with nothing", "add milk and eggs", "save hello as a.txt"),
    ],
)
def test_no_rule_fits_what_is_not_plain(text: str) -> None:
    assert read_call(bare_request(text)) is None


def test_no_sentence_after_which_files_stay_is_a_rule_that_removes_one() -> None:
    for text in IDLE:
        ruled = read_call(bare_request(text))
        assert ruled is None or ruled.tool in ("copy_file", "move_file", "delete_file"), text
        if ruled is not None and ruled.tool == "delete_file":
            assert "bin" in text


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("make a folder called projects", "projects"),
        ("create a new directory photos/2024", "photos/2024"),
        ("mkdir backup", "backup"),
        ("make me a projects folder", "projects"),
        ("create a folder named 'my photos'", "my photos"),
    ],
)
def test_folders_are_made(text: str, path: str) -> None:
    ruled = read_call(bare_request(text))
    assert ruled is not None
    assert (ruled.tool, ruled.arguments) == ("make_folder", {"path": path})


def test_an_empty_file_takes_nothing_from_one_that_is_there() -> None:
    ruled = read_call("create an empty file called todo.txt")
    assert ruled is not None
    assert ruled.arguments == {"path": "todo.txt", "content": "", "mode": "append"}


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        ("rename it to b.txt", "move_file", {"source": "a.txt", "destination": "b.txt"}),
        ("now delete it", "delete_file", {"path": "a.txt"}),
        ("oh no, bring it back", "restore_file", {"path": "a.txt"}),
        ("copy it to b.txt", "copy_file", {"source": "a.txt", "destination": "b.txt"}),
    ],
)
async def test_it_is_the_file_of_the_call_before(text: str, tool: str, arguments: dict[str, str]) -> None:
    (step,) = await make_plan(text, TOOLS, never, Before("read_file", "a.txt"))
    assert (step.tool, dict(step.arguments)) == (tool, arguments)


async def test_what_comes_after_a_request_that_no_tool_does_is_not_done_either() -> None:
    async def read(prompt: str, grammar: str) -> str:
        return '>read_file {"path": "a.txt"}'

    text = "Read a.txt and translate a.txt to German and read a.txt"
    steps = await make_plan(text, TOOLS, read)
    assert [(step.tool, step.is_refused) for step in steps] == [("read_file", False), ("", True), ("", False)]
