"""Chat answers: every way servers write calls, thoughts, usage, ends and errors into a stream."""

import json
from typing import Any

import pytest
from tests.providers.wires import feed

from oneclaw.core.answer import ArgumentsAdded, CallBegun, TextAdded, ThoughtAdded
from oneclaw.core.message import AssistantMessage, CallPart, ForeignPart, TextPart, ThoughtPart, Usage
from oneclaw.core.tool import ToolDefinition
from oneclaw.providers.base import AnswerReader, ProviderError, Request, ServerEvent
from oneclaw.providers.openai_chat.wire import OpenAIChat

TOOLS = tuple(
    ToolDefinition(name=name, parameters={"type": "object", "properties": {"a": {"type": "integer"}}})
    for name in ("get", "get_time", "put")
)


def reader(*, text_calls: bool = False, tools: tuple[ToolDefinition, ...] = TOOLS) -> AnswerReader:
    return OpenAIChat(text_calls=text_calls).reader(Request("m", [], tools=tools))


def chunk(delta: Any = None, finish: Any = None, **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}], **more}


def fragments(*groups: Any) -> list[dict[str, Any]]:
    return [chunk({"tool_calls": list(group)}) for group in groups]


def piece(index: Any = None, id: Any = None, name: Any = None, arguments: Any = None) -> dict[str, Any]:
    named = {key: value for key, value in (("index", index), ("id", id)) if value is not None}
    return {**named, "function": {"name": name, "arguments": arguments}}


def read(*chunks: Any, finish: str | None = "tool_calls") -> AssistantMessage:
    reading = reader()
    feed(reading, *chunks, *([] if finish is None else [chunk(finish=finish)]))
    return reading.message()


def calls_of(message: AssistantMessage) -> list[tuple[str, str, Any]]:
    return [(call.id, call.name, call.arguments) for call in message.calls]


def test_calls_that_come_in_turns_are_kept_apart_by_their_index() -> None:
    reading = reader()
    progress = feed(
        reading,
        *fragments(
            [piece(0, "a", "get", "")],
            [piece(0, arguments='{"a"')],
            [piece(1, "b", "put", '{"a":')],
            [piece(0, arguments=":1}"), piece(1, arguments="2}")],
        ),
        chunk(finish="tool_calls"),
        "[DONE]",
    )

    assert calls_of(reading.message()) == [("a", "get", '{"a":1}'), ("b", "put", '{"a":2}')]
    assert reading.message().finish == "calls"
    assert [each for each in progress if isinstance(each, CallBegun)] == [
        CallBegun(0, "get"),
        CallBegun(1, "put"),
    ]
    added = [each for each in progress if isinstance(each, ArgumentsAdded)]
    assert "".join(each.text for each in added if each.index == 1) == '{"a":2}'


@pytest.mark.parametrize(
    "groups",
    [
        # without any index
        [[piece(None, "a", "get", '{"a":')], [piece(arguments="1}")], [piece(None, "b", "put", "{}")]],
        # id and name repeated each time
        [[piece(0, "a", "get", '{"a":')], [piece(0, "a", "get", "1}")], [piece(1, "b", "put", "{}")]],
        # repeated, and without index
        [
            [piece(None, "a", "get", '{"a":')],
            [piece(None, "a", "get", "1}")],
            [piece(None, "b", "put", "{}")],
        ],
        # index 0 for all
        [[piece(0, "a", "get", '{"a":')], [piece(0, arguments="1}")], [piece(0, "b", "put", "{}")]],
        # whole calls, index 0 for all, in one chunk
        [[piece(0, "a", "get", '{"a":1}'), piece(0, "b", "put", "{}")]],
        # empty id and name in later fragments
        [[piece(0, "a", "get", "")], [piece(0, "", "", '{"a":1}')], [piece(1, "b", "put", "{}")]],
        # arguments as an object
        [[piece(0, "a", "get", {"a": 1})], [piece(1, "b", "put", {})]],
        # indices that begin elsewhere, or are text
        [[piece(7, "a", "get", '{"a":1}')], [piece("8", "b", "put", "{}")]],
        # a name in two pieces
        [[piece(0, "a", "ge", "")], [piece(0, None, "t", '{"a":1}')], [piece(1, "b", "put", "{}")]],
        # the id comes late
        [[piece(0, None, "get", '{"a":')], [piece(0, "a", None, "1}")], [piece(1, "b", "put", "{}")]],
        # interleaved by id only
        [
            [piece(None, "a", "get", '{"a":')],
            [piece(None, "b", "put", "{")],
            [piece(None, "a", None, "1}"), piece(None, "b", None, "}")],
        ],
        # no list
        [[piece(0, "a", "get", '{"a":1}')], [piece(1, "b", "put", None)]],
    ],
)
def test_however_a_server_cuts_calls_they_come_out_the_same(groups: list[list[dict[str, Any]]]) -> None:
    message = read(*fragments(*groups))

    assert [(call.id, call.name) for call in message.calls] == [("a", "get"), ("b", "put")]
    assert [json.loads(str(call.arguments)) for call in message.calls] == [{"a": 1}, {}]
    assert not any(call.fault for call in message.calls)


def test_whole_calls_of_one_tool_without_index_and_id_are_two_calls() -> None:
    message = read(*fragments([piece(None, None, "get", '{"a":1}')], [piece(None, None, "get", '{"a":2}')]))

    assert [call.arguments for call in message.calls] == ['{"a":1}', '{"a":2}']
    assert len({call.id for call in message.calls}) == 2


def test_calls_of_two_tools_without_arguments_index_and_id_are_two_calls() -> None:
    message = read(*fragments([piece(None, None, "get", "")], [piece(None, None, "get_time", "")]))

    assert [(call.name, call.arguments) for call in message.calls] == [("get", "{}"), ("get_time", "{}")]


def test_a_call_of_which_only_a_made_up_name_came_is_told_at_the_end() -> None:
    progress = feed(reader(), *fragments([piece(0, "a", "made_up", "")]), chunk(finish="tool_calls"))
    assert progress == [CallBegun(0, "made_up")]


def test_text_that_was_held_back_as_the_start_of_a_call_is_told_at_the_end() -> None:
    progress = feed(reader(text_calls=True), chunk({"content": "Well <tool_c"}), chunk(finish="stop"))
    assert "".join(each.text for each in progress if isinstance(each, TextAdded)) == "Well <tool_c"


def test_a_call_of_the_old_kind_is_read_as_well() -> None:
    message = read(
        chunk({"function_call": {"name": "get", "arguments": '{"a"'}}),
        chunk({"function_call": {"arguments": ":1}"}}),
        finish="function_call",
    )

    assert [(call.name, call.arguments) for call in message.calls] == [("get", '{"a":1}')]


def test_text_thoughts_and_calls_keep_their_order() -> None:
    message = read(
        chunk({"reasoning_content": "h"}),
        chunk({"reasoning_content": "m"}),
        chunk({"content": "A"}),
        chunk({"content": None, "tool_calls": [piece(0, "a", "get", "{}")]}),
        chunk({"content": "B"}),
        chunk({"content": "C"}),
    )

    assert [type(part) for part in message.parts] == [ThoughtPart, TextPart, CallPart, TextPart]
    assert message.parts[0] == ThoughtPart("hm", {"field": "reasoning_content"})
    assert message.text == "ABC"


def test_reasoning_details_are_put_together_and_kept_exactly() -> None:
    reading = reader()
    entry = {"type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0}
    sealed = {"type": "reasoning.encrypted", "data": "AA==", "id": "rs_1", "index": 1}
    progress = feed(
        reading,
        chunk({"reasoning": "h", "reasoning_details": [{**entry, "text": "h"}]}),
        chunk({"reasoning": "m", "reasoning_details": [{**entry, "text": "m"}]}),
        chunk({"reasoning_details": [{**entry, "text": "", "signature": "sig"}]}),
        chunk({"reasoning_details": [sealed]}),
        chunk({"content": "Hi"}, "stop"),
    )

    assert reading.message().parts == (
        ThoughtPart("hm", {"reasoning_details": [{**entry, "text": "hm", "signature": "sig"}, sealed]}),
        TextPart("Hi"),
    )
    assert [each.text for each in progress if isinstance(each, ThoughtAdded)] == ["h", "m"]


def test_details_alone_are_shown_as_thoughts() -> None:
    summary = {"type": "reasoning.summary", "summary": "I look."}

    assert feed(reader(), chunk({"reasoning_details": [summary]})) == [ThoughtAdded("I look.")]


def test_mistrals_chunks_become_thought_text_and_foreign_parts() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "h"}]}
    more = {
        "type": "thinking",
        "thinking": [{"type": "text", "text": "m"}, {"type": "reference", "ids": [1]}],
    }
    link = {"type": "reference", "reference_ids": [3]}
    message = read(
        chunk({"content": [thought]}),
        chunk({"content": [more]}),
        chunk({"content": [{"type": "text", "text": "Hi"}, link]}),
        finish="stop",
    )
    whole = {
        "type": "thinking",
        "thinking": [{"type": "text", "text": "hm"}, {"type": "reference", "ids": [1]}],
    }

    assert message.parts == (
        ThoughtPart("hm", {"chunk": whole}),
        TextPart("Hi"),
        ForeignPart({"chunk": link}),
    )


def test_the_signature_of_a_call_is_kept_with_it() -> None:
    signed = {**piece(0, "a", "get", "{}"), "extra_content": {"google": {"thought_signature": "s"}}}
    (part,) = read(*fragments([signed])).parts

    assert isinstance(part, CallPart)
    assert part.echo == {"extra_content": {"google": {"thought_signature": "s"}}}


def test_a_refusal_is_text_with_the_finish_refusal() -> None:
    message = read(chunk({"refusal": "I ca"}), chunk({"refusal": "n't."}), finish="stop")

    assert (message.text, message.finish) == ("I can't.", "refusal")


def test_an_answer_is_complete_with_its_reason_or_with_done_and_not_before() -> None:
    reading = reader()
    feed(reading, chunk({"content": "x"}))
    assert not reading.is_complete
    assert reading.message().finish == "cut"

    feed(reading, "[DONE]")
    assert reading.is_complete
    assert reading.message().finish == "stop"


@pytest.mark.parametrize("reason", [None, "", "null", "None", 5, []])
def test_a_reason_that_is_none_does_not_end_the_answer(reason: Any) -> None:
    reading = reader()
    feed(reading, chunk({"content": "x"}, reason))

    assert not reading.is_complete


@pytest.mark.parametrize("reason", ["length", "content_filter", None])
def test_a_call_whose_arguments_were_cut_is_faulted_and_a_whole_one_is_not(reason: str | None) -> None:
    reading = reader()
    feed(
        reading,
        *fragments([piece(0, "a", "get", '{"a":1}')], [piece(1, "b", "put", '{"a":')]),
        "[DONE]" if reason is None else chunk(finish=reason),
    )
    whole, cut = reading.message().calls

    assert not whole.fault
    assert "cut off" in cut.fault


def test_an_event_named_error_is_an_error() -> None:
    with pytest.raises(ProviderError):
        reader().feed(ServerEvent("error", '{"message": "gone"}'))


def test_a_whole_body_is_a_stream_of_one() -> None:
    reading = reader()
    message = {
        "role": "assistant",
        "content": "Hi",
        "tool_calls": [
            {"id": "a", "index": 0, "function": {"name": "get", "arguments": "{}"}},
            {"id": "b", "index": 0, "function": {"name": "get", "arguments": {"a": 1}}},
        ],
    }
    usage = {"prompt_tokens": 3, "completion_tokens": 4}
    progress = list(reading.take({"choices": [{"message": message, "finish_reason": None}], "usage": usage}))

    assert calls_of(reading.message()) == [("a", "get", "{}"), ("b", "get", '{"a":1}')]
    assert (reading.is_complete, reading.message().usage) == (True, Usage(3, 4))
    assert progress[0] == TextAdded("Hi")


def test_a_stream_that_ends_with_the_whole_message_says_it_once() -> None:
    message = {"role": "assistant", "content": "Hi"}
    last = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}

    assert read(chunk({"content": "Hi"}), last, finish=None).text == "Hi"
    assert read(last, finish=None).text == "Hi"


def test_a_written_call_is_read_only_where_it_is_configured() -> None:
    text = 'Wait.\n<tool_call>{"name": "get", "arguments": {"a": 1}}</tool_call>'
    stream = [chunk({"content": text[at : at + 5]}) for at in range(0, len(text), 5)] + [chunk(finish="stop")]
    reading, plain = reader(text_calls=True), reader()
    progress = feed(reading, *stream)
    feed(plain, *stream)

    assert reading.message().finish == "calls"
    assert [(call.name, call.arguments) for call in reading.message().calls] == [("get", '{"a":1}')]
    assert "".join(each.text for each in progress if isinstance(each, TextAdded)) == "Wait.\n"
    assert CallBegun(0, "get") in progress
    assert plain.message().text == text
    assert plain.message().finish == "stop"


def test_a_written_call_in_a_broken_stream_stays_visible_and_never_runs() -> None:
    text = '<tool_call>{"name": "get"}</tool_call>\n<tool_call>{"name": "put", "arg'
    reading = reader(text_calls=True)
    feed(reading, chunk({"content": text}))
    message = reading.message()

    assert [(call.name, bool(call.fault)) for call in message.calls] == [("get", True)]
    assert message.text.strip() == '<tool_call>{"name": "put", "arg'
    assert reading.message() == message


def test_a_written_call_needs_tools_that_may_be_called() -> None:
    text = '<tool_call>{"name": "get"}</tool_call>'
    wire = OpenAIChat(text_calls=True)
    forbidden = wire.reader(Request("m", [], tools=TOOLS, can_call=False))
    feed(forbidden, chunk({"content": text}), chunk(finish="stop"))

    assert forbidden.message().text == text


def test_a_server_that_gives_each_chunk_an_id_of_its_own_is_read() -> None:
    chunks = [chunk({"role": "assistant", "content": word}, id=word) for word in ("one ", "two ", "three")]
    assert read(*chunks, chunk(finish="stop", id="four")).text == "one two three"


def test_the_end_of_an_answer_may_have_another_id() -> None:
    chunks = [chunk({"role": "assistant", "content": "one"}, id="a"), chunk({"content": " two"}, id="a")]
    assert read(*chunks, chunk({}, "stop", id="b"), finish=None).text == "one two"
