"""The grammar of an answer: whatever it lets through is a valid call made of the message's own words."""

import json
import random
import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oneclaw.core.check.schema import CompiledSchema
from oneclaw.core.tool import ToolDefinition
from oneclaw.tools.builtin import load
from oneclaw_smollm2.grammar import call_grammar, fill_tools
from oneclaw_smollm2.message import read_message, spans
from oneclaw_smollm2.prompt import read_answer

FILES = [
    load(name).definition for name in ("read_file", "write_file", "list_files", "find_files", "http_request")
]


def tool(name: str, required: tuple[str, ...] = (), **properties: Mapping[str, Any]) -> ToolDefinition:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return ToolDefinition(name=name, description=name, parameters=schema)


class Sampler:
    """Writes texts by the rules of a GBNF grammar, as llama.cpp would with a model that likes everything."""

    TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|(\{\d+,\d+\})|([a-z][a-z0-9]*)|([()|?])')

    def __init__(self, grammar: str, chance: random.Random) -> None:
        self.chance = chance
        lines = (line.split(" ::= ", 1) for line in grammar.split("\n") if line)
        self.rules = {name: list(self.TOKEN.finditer(body)) for name, body in lines}

    def write(self, rule: str = "root") -> str:
        tokens = self.rules[rule]
        text, at = self.alternatives(tokens, 0)
        assert at == len(tokens)
        return text

    def alternatives(self, tokens: list[re.Match[str]], at: int) -> tuple[str, int]:
        texts: list[str] = []
        while True:
            text, at = self.sequence(tokens, at)
            texts.append(text)
            if at == len(tokens) or tokens[at][0] != "|":
                return self.chance.choice(texts), at
            at += 1

    def sequence(self, tokens: list[re.Match[str]], at: int) -> tuple[str, int]:
        text = ""
        while at < len(tokens) and tokens[at][0] not in ("|", ")"):
            if tokens[at][0] == "(":
                start = at + 1
                part, at = self.alternatives(tokens, start)
                at += 1
                many = tokens[at][0] if at < len(tokens) else ""
                if many == "?":
                    part, at = (part if self.chance.random() < 0.5 else ""), at + 1
                elif many.startswith("{"):
                    times = self.chance.randint(0, 2)
                    part, at = "".join(self.alternatives(tokens, start)[0] for _ in range(times)), at + 1
                text += part
            elif tokens[at][3]:
                text, at = text + self.write(tokens[at][3]), at + 1
            else:
                text, at = text + json.loads(tokens[at][0]), at + 1
        return text, at


def written(definitions: list[ToolDefinition], message: str, times: int = 60) -> set[str]:
    sampler = Sampler(call_grammar(definitions, message), random.Random(7))
    return {sampler.write() for _ in range(times)}


def values(definition: ToolDefinition, message: str, parameter: str) -> set[str]:
    """What `parameter` can be given for this message."""
    answers = [read_answer(text) for text in written([definition], message, 300)]
    return {str(each[1][parameter]) for each in answers if each is not None and parameter in each[1]}


WORDS = st.sampled_from(
    [
        *("save", "'buy milk'", "to", "todo.txt", "3", "two", "https://a.dev/x", "\"a 'b' c\"", "March 3rd"),
        *("append", "in", "docs", "folder", "a@b.co", "{", "}", "\\", "x\\n", "é", "“q”", "GET", "?", "."),
        *("1.5", "true", "\t", "\x01"),
    ]
)
MESSAGES = st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=12).map(" ".join))
SIMPLE = st.sampled_from(
    [
        {"type": "string"},
        {"type": "string", "minLength": 3, "maxLength": 12},
        {"type": "string", "pattern": "^[a-z]+$"},
        {"type": "string", "enum": ["red", "append", "human_readable"]},
        {"type": "integer"},
        {"type": "integer", "minimum": 2, "maximum": 5},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "array", "items": {"type": "string"}},
        {"type": "array", "items": {"type": "integer"}},
        {"type": "array", "items": {"type": "string"}, "minItems": 2},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"type": ["integer", "null"]},
        {"const": "fixed"},
        {"$ref": "#/$defs/Colour"},
        {"type": "string", "format": "email"},
        {"type": "object"},
        True,
    ]
)
NAMES = st.sampled_from(
    ["path", "url", "folder", "text", "mode", "to", "count", "pattern", "glob", "deep", "query"]
)


def any_tool(properties: dict[str, Any], required: set[str]) -> ToolDefinition:
    return ToolDefinition(
        name="any_tool",
        description="Send mail about files with a glob",
        parameters={
            "type": "object",
            "properties": properties,
            "required": [name for name in properties if name in required],
            "additionalProperties": False,
            "$defs": {"Colour": {"type": "string", "enum": ["red", "blue"]}},
        },
    )


TOOLS = st.builds(any_tool, st.dictionaries(NAMES, SIMPLE, max_size=4), st.sets(NAMES))


@settings(max_examples=150, deadline=None)
@given(TOOLS, MESSAGES, st.integers(0, 10))
def test_whatever_the_grammar_lets_through_is_a_valid_call(
    definition: ToolDefinition, message: str, seed: int
) -> None:
    schema = CompiledSchema(definition.parameters)
    sampler = Sampler(call_grammar([definition], message), random.Random(seed))
    for _ in range(5):
        text = sampler.write()
        answer = read_answer(text)
        if text == ">chat":
            continue
        assert answer is not None, text
        assert schema.is_valid(answer[1]), text


@settings(max_examples=60, deadline=None)
@given(MESSAGES)
def test_a_text_is_always_a_copy(message: str) -> None:
    note = tool("note", ("text",), text={"type": "string"})
    for text in written([note], message, 5) - {">chat"}:
        answer = read_answer(text)
        assert answer is not None
        assert answer[1]["text"] in read_message(message).text


def test_the_spans_listed_are_the_spans_the_grammar_writes() -> None:
    message = "Save 'buy milk' to (todo.txt), then rest on March 3rd."
    note = tool("note", ("text",), text={"type": "string"})
    assert values(note, message, "text") <= set(spans(read_message(message)))
    assert {"buy milk", "todo.txt", "March 3rd", "then rest"} <= set(spans(read_message(message)))


@pytest.mark.parametrize(
    ("message", "whole", "part"),
    [
        ("Note that the party is on March 3rd", "March 3rd", "3rd"),
        ("It starts at 7 pm sharp", "7 pm", "7"),
        ("My birthday is the 12th of May 1990", "12th of May 1990", "May"),
        ("Save 'don't panic' to a.txt", "don't panic", "panic"),
        ('Write "x = 1; y = 2" to b.py', "x = 1; y = 2", "y"),
    ],
)
def test_a_date_and_a_quotation_are_copied_whole(message: str, whole: str, part: str) -> None:
    offered = spans(read_message(message))
    assert whole in offered
    assert part not in offered


def test_a_value_does_not_end_in_the_punctuation_of_the_sentence() -> None:
    offered = spans(read_message("Remember the code is 1234, ok? Thanks."))
    assert "1234" in offered
    assert not [each for each in offered if each.endswith((",", ".", "?"))]


def test_code_keeps_its_own_brackets() -> None:
    assert "print('hello')" in spans(read_message("Put print('hello') in a.py."))
    assert '{"a": 1}' in spans(read_message('write {"a": 1} to x.json'))


def test_an_address_is_one_that_is_written_and_a_path_is_none() -> None:
    message = "Compare https://a.dev/x?y=1, example.com/b and data/c.csv"
    request, read = load("http_request").definition, load("read_file").definition
    assert values(request, message, "url") == {"https://a.dev/x?y=1", "https://example.com/b"}
    assert values(read, message, "path") == {"data/c.csv"}


def test_an_address_cannot_be_invented() -> None:
    assert not [
        text for text in written([load("http_request").definition], "fetch me a coffee") if "http" in text
    ]


def test_a_text_does_not_run_over_the_file_the_call_is_about() -> None:
    write, search = load("write_file").definition, load("search_text").definition
    assert not [
        v for v in values(write, "jot down buy figs in errands.txt please", "content") if "errands" in v
    ]
    assert "app.log" not in values(search, "search app.log for timeout", "pattern")
    assert "see a.txt" in values(write, "write 'see a.txt' to b.txt", "content")
    assert "copy a.txt" in values(
        write, "write copy a.txt to b.txt", "content"
    )  # which is which, nobody knows


@pytest.mark.parametrize(
    ("message", "is_offered"),
    [
        ("Don't forget my locker code", False),
        ("never forget that my code is 7781", False),
        ("forget my locker code, I don't need it", True),
    ],
)
def test_a_tool_the_message_forbids_is_not_offered(message: str, is_offered: bool) -> None:
    forget = load("memory_forget").definition
    assert any("memory_forget" in text for text in written([forget], message)) is is_offered


def test_a_value_does_not_end_in_a_little_word() -> None:
    offered = spans(read_message("jot down buy figs in errands.txt, then log in"))
    assert "buy figs" in offered
    assert "buy figs in" not in offered
    assert "log in" in offered


def test_an_email_address_is_no_file() -> None:
    message = "save my email as anna@mail.com"
    assert not [text for text in written(FILES, message) if text.startswith(">write_file")]


@pytest.mark.parametrize(
    ("message", "choice"),
    [
        ("Append 'x' to a.txt", "append"),
        ("Add 'x' to a.txt", "append"),
        ("appending please, 'x' into a.txt", "append"),
        ("overwrite a.txt with 'x'", "overwrite"),
        ("replace a.txt with 'x'", "overwrite"),
    ],
)
def test_a_choice_the_message_names_is_made(message: str, choice: str) -> None:
    answers = written([load("write_file").definition], message) - {">chat"}
    assert answers
    assert all(f'"mode": "{choice}"' in text for text in answers)


def test_a_choice_inside_a_quotation_or_an_address_is_not_named() -> None:
    write, request = load("write_file").definition, load("http_request").definition
    assert not values(write, "Save 'append more' to a.txt", "mode")
    assert not values(request, "open https://a.dev/post/1", "method")


def test_a_required_choice_that_is_not_named_is_left_to_the_model() -> None:
    fan = tool("fan", ("speed",), speed={"type": "string", "enum": ["low", "high"]})
    assert values(fan, "make the fan blow hard", "speed") == {"low", "high"}
    assert written([fan], "remind me to eat") == {">chat"}  # nor is it a tool for everything


def test_numbers_are_numbers_even_when_they_are_words() -> None:
    book = tool("book", ("people",), people={"type": "integer"})
    assert values(book, "a table for five, or 12, in v2.1 at 7:30", "people") == {"5", "12"}
    assert written([book], "a table please") == {">chat"}


def test_patterns_for_files_are_made_of_the_words_for_them() -> None:
    find = load("find_files").definition
    assert "*.py" in values(find, "find all python files", "pattern")
    assert "*.md" in values(find, "find files ending in .md", "pattern")
    assert "*invoice*" in values(find, "find files with invoice in the name", "pattern")
    assert values(find, "find report*.csv", "pattern") == {"report*.csv"}
    assert values(find, "find config.yaml in src", "pattern") == {"config.yaml"}
    assert values(find, "find config.yaml in src", "path") == {"src"}
    assert values(find, "are there any PDFs?", "pattern") == {"*.pdf"}


def test_a_tool_that_lacks_something_becomes_a_question() -> None:
    grammar = call_grammar([load("write_file").definition], "save it to a file")
    assert '"write_file ?"' in grammar
    assert "write_file {" not in grammar


def test_nothing_is_asked_about_a_tool_the_message_does_not_speak_of() -> None:
    assert "read_file" not in call_grammar([load("read_file").definition], "we went to Vienna")


def test_a_name_of_several_words_is_copied_whole() -> None:
    offered = spans(read_message("Get me from Hill Road 3 to New York, please ask Anna Berg."))
    assert {"Hill Road 3", "New York", "Anna Berg"} <= set(offered)
    assert not {"New", "York", "Road 3", "Berg"} & set(offered)
    assert "Ask" in spans(read_message("Ask Anna about it"))


def test_a_folder_is_no_file_and_an_optional_place_that_is_written_is_given() -> None:
    search, read = load("search_text").definition, load("read_file").definition
    assert not values(read, "look through logs/ please", "path")
    answers = written([search], "search app.log for timeout") - {">chat"}
    assert all('"path": "app.log"' in text for text in answers)


def test_a_word_is_no_file_unless_something_says_so() -> None:
    read = load("read_file").definition
    assert not values(read, "I read a wonderful book last week", "path")
    assert values(read, "read the file notes", "path") == {"notes"}


@pytest.mark.parametrize(
    ("message", "is_talk_allowed"),
    [
        ("run me through settings.json", False),
        ("what comes back from https://a.dev?", False),
        ("I printed settings.json yesterday", True),
        ("tell me a story", True),
    ],
)
def test_a_message_that_names_a_file_or_an_address_is_a_request(message: str, is_talk_allowed: bool) -> None:
    assert (">chat" in written(FILES, message, 300)) is is_talk_allowed


def test_a_file_for_no_tool_is_no_request() -> None:
    assert ">chat" in written([load("http_request").definition], "run me through settings.json")


def test_a_message_of_nothing_gets_a_grammar() -> None:
    assert call_grammar([load("memory_store").definition], "") == 'root ::= ">" ( "chat" )\n'
    assert call_grammar([], "hello").startswith('root ::= ">" ( "chat" )')


def test_a_very_long_message_is_bounded() -> None:
    grammar = call_grammar(FILES, "word " * 50_000)
    assert len(grammar) < 40_000


def test_what_is_accepted_is_what_is_written() -> None:
    message = read_message("Add 'x' to a.txt")
    filled = next(fill_tools([load("write_file").definition], message))
    assert filled.accept({"path": "a.txt", "content": "x", "mode": "append"}, message)
    assert not filled.accept({"path": "a.txt", "content": "x"}, message)
    assert not filled.accept({"path": "b.txt", "content": "x", "mode": "append"}, message)
    assert not filled.accept({"path": "a.txt", "content": "y", "mode": "append"}, message)
