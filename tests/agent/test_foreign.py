"""Saved conversations of other agents, broken in the ways that were reported in public."""

from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agent.validity import faults, request_faults
from tests.providers.wires import MAKERS

from oneclaw.agent.foreign import FORMATS, read_history
from oneclaw.agent.foreign.history import guess_format, name_format
from oneclaw.agent.repair import NO_RESULT
from oneclaw.core.errors import InvalidConfig, Kind
from oneclaw.core.message import AssistantMessage, Message, ResultsMessage, ThoughtPart, UserMessage

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
PNG64 = b64encode(PNG).decode()
USER = {"role": "user", "content": "run"}


def told(messages: list[Message]) -> list[str]:
    said: list[str] = []
    for message in messages:
        if isinstance(message, UserMessage):
            said.append(f"u:{message.text}" + "+image" * len(message.images))
        elif isinstance(message, ResultsMessage):
            said += [f"r:{'ok' if each.ok else each.kind}:{each.text}" for each in message.results]
        else:
            said.append(f"a:{message.text}" + "".join(f"[{call.name}]" for call in message.calls))
    return said


def use(call_id: Any, name: Any = "shell", **input: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": input}


def used(call_id: Any, content: Any = "ok", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def says(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def hears(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def chat_call(call_id: Any, name: Any = "shell", arguments: Any = "{}") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def chat(*calls: Any, content: Any = None) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def tool(call_id: Any, content: Any = "ok", **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content, **more}


def asks(call_id: Any, name: Any = "shell", arguments: Any = "{}") -> dict[str, Any]:
    return {"type": "function_call", "id": "fc_1", "call_id": call_id, "name": name, "arguments": arguments}


def output(call_id: Any, text: Any = "ok") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": text}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def person(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def wants(name: str = "shell", call_id: str | None = None) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {}} | ({"id": call_id} if call_id else {})}


def answers(name: str = "shell", call_id: str | None = None, **response: Any) -> dict[str, Any]:
    shown = {"name": name, "response": response or {"output": "ok"}}
    return {"functionResponse": shown | ({"id": call_id} if call_id else {})}


LOST = f"r:interrupted:{NO_RESULT}"

History = tuple[list[Any], list[str]]
"""The items of a history, and what is told of them once they are read."""
ANTHROPIC: dict[str, History] = {
    "two of three parallel results are missing": (
        [USER, says(use("3"), use("4"), use("5")), hears(used("4")), {"role": "user", "content": "next"}],
        ["u:run", "a:[shell][shell][shell]", LOST, "r:ok:ok", LOST, "u:next"],
    ),
    "the program was killed during the call": (
        [USER, says({"type": "text", "text": "I look."}, use("1"))],
        ["u:run", "a:I look.[shell]", LOST],
    ),
    "the user spoke before the result was there": (
        [USER, says(use("1")), {"role": "user", "content": "stop"}],
        ["u:run", "a:[shell]", LOST, "u:stop"],
    ),
    "a result was left when its call was cut away": (
        [hears(used("gone")), USER],
        ["u:run"],
    ),
    "a result and a text stand in one message, text first": (
        [USER, says(use("1")), hears({"type": "text", "text": "and?"}, used("1"))],
        ["u:run", "a:[shell]", "r:ok:ok", "u:and?"],
    ),
    "the result came twice after a retry": (
        [USER, says(use("1")), hears(used("1", "first")), hears(used("1", "second"))],
        ["u:run", "a:[shell]", "r:ok:first"],
    ),
    "the same id in two answers": (
        [USER, says(use("x")), hears(used("x", "a")), says(use("x")), hears(used("x", "b"))],
        ["u:run", "a:[shell]", "r:ok:a", "a:[shell]", "r:ok:b"],
    ),
    "the same id twice in one answer": (
        [USER, says(use("x"), use("x")), hears(used("x", "a"), used("x", "b"))],
        ["u:run", "a:[shell][shell]", "r:ok:a", "r:ok:b"],
    ),
    "an answer was saved twice": (
        [USER, says(use("1", a=1)), says(use("1", a=1)), hears(used("1"))],
        ["u:run", "a:[shell]", "r:ok:ok"],
    ),
    "two answers with one id that are not the same": (
        [USER, says(use("1", a=1)), says(use("1", a=2)), hears(used("1"))],
        ["u:run", "a:[shell]", LOST, "a:[shell]", "r:ok:ok"],
    ),
    "the results are in another order": (
        [USER, says(use("1"), use("2")), hears(used("2", "two"), used("1", "one"))],
        ["u:run", "a:[shell][shell]", "r:ok:one", "r:ok:two"],
    ),
    "the results are split over two messages": (
        [USER, says(use("1"), use("2")), hears(used("1")), hears(used("2"))],
        ["u:run", "a:[shell][shell]", "r:ok:ok", "r:ok:ok"],
    ),
    "another answer stands between call and result": (
        [USER, says(use("1")), says({"type": "text", "text": "hm"}), hears(used("1"))],
        ["u:run", "a:[shell]", "r:ok:ok", "a:hm"],
    ),
    "the input is text that is no JSON": (
        [
            USER,
            says({"type": "tool_use", "id": "1", "name": "shell", "input": '{"command": "ls'}),
            hears(used("1")),
        ],
        ["u:run", "a:[shell]", "r:ok:ok"],
    ),
    "the input is nothing or a list": (
        [
            USER,
            says(
                {"type": "tool_use", "id": "1", "name": "a", "input": None},
                {"type": "tool_use", "id": "2", "name": "b", "input": [1]},
            ),
            hears(used("1"), used("2")),
        ],
        ["u:run", "a:[a][b]", "r:ok:ok", "r:ok:ok"],
    ),
    "empty texts, empty lists and nothing at all": (
        [
            USER,
            says(),
            says({"type": "text", "text": ""}),
            {"role": "assistant", "content": None},
            {"role": "assistant", "content": ""},
            {"role": "user", "content": []},
            {"role": "user", "content": "  \n"},
            {"role": "user"},
            says({"type": "text", "text": "here"}),
        ],
        ["u:run", "a:here"],
    ),
    "a thinking block without its signature": (
        [USER, says({"type": "thinking", "thinking": "hm"}, use("1")), hears(used("1"))],
        ["u:run", "a:[shell]", "r:ok:ok"],
    ),
    "redacted thinking alone": (
        [USER, says({"type": "redacted_thinking", "data": "xyz"}), says({"type": "text", "text": "hi"})],
        ["u:run", "a:hi"],
    ),
    "a result that is an error, without a word": (
        [USER, says(use("1"), use("2")), hears(used("1", None, is_error=True), used("2", [], is_error=True))],
        ["u:run", "a:[shell][shell]"] + ["r:execution_error:The tool failed and gave no reason."] * 2,
    ),
    "results that are no text": (
        [USER, says(use("1"), use("2"), use("3")), hears(used("1", {"a": 1}), used("2", 7), used("3", None))],
        ["u:run", "a:[shell][shell][shell]", 'r:ok:{"a":1}', "r:ok:7", "r:ok:"],
    ),
    "a result with a picture": (
        [
            USER,
            says(use("1")),
            hears(
                used(
                    "1",
                    [
                        {"type": "text", "text": "see"},
                        {
                            "type": "image",
                            "source": {"type": "base64", "media_type": "image/jpeg", "data": PNG64},
                        },
                    ],
                )
            ),
        ],
        ["u:run", "a:[shell]", "r:ok:see"],
    ),
    "pictures that are none": (
        [
            hears(
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": "no base64!"},
                },
                {"type": "image", "source": {"type": "url", "url": "https://example.org/x.png"}},
                {"type": "image"},
            )
        ],
        [
            "u:(A picture stood here that cannot be read.)\n"
            "(A picture stood here: https://example.org/x.png)\n(A picture stood here.)"
        ],
    ),
    "a system message in the middle": (
        [
            {"role": "system", "content": "You are another."},
            USER,
            {"role": "system", "content": "Context was shortened."},
            says(use("1")),
            {"role": "system", "content": "Hook ran."},
            hears(used("1")),
        ],
        ["u:run", "u:Context was shortened.", "a:[shell]", "r:ok:ok", "u:Hook ran."],
    ),
    "ids and names that are missing": (
        [
            USER,
            says({"type": "tool_use", "input": {}}, use(None, "look")),
            hears({"type": "tool_result", "content": "a"}, {"type": "tool_result", "content": "b"}),
        ],
        ["u:run", "a:[unknown_tool][look]", "r:ok:a", "r:ok:b"],
    ),
    "it begins with an answer": (
        [says({"type": "text", "text": "Welcome"}), USER],
        ["u:(What came before this was not kept.)", "a:Welcome", "u:run"],
    ),
    "the call is filed under the user": (
        [USER, hears(use("1")), hears(used("1"))],
        ["u:run", "a:[shell]", "r:ok:ok"],
    ),
    "the call ran at the provider": (
        [
            USER,
            says(
                {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}},
                {
                    "type": "web_search_tool_result",
                    "tool_use_id": "s",
                    "content": [{"type": "x", "url": "u"}],
                },
                {"type": "text", "text": "found"},
            ),
        ],
        [
            "u:run",
            "a:[web_search]",
            'r:ok:(x that cannot be read here: {"type": "x", "url": "u"})',
            "a:found",
        ],
    ),
}
CHAT: dict[str, History] = {
    "chat: a call was never answered": (
        [USER, chat(chat_call("1"), chat_call("2")), tool("1"), USER],
        ["u:run", "a:[shell][shell]", "r:ok:ok", LOST, "u:run"],
    ),
    "chat: a tool message without a call": (
        [USER, tool("9", "lost"), {"role": "assistant", "content": "hi"}],
        ["u:run", "a:hi"],
    ),
    "chat: the history was cut between call and result": (
        [tool("1"), tool("2"), {"role": "assistant", "content": "hi"}, USER],
        ["u:(What came before this was not kept.)", "a:hi", "u:run"],
    ),
    "chat: a user message stands between the results": (
        [USER, chat(chat_call("1"), chat_call("2")), tool("1", "a"), USER, tool("2", "b")],
        ["u:run", "a:[shell][shell]", "r:ok:a", "r:ok:b", "u:run"],
    ),
    "chat: arguments that are no JSON, empty, or an object": (
        [
            USER,
            chat(
                chat_call("1", arguments='{"a": '),
                chat_call("2", arguments=""),
                chat_call("3", arguments={"a": 1}),
                chat_call("4", arguments=None),
            ),
            *[tool(each) for each in "1234"],
        ],
        ["u:run", "a:" + "[shell]" * 4, *["r:ok:ok"] * 4],
    ),
    "chat: the old function_call and role function": (
        [
            USER,
            {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}},
            {"role": "function", "name": "look", "content": "seen"},
            {"role": "assistant", "function_call": {"name": "look", "arguments": "{}"}},
            {"role": "function", "name": "look", "content": "again"},
        ],
        ["u:run", "a:[look]", "r:ok:seen", "a:[look]", "r:ok:again"],
    ),
    "chat: tool_calls is null, empty, or no list": (
        [
            USER,
            {"role": "assistant", "content": "a", "tool_calls": None},
            {"role": "assistant", "content": "b", "tool_calls": []},
            {"role": "assistant", "content": "c", "tool_calls": "x"},
            {"role": "assistant", "content": None, "tool_calls": []},
        ],
        ["u:run", "a:a", "a:b", "a:c"],
    ),
    "chat: content in parts, with a picture": (
        [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "what"},
                    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG64}"}},
                ],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "a dot"}]},
        ],
        ["u:what+image", "a:a dot"],
    ),
    "chat: a result in parts, an object, nothing": (
        [
            USER,
            chat(*[chat_call(each) for each in "123"]),
            tool("1", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
            tool("2", {"rows": []}),
            tool("3", None),
        ],
        ["u:run", "a:" + "[shell]" * 3, "r:ok:a\nb", 'r:ok:{"rows":[]}', "r:ok:"],
    ),
    "chat: a refusal": (
        [USER, {"role": "assistant", "content": None, "refusal": "I will not."}],
        ["u:run", "a:I will not."],
    ),
    "chat: developer messages and thoughts": (
        [
            {"role": "developer", "content": "Be kind."},
            USER,
            {"role": "assistant", "reasoning_content": "hm", "content": "hi"},
        ],
        ["u:run", "a:hi"],
    ),
    "chat: the results before the calls": (
        [USER, tool("1", "early"), chat(chat_call("1"))],
        ["u:run", "a:[shell]", "r:ok:early"],
    ),
    "chat: ids that are numbers": (
        [USER, chat(chat_call(7)), tool(7)],
        ["u:run", "a:[shell]", "r:ok:ok"],
    ),
    "chat: blocks of another provider inside": (
        [USER, says(use("1")), {"role": "tool", "content": [used("1", "mixed")]}],
        ["u:run", "a:[shell]", "r:ok:mixed"],
    ),
    "items that are no messages": (
        ["just text", None, 7, [], {}, {"role": "user", "content": "x"}, {"foo": "bar"}, [["deep"]]],
        ["u:just text", "u:7", "u:[]", "u:{}", "u:x", 'u:{"foo": "bar"}', 'u:[["deep"]]'],
    ),
    "roles that nobody knows": (
        [{"role": "wizard", "content": "hm"}, {"role": ["user"], "content": "x"}, {"role": None}],
        ["u:hm", "u:x", 'u:{"role": null}'],
    ),
    "lines of a log with the messages inside": (
        [
            {"type": "user", "uuid": "u1", "message": USER},
            {"type": "assistant", "message": says({"type": "toolCall", "id": "1", "name": "edit"})},
            {"message": {"role": "toolResult", "toolCallId": "1", "content": "no", "isError": True}},
            {"type": "response_item", "payload": asks("2")},
        ],
        ["u:run", "a:[edit]", "r:execution_error:no", "a:[shell]", LOST],
    ),
}
RESPONSES: dict[str, History] = {
    "responses: no output for a call": (
        [USER, asks("1"), asks("2"), output("2"), USER],
        ["u:run", "a:[shell][shell]", LOST, "r:ok:ok", "u:run"],
    ),
    "responses: an output without a call": (
        [output("1"), USER, output("2"), {"role": "assistant", "content": "hi"}],
        ["u:run", "a:hi"],
    ),
    "responses: thought, text and call are one answer": (
        [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "run"}]},
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": [{"type": "summary_text", "text": "hm"}],
                "encrypted_content": "x",
            },
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ok"}]},
            asks("1"),
            output("1", [{"type": "input_text", "text": "a"}]),
        ],
        ["u:run", "a:ok[shell]", "r:ok:a"],
    ),
    "responses: a thought without what follows it": (
        [USER, {"type": "reasoning", "id": "rs_1", "summary": []}, USER],
        ["u:run", "u:run"],
    ),
    "responses: other calls and what the provider ran": (
        [
            USER,
            {"type": "web_search_call", "id": "ws", "status": "completed"},
            {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "*** Begin"},
            {"type": "custom_tool_call_output", "call_id": "c", "output": "done"},
            {"type": "local_shell_call", "call_id": "l", "action": {"command": ["ls"]}},
            {"type": "local_shell_call_output", "call_id": "l", "output": "x"},
            {"type": "item_reference", "id": "msg_1"},
        ],
        ["u:run", "a:(web_search_call: completed)[patch]", "r:ok:done", "a:[local_shell]", "r:ok:x"],
    ),
}
GEMINI: dict[str, History] = {
    "gemini: results without ids go by name": (
        [
            person({"text": "run"}),
            model(wants("a"), wants("b"), wants("a")),
            person(answers("b", output="B"), answers("a", output="A1"), answers("a", output="A2")),
        ],
        ["u:run", "a:[a][b][a]", "r:ok:A1", "r:ok:B", "r:ok:A2"],
    ),
    "gemini: fewer results than calls": (
        [
            person({"text": "run"}),
            model(wants("a"), wants("b")),
            person(answers("b", output="B")),
            person({"text": "go"}),
        ],
        ["u:run", "a:[a][b]", LOST, "r:ok:B", "u:go"],
    ),
    "gemini: it begins with a result": (
        [person(answers("a")), model({"text": "hi"}), person({"text": "go"})],
        ["u:(What came before this was not kept.)", "a:hi", "u:go"],
    ),
    "gemini: empty parts, null parts, a signature alone": (
        [
            person({"text": "run"}),
            model(),
            {"role": "model", "parts": None},
            model({"text": ""}),
            model({"thoughtSignature": "abc"}),
            model({"text": "hm", "thought": True}, {"text": "hi"}),
        ],
        ["u:run", "a:hi"],
    ),
    "gemini: an error, an object, role function, snake case": (
        [
            person({"text": "run"}),
            {"role": "model", "parts": [{"function_call": {"name": "a", "args": {}}}, wants("b")]},
            {
                "role": "function",
                "parts": [
                    {"function_response": {"name": "a", "response": {"error": "no"}}},
                    answers("b", rows=1, more=2),
                ],
            },
        ],
        ["u:run", "a:[a][b]", "r:execution_error:no", 'r:ok:{"rows":1,"more":2}'],
    ),
    "gemini: pictures and code": (
        [
            person({"text": "see"}, {"inlineData": {"mimeType": "image/png", "data": PNG64}}),
            model({"executableCode": {"code": "1+1"}}, {"codeExecutionResult": {"output": "2"}}),
        ],
        ["u:see+image", "a:1+12"],
    ),
}
BEDROCK: dict[str, History] = {
    "bedrock's spelling": (
        [
            {"role": "user", "content": [{"text": "run"}]},
            {
                "role": "assistant",
                "content": [{"toolUse": {"toolUseId": "1", "name": "shell", "input": {}}}],
            },
            {
                "role": "user",
                "content": [
                    {"toolResult": {"toolUseId": "1", "content": [{"text": "no"}], "status": "error"}}
                ],
            },
        ],
        ["u:run", "a:[shell]", "r:execution_error:no"],
    ),
}
BY_FORMAT = {
    "anthropic": ANTHROPIC,
    "openai": CHAT,
    "openai_responses": RESPONSES,
    "gemini": GEMINI,
    "bedrock": BEDROCK,
}
CASES = {name: (format, *case) for format, cases in BY_FORMAT.items() for name, case in cases.items()}


@pytest.mark.parametrize("name", CASES)
def test_a_broken_history_is_read_and_goes_on(name: str) -> None:
    format, document, expected = CASES[name]
    messages = read_history(document, format)
    assert faults(messages) == []
    assert told(messages) == expected


@pytest.mark.parametrize("name", CASES)
def test_the_format_is_guessed(name: str) -> None:
    format, document, expected = CASES[name]
    if format != "openai_responses" or guess_format(document) == format:
        assert told(read_history(document)) == expected


@pytest.mark.parametrize("name", CASES)
def test_a_history_named_by_the_wrong_format_is_valid_all_the_same(name: str) -> None:
    for format in FORMATS:
        assert faults(read_history(CASES[name][1], format)) == []


@pytest.mark.parametrize("name", CASES)
def test_a_history_cut_anywhere_is_valid(name: str) -> None:
    format, document, _ = CASES[name]
    for begin in range(len(document)):
        for end in range(begin, len(document) + 1):
            assert faults(read_history(document[begin:end], format)) == []


@pytest.mark.parametrize("wire", MAKERS)
@pytest.mark.parametrize("name", CASES)
def test_the_next_request_pairs_every_call_with_one_result(name: str, wire: str) -> None:
    format, document, _ = CASES[name]
    assert request_faults(read_history(document, format), wire) == []


def test_there_are_more_than_fifty_of_them() -> None:
    assert len(CASES) > 50


# ---------------------------------------------------------------------- single things


def test_arguments_are_objects_where_they_can_be_and_raw_text_where_not() -> None:
    calls = chat(
        chat_call("1", arguments='{"a": 1}'),
        chat_call("2", arguments='"{\\"a\\": 1}"'),
        chat_call("3", arguments='{"a": '),
        chat_call("4", arguments="[1]"),
        chat_call("5", arguments=" "),
        chat_call("6", arguments={"a": "\ud800"}),
    )
    answer = read_history([USER, calls])[1]
    assert isinstance(answer, AssistantMessage)
    arguments = [call.arguments for call in answer.calls]
    assert arguments == [{"a": 1}, {"a": 1}, '{"a": ', "[1]", {}, {"a": "\ufffd"}]


def test_thoughts_lose_their_signatures() -> None:
    block = {"type": "thinking", "thinking": "hm", "signature": "s"}
    answer = read_history([USER, says(block, {"type": "text", "text": "hi"})])[1]
    assert isinstance(answer, AssistantMessage)
    assert answer.parts[0] == ThoughtPart("hm")
    assert answer.wire == ""


def test_a_picture_of_a_result_is_kept_with_the_type_its_bytes_have() -> None:
    results = read_history(CASES["a result with a picture"][1])[2]
    assert isinstance(results, ResultsMessage)
    image = results.results[0].images[0]
    assert (image.data, image.media_type) == (PNG, "image/png")


def test_a_result_made_up_says_that_nothing_is_known_of_its_effects() -> None:
    results = read_history([USER, says(use("1"))])[2]
    assert isinstance(results, ResultsMessage)
    assert (results.results[0].kind, results.results[0].effects) == (Kind.INTERRUPTED, "unknown")


def test_a_refusal_is_one() -> None:
    answer = read_history([USER, {"role": "assistant", "refusal": "no"}])[1]
    assert isinstance(answer, AssistantMessage)
    assert answer.finish == "refusal"


@pytest.mark.parametrize("document", [None, "text", 7, {}, {"a": []}, True])
def test_a_document_that_is_no_list_is_refused_in_one_sentence(document: Any) -> None:
    with pytest.raises(InvalidConfig, match=r"A history is a list of messages, and this is a \w+; give the"):
        read_history(document)


def test_a_document_that_holds_the_list_says_where() -> None:
    with pytest.raises(InvalidConfig, match="give its member 'messages'"):
        read_history({"model": "m", "messages": [USER]})


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("anthropic", "anthropic"),
        ("Anthropic-Messages", "anthropic"),
        ("openai", "openai_chat"),
        ("openai_chat", "openai_chat"),
        ("chat.completions", "openai_chat"),
        ("openai-responses", "openai_responses"),
        ("Responses", "openai_responses"),
        ("google-gemini", "gemini"),
        ("vertex", "gemini"),
        ("what", None),
        (None, None),
    ],
)
def test_formats_go_by_several_names(name: str | None, meant: str | None) -> None:
    assert name_format(name) == meant


# ---------------------------------------------------------------------- whatever comes

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(), max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                [
                    *("role", "content", "type", "text", "id", "name", "input", "tool_calls", "function"),
                    *("arguments", "tool_use_id", "tool_call_id", "call_id", "output", "parts"),
                    *("functionCall", "functionResponse", "response", "args", "source", "data"),
                    *("image_url", "function_call", "summary"),
                ]
            ),
            st.one_of(
                inner,
                st.sampled_from(
                    [
                        *("user", "assistant", "tool", "model", "tool_use", "tool_result", "function_call"),
                        *("image", "function_call_output", "reasoning", "thinking"),
                    ]
                ),
            ),
            max_size=5,
        ),
    ),
    max_leaves=25,
)


@given(st.lists(JSON, max_size=8), st.sampled_from([None, *FORMATS]))
@settings(max_examples=300)
def test_no_content_raises(document: list[Any], format: str | None) -> None:
    assert faults(read_history(document, format)) == []


def test_a_history_nested_without_end_is_read() -> None:
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]
    document = [
        USER,
        says({"type": "tool_use", "id": "1", "name": "t", "input": {"a": deep}}),
        hears(used("1", deep)),
        {"role": "user", "content": deep},
        deep,
    ]
    assert faults(read_history(document)) == []
