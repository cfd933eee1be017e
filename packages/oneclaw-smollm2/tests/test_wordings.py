"""Many wordings, one call: polite words, typing mistakes, shell commands, bare names and follow-ups."""

from typing import Any

import pytest
from evaluation.stand_ins import STAND_INS

from oneclaw import ToolCall, ToolResult
from oneclaw.tools.builtin import load
from oneclaw_smollm2.follow_ups import Before, counts, read_before, resolve
from oneclaw_smollm2.language import is_english
from oneclaw_smollm2.look_first import Fill
from oneclaw_smollm2.named import choose_file, name_file, pattern_for
from oneclaw_smollm2.plan import make_plan
from oneclaw_smollm2.request import bare_request, fix_typos
from oneclaw_smollm2.rules import read_call
from oneclaw_smollm2.searches import read_search
from oneclaw_smollm2.shell_words import read_command
from oneclaw_smollm2.verbs import KNOWN_WORDS, TRAINED

TOOLS = [*(load(name).definition for name in TRAINED), *STAND_INS]


async def never(prompt: str, grammar: str) -> str:
    raise AssertionError("the model was asked")


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("Would you be so kind as to delete a.txt? Thank you!", "delete a.txt"),
        ("If it's not too much trouble, I'd like a new folder called x", "make a new folder called x"),
        ("When you have a second, could you read a.txt", "read a.txt"),
        ("Sorry to bother you again, but would you mind deleting a.txt for me?", "delete a.txt"),
        ("Could a.txt be renamed to b.txt?", "rename a.txt to b.txt?"),
        ("I want a.txt gone", "delete a.txt"),
        ("take a note: the plumber comes", "remember that the plumber comes"),
        ("write to a.txt: many thanks", "write to a.txt: many thanks"),
        ("If you find milk, delete a.txt", "If you find milk, delete a.txt"),
        ("no deleting a.txt", "no deleting a.txt"),
        ("can a.txt be deleted?", "can a.txt be deleted?"),
        ("could a.txt be deleted?", "could a.txt be deleted?"),
    ],
)
def test_polite_words_fall_away_and_the_verb_comes_first(text: str, request_: str) -> None:
    assert bare_request(text) == request_


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("raed a.txt", "read a.txt"),
        ("delte a.txt", "delete a.txt"),
        ("plese creat the fiel a.txt", "please create the file a.txt"),
        ("renane a.txt", "rename a.txt"),
        ("bread and butter", "bread and butter"),
        ('write "raed" to a.txt', 'write "raed" to a.txt'),
    ],
)
def test_typing_mistakes_before_the_first_name_are_mended(text: str, mended: str) -> None:
    assert fix_typos(text, KNOWN_WORDS) == mended


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        ("ls -la", "list_files", {}),
        ("ls photos", "list_files", {"path": "photos"}),
        ("cat a.txt", "read_file", {"path": "a.txt"}),
        ("del a.txt", "delete_file", {"path": "a.txt"}),
        ("mv a.txt b/", "move_file", {"source": "a.txt", "destination": "b/"}),
        ("cp a.txt b.txt", "copy_file", {"source": "a.txt", "destination": "b.txt"}),
        ("mkdir -p a/b", "make_folder", {"path": "a/b"}),
        ("touch a.txt", "write_file", {"path": "a.txt", "content": "", "mode": "append"}),
        ('echo "a b" >> a.txt', "write_file", {"path": "a.txt", "content": "a b", "mode": "append"}),
        ("grep -i milk a.txt", "search_text", {"pattern": "milk", "path": "a.txt", "ignore_case": True}),
    ],
)
def test_shell_words_are_calls(text: str, tool: str, arguments: dict[str, Any]) -> None:
    found = read_command(text)
    assert found is not None
    assert (found.tool, found.arguments) == (tool, arguments)


@pytest.mark.parametrize(
    "text",
    [
        "rm -rf /",
        "rm -rf archive",
        "rm *",
        "rm ~",
        "rm ..",
        "cat pictures",
        "mv a.txt",
        "cat a.txt | sh",
        "cp a b",
    ],
)
def test_commands_that_are_dangerous_or_none_are_no_calls(text: str) -> None:
    assert read_command(text) is None


@pytest.mark.parametrize(
    ("text", "tool", "value"),
    [
        ("which file mentions Friday?", "search_text", "Friday"),
        ("where did I write about pancakes?", "search_text", "pancakes"),
        ("look for the word eggs in my files", "search_text", "eggs"),
        ("what did I say earlier about taxes?", "search_history", "taxes"),
        ("find the conversation where I mentioned Lisbon", "search_history", "Lisbon"),
        ("what do you know about me?", "memory_search", ""),
        ("search the web for flights", "web_search", "flights"),
    ],
)
def test_what_is_looked_for_goes_to_the_place_it_is_in(text: str, tool: str, value: str) -> None:
    found = read_search(text)
    assert found is not None
    assert found.arguments is not None
    assert found.tool == tool
    assert value in (found.arguments.get("pattern"), found.arguments.get("query"))


@pytest.mark.parametrize("text", ["what did I write in notes.md", "look for python files", "find my photos"])
def test_what_is_no_search_for_words_is_none(text: str) -> None:
    assert read_search(text) is None


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("read todo", "read todo.somefile"),
        ("add milk to my shopping list", "add milk to shopping.somefile"),
        ("what's on my to-do list?", "what's on to_do.somefile"),
        ("rename my diary to journal", "rename diary.somefile to journal"),
        ("read a file", "read a file"),
        ("delete archive", "delete archive"),
        ("show me the weather", "show me the weather"),
        ("read a.txt", "read a.txt"),
    ],
)
def test_a_bare_word_for_a_file_is_read_as_a_file(text: str, named: str) -> None:
    assert name_file(text) == named


def test_the_one_file_that_is_meant_is_chosen_and_of_several_none() -> None:
    assert pattern_for("to_do") == "*[tT]o*do*"
    assert choose_file("todo.txt", "todo") == "todo.txt"
    assert choose_file("a/todo.txt\ntodo-old.txt", "todo") == "a/todo.txt"
    assert choose_file("report-1.txt\nreport-2.txt", "report") == ["report-1.txt", "report-2.txt"]
    assert choose_file("(Nothing matches.)", "todo") == []


def _filled(fill: Fill | None, *done: tuple[str, dict[str, Any], str]) -> Any:
    assert fill is not None
    return fill([(ToolCall(name, given, "1"), ToolResult("1", name, text)) for name, given, text in done])


async def test_a_file_that_is_named_by_a_word_is_found_before_it_is_deleted() -> None:
    look, delete = await make_plan("delete my diary", TOOLS, never)
    assert (look.tool, look.is_quiet, look.arguments) == ("find_files", True, {"pattern": "*[dD]iary*"})
    assert _filled(delete.fill, ("find_files", {}, "diary.txt")) == {"path": "diary.txt"}
    assert "Which file do you mean: diary1.txt, diary2.txt?" in _filled(
        delete.fill, ("find_files", {}, "diary1.txt\ndiary2.txt")
    )
    assert "I do not see a file" in _filled(delete.fill, ("find_files", {}, "(Nothing matches.)"))


@pytest.mark.parametrize(("held", "added"), [("milk", "\neggs"), ("milk\n", "eggs"), ("", "eggs")])
async def test_what_is_added_to_a_file_begins_on_a_line_of_its_own(held: str, added: str) -> None:
    async def write(prompt: str, grammar: str) -> str:
        return '>write_file {"path": "a.txt", "content": "eggs"}'

    look, step = await make_plan("add eggs to a.txt", TOOLS, write)
    assert (look.tool, look.is_quiet) == ("read_file", True)
    assert _filled(step.fill, ("read_file", {"path": "a.txt"}, held)) == {
        "path": "a.txt",
        "content": added,
        "mode": "append",
    }


@pytest.mark.parametrize(
    ("text", "mode"),
    [("write hi in a.txt", "append"), ("write hi into a.txt", "append"), ("write hi to a.txt", "overwrite")],
)
async def test_what_is_written_into_a_file_is_added_and_to_a_file_replaces_it(text: str, mode: str) -> None:
    async def write(prompt: str, grammar: str) -> str:
        return '>write_file {"path": "a.txt", "content": "hi", "mode": "overwrite"}'

    step = (await make_plan(text, TOOLS, write))[-1]
    assert step.arguments["mode"] == mode


@pytest.mark.parametrize("text", ["put milk first in a.txt", "write a list of my files to a.txt"])
async def test_what_no_tool_can_write_is_refused(text: str) -> None:
    (step,) = await make_plan(text, TOOLS, never)
    assert step.is_refused


async def test_only_a_memory_that_is_meant_beyond_doubt_is_forgotten() -> None:
    async def forget(prompt: str, grammar: str) -> str:
        return '>memory_forget {"key": "park"}'

    look, step = await make_plan("forget where I park", TOOLS, forget)
    assert (look.tool, look.is_quiet) == ("memory_search", True)
    assert step.fill is not None

    def given(*keys: str) -> Any:
        value = {"memories": [{"key": key, "value": "x"} for key in keys]}
        assert step.fill is not None
        return step.fill([(ToolCall("memory_search", {}, "1"), ToolResult("1", "memory_search", value))])

    assert given("park at P7") == {"key": "park at P7"}
    assert given("park at P7", "park") == {"key": "park"}
    assert "Which memory do you mean" in given("park at P7", "national park")
    assert "nothing to forget" in given()


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("remember that my cat is called Miso", "cat", "Miso"),
        ("remember: the alarm code is 9911", "alarm code", "9911"),
        ("remember I am allergic to nuts", "allergic to nuts", "I am allergic to nuts"),
    ],
)
def test_a_fact_is_a_key_and_a_value(text: str, key: str, value: str) -> None:
    found = read_call(text)
    assert found is not None
    assert (found.tool, found.arguments) == ("memory_store", {"key": key, "value": value})


@pytest.mark.parametrize(
    "text", ["remember it", "do you remember my cat?", "remember what I said", "remember to call"]
)
def test_what_tells_no_fact_is_not_remembered_by_rule(text: str) -> None:
    found = read_call(text)
    assert found is None or found.tool != "memory_store"


@pytest.mark.parametrize(
    ("text", "before", "meant"),
    [
        ("read the first one", Before("list_files", items=("a/", "b.txt")), "list the files in a/"),
        ("undo that", Before("delete_file", "a.txt"), "restore a.txt"),
        ("put it back", Before("move_file", "b/a.txt", source="a.txt"), "move b/a.txt to a.txt"),
        ("read the second one", Before("list_files", items=("a.txt", "b.txt")), "read b.txt"),
        ("open the ninth one", Before("list_files", items=("a.txt",)), "open the ninth one"),
        ("move a.txt there", Before("make_folder", "trips"), "move a.txt into the trips folder"),
        ("and times 3?", Before("calculate", expression="4 + 4"), "(4 + 4) * 3"),
        ("paris?", Before("get_current_time"), "What time is it in paris?"),
        ("why?", Before("get_current_time"), "why?"),
    ],
)
def test_a_follow_up_means_what_came_before(text: str, before: Before, meant: str) -> None:
    assert resolve(text, before) == meant


def test_a_call_leaves_what_can_be_spoken_of() -> None:
    listed = read_before(
        ToolCall("list_files", {"path": "a"}, "1"), ToolResult("1", "list_files", "b.txt (3 bytes)\nc/")
    )
    assert listed.items == ("a/b.txt", "a/c/")
    assert counts("how many are there?", listed) == 2
    found = read_before(
        ToolCall("search_text", {}, "1"), ToolResult("1", "search_text", "a.txt:1: x\na.txt:2: x")
    )
    assert (found.path, found.items) == ("a.txt", ("a.txt",))


@pytest.mark.parametrize(
    "text",
    ["delete a file", "copy a file", "rename", "make a folder", "search", "move a.txt", "duplicate a.txt"],
)
def test_a_verb_without_its_file_is_asked_about(text: str) -> None:
    found = read_call(text)
    assert found is not None
    assert found.arguments is None


@pytest.mark.parametrize(
    "text",
    [
        "quanto fa 12 per 12?",
        "kannst du mir helfen",
        "Hola",
        "Что ты умеешь?",
        "por favor crea una carpeta",
        "merci",
    ],
)
def test_another_language_is_noticed(text: str) -> None:
    assert not is_english(text)


@pytest.mark.parametrize(
    "text",
    ["purple monkey dishwasher", "todo.txt", "del a.txt to b", "ok", "read la-la.txt", "time in Los Angeles"],
)
def test_odd_english_is_english(text: str) -> None:
    assert is_english(text)
