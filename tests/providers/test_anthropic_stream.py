"""Anthropic's answers, event by event: whole, cut, odd and hostile."""

import json
from typing import Any

import pytest
from tests.providers.wires import feed

from oneclaw.core.answer import TextAdded
from oneclaw.core.message import AssistantMessage, CallPart, ForeignPart, TextPart, ThoughtPart
from oneclaw.core.message import UserMessage as User
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.anthropic.stream import AnthropicReader
from oneclaw.providers.anthropic.wire import Anthropic
from oneclaw.providers.base import ProviderError, Request, ServerEvent

READ = ToolDefinition(name="read", parameters={"type": "object", "properties": {"path": {"type": "string"}}})
Event = dict[str, Any]


def new_reader() -> AnthropicReader:
    return Anthropic().reader(Request("m", [User("Hello")], tools=(READ,)))


def begin(index: Any, **block: Any) -> Event:
    return {"type": "content_block_start", "index": index, "content_block": block}


def add(index: Any, **delta: Any) -> Event:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def end(index: Any) -> Event:
    return {"type": "content_block_stop", "index": index}


def ending(reason: Any, **usage: Any) -> list[Event]:
    delta = {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}
    return [delta, {"type": "message_stop"}]


def read(*events: Any) -> AssistantMessage:
    reader = new_reader()
    feed(reader, *events)
    return reader.message()


def call(index: Any, *pieces: str, **block: Any) -> list[Event]:
    began: Event = {"type": "tool_use", "id": f"toolu_{index}", "name": "read", "input": {}, **block}
    added = [add(index, type="input_json_delta", partial_json=piece) for piece in pieces]
    return [begin(index, **began), *added, end(index)]


# ------------------------------------------------------------------ whole answers


def test_blocks_may_be_written_at_the_same_time() -> None:
    message = read(
        *(begin(at, type="tool_use", id=f"t{at}", name="read", input={}) for at in (0, 1)),
        add(1, type="input_json_delta", partial_json='{"path":'),
        add(0, type="input_json_delta", partial_json='{"path":"a"}'),
        add(1, type="input_json_delta", partial_json='"b"}'),
        end(0),
        end(1),
        *ending("tool_use"),
    )
    assert [each.arguments for each in message.calls] == ['{"path":"a"}', '{"path":"b"}']


def test_a_message_may_begin_with_all_it_has() -> None:
    block = {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a"}}
    start = {"type": "message_start", "message": {"content": [block], "stop_reason": "tool_use"}}
    message = read(start, {"type": "message_stop"})
    assert message.finish == "calls"
    assert [(each.arguments, each.fault) for each in message.calls] == [({"path": "a"}, "")]


def test_a_refusal_says_why() -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "I cannot help with that."}
    delta = {"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": details}}
    reader = new_reader()
    assert feed(reader, delta, {"type": "message_stop"}) == [TextAdded("I cannot help with that.")]
    assert reader.message().text == "I cannot help with that."
    spoken = read(begin(0, type="text", text="No."), end(0), delta, {"type": "message_stop"})
    assert spoken.text == "No."


def started(message_id: str) -> Event:
    return {"type": "message_start", "message": {"id": message_id, "content": []}}


def test_a_message_that_is_begun_twice_before_it_says_anything_is_one() -> None:
    message = read(started("msg_1"), started("msg_1"), *call(0, '{"path": "a"}'), *ending("tool_use"))
    assert [each.arguments for each in message.calls] == ['{"path": "a"}']
    with pytest.raises(ProviderError, match="second answer"):
        read(started("msg_1"), started("msg_2"))


# ------------------------------------------------------------------ what goes back


def echoed(*events: Any) -> list[dict[str, Any]]:
    """The blocks of the answer as they are sent back."""
    wire = Anthropic()
    request = Request("m", [User("Hello")], tools=(READ,))
    reader = wire.reader(request)
    feed(reader, *events)
    body = json.loads(
        wire.write(Request("m", [*request.messages, reader.message(), User("And?")], "", (READ,)))
    )
    return body["messages"][1]["content"]


def test_blocks_we_do_not_know_go_back_as_they_came() -> None:
    search = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search"}
    found = {
        "type": "web_search_tool_result",
        "tool_use_id": "srvtoolu_1",
        "content": [{"type": "web_search_result", "encrypted_content": "e=="}],
    }
    assert echoed(
        begin(0, **search, input={}),
        add(0, type="input_json_delta", partial_json='{"query":'),
        add(0, type="input_json_delta", partial_json='"x"}'),
        end(0),
        begin(1, **found),
        end(1),
        begin(2, type="compaction", content=None),
        add(2, type="compaction_delta", content="Summary."),
        end(2),
        begin(3, type="brand_new", data={"a": [1]}),
        end(3),
        *ending("end_turn"),
    ) == [
        {**search, "input": {"query": "x"}},
        found,
        {"type": "compaction", "content": "Summary."},
        {"type": "brand_new", "data": {"a": [1]}},
    ]


def test_citations_go_back_with_their_text() -> None:
    cited = {"type": "char_location", "cited_text": "a", "document_index": 0, "start_char_index": 0}
    assert echoed(
        begin(0, type="text", text="", citations=[]),
        add(0, type="text_delta", text="So."),
        add(0, type="citations_delta", citation={**cited, "file_id": None}),
        end(0),
        *ending("end_turn"),
    ) == [{"type": "text", "text": "So.", "citations": [cited]}]


def test_the_caller_of_a_call_goes_back() -> None:
    caller = {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}
    wire, request = Anthropic(), Request("m", [User("Hello")], tools=(READ,))
    reader = wire.reader(request)
    feed(reader, *call(0, caller=caller), *ending("tool_use"))
    [part] = reader.message().parts
    assert part.echo == {"caller": caller}


@pytest.mark.parametrize(
    "events",
    [
        [begin(0, type="thinking", thinking="Hm."), end(0)],
        [begin(0, type="thinking", thinking="Hm.", signature="c2ln")],
        [begin(0, type="thinking", thinking="Hm.", signature=7), end(0)],
        [begin(0, type="redacted_thinking", data=None), end(0)],
    ],
)
def test_a_thought_without_its_signature_is_shown_but_not_sent_back(events: list[Event]) -> None:
    [part] = read(*events, *ending("end_turn")).parts
    assert isinstance(part, ThoughtPart)
    assert part.echo is None


# ------------------------------------------------------------------ cut answers


def test_only_the_last_call_is_cut_by_the_length_limit() -> None:
    message = read(*call(0), *call(1, '{"path":'), *ending("max_tokens"))
    assert message.finish == "length"
    assert [bool(each.fault) for each in message.calls] == [False, True]
    whole = read(*call(0), *call(1, '{"path":"a"}'), *ending("max_tokens"))
    assert [bool(each.fault) for each in whole.calls] == [False, False]


def test_a_call_of_which_nothing_was_written_does_not_run() -> None:
    assert read(*call(0), *ending("max_tokens")).calls[0].fault
    assert not read(*call(0), *ending("tool_use")).calls[0].fault


def test_a_call_closed_for_the_model_at_the_length_limit_does_not_run() -> None:
    block: Event = {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}
    reader = new_reader()
    reader.take({"content": [block], "stop_reason": "max_tokens"})
    assert reader.message().calls[0].fault


def test_a_block_that_never_ended_is_cut() -> None:
    message = read(*call(0, '{"path":')[:-1], *ending("tool_use"))
    assert message.calls[0].fault


# ------------------------------------------------------------------ odd answers


def test_a_server_that_names_every_block_alike_loses_none() -> None:
    message = read(
        begin(0, type="text", text="One."), end(0), *call(0, "{}"), *call(0, "{}"), *ending("tool_use")
    )
    assert [type(part) for part in message.parts] == [TextPart, CallPart, CallPart]


def test_text_without_a_beginning_is_kept() -> None:
    texts = [add(index, type="text_delta", text=text) for index, text in ((4, "Yes."), (None, "!"), (4, ""))]
    assert read(*texts, *ending("end_turn")).text == "Yes.!"


@pytest.mark.parametrize(("given", "read_as"), [(None, "{}"), ("{}", "{}"), ([1], "[1]"), (5, "5")])
def test_an_input_that_is_no_object_reaches_the_engine(given: Any, read_as: str) -> None:
    assert read(*call(0, input=given), *ending("tool_use")).calls[0].arguments == read_as


@pytest.mark.parametrize("data", ["<html>", "[]", "7", "null", '{"a":' * 2000])
def test_an_event_that_is_named_an_error_is_one_whatever_it_says(data: str) -> None:
    with pytest.raises(ProviderError) as named:
        new_reader().feed(ServerEvent("error", data))
    assert named.value.trouble in ("stream", "server")


def test_the_name_of_an_event_stands_in_for_its_type() -> None:
    reader = new_reader()
    block = json.dumps({"index": 0, "content_block": {"type": "text", "text": "Yes."}})
    assert list(reader.feed(ServerEvent("content_block_start", block))) == [TextAdded("Yes.")]
    assert list(reader.feed(ServerEvent("", "[DONE]"))) == []


def test_a_foreign_block_that_was_cut_is_not_kept() -> None:
    begun = begin(0, type="server_tool_use", id="s", name="web_search", input={})
    assert read(begun).parts == ()
    [part] = read(begun, end(0)).parts
    assert isinstance(part, ForeignPart)
