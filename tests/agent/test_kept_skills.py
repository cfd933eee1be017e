"""Loaded skills stay in the window when the messages that loaded them are left out; other texts do not."""

from pathlib import Path

from oneclaw.agent.kept_skills import HEADING, MOST_TOKENS
from oneclaw.agent.tokens import estimate_text
from oneclaw.agent.window import Window
from oneclaw.core.call import ToolCall, ToolResult
from oneclaw.core.errors import Kind
from oneclaw.core.message import AssistantMessage, CallPart, Message, ResultsMessage, TextPart, UserMessage
from oneclaw.skills.block import write_block
from oneclaw.skills.skill import Skill


def block(name: str, body: str = "Cut it in three.") -> str:
    file = Path("/skills") / name / "SKILL.md"
    return write_block(Skill(name, "d", file, "own", file.parent), body, [])


def called(tool: str, text: str, kind: Kind | None = None) -> list[Message]:
    call = ToolCall(tool, {}, id=f"{tool}{len(text)}")
    result = ToolResult(call.id, tool, text, kind, text if kind else "")
    return [AssistantMessage((CallPart(call),), "calls"), ResultsMessage((result,))]


def talk(count: int, chars: int = 400) -> list[Message]:
    """Exchanges that fill the window."""
    word = "word " * (chars // 5)
    return [each for _ in range(count) for each in (UserMessage(word), AssistantMessage((TextPart(word),)))]


def kept(window: Window) -> str:
    """The text of the message that holds the skills."""
    found = [each for each in window.messages if isinstance(each, UserMessage) and each.origin == "skills"]
    assert len(found) <= 1
    return found[0].text if found else ""


def test_a_skill_stays_when_the_exchange_that_loaded_it_is_dropped() -> None:
    window = Window([UserMessage("Use it."), *called("load_skill", block("pdf")), *talk(30)])
    shrunk = window.shrink(3_000)
    assert shrunk is not None
    assert shrunk.fits
    assert kept(window) == f"{HEADING}\n\n{block('pdf')}"
    assert not any(isinstance(each, ResultsMessage) for each in window.messages)


def test_any_other_result_goes() -> None:
    """The twin: the text of a skill in the result of another tool, or of a failed call, is not kept."""
    for message in (called("read_file", block("pdf")), called("load_skill", block("pdf"), Kind.TIMEOUT)):
        window = Window([UserMessage("Use it."), *message, *talk(30)])
        window.shrink(3_000)
        assert kept(window) == ""
        assert "Cut it in three." not in str(window.messages)


def test_a_skill_that_a_person_named_stays_too() -> None:
    window = Window([UserMessage(f"/pdf merge them\n\n{block('pdf')}"), *talk(30)])
    window.shrink(3_000)
    assert block("pdf") in kept(window)
    assert "merge them" not in kept(window)


def test_it_stands_after_the_summary_and_stays_with_the_next_one() -> None:
    window = Window([UserMessage("Use it."), *called("load_skill", block("pdf")), *talk(6)])
    window.replace_older(len(window.older(4)), "A summary.")
    assert [each.text for each in window.messages[:2] if isinstance(each, UserMessage)] == [
        "A summary.",
        f"{HEADING}\n\n{block('pdf')}",
    ]
    for message in talk(2):
        window.append(message)
    window.replace_older(len(window.older(4)), "A later summary.")
    assert window.summary == "A later summary."
    assert block("pdf") in kept(window)
    window.shrink(window.tokens // 2)
    assert block("pdf") in kept(window)


def test_the_same_skill_is_kept_once_as_it_was_loaded_last() -> None:
    first, last = block("pdf", "Old."), block("pdf", "New.")
    window = Window(
        [
            UserMessage("a"),
            *called("load_skill", first),
            UserMessage("b"),
            *called("load_skill", last),
            *talk(30),
        ]
    )
    window.shrink(3_000)
    assert kept(window) == f"{HEADING}\n\n{last}"


def test_skills_take_at_most_a_quarter_and_the_rest_are_named() -> None:
    loads = [
        each
        for number in range(8)
        for each in (UserMessage("Next."), *called("load_skill", block(f"s{number}", "word " * 400)))
    ]
    window = Window([*loads, *talk(30)])
    shrunk = window.shrink(8_000)
    assert shrunk is not None
    assert shrunk.fits
    text = kept(window)
    assert 0 < estimate_text(text) < 2_200
    assert 'name="s7"' in text
    assert 'name="s0"' not in text
    assert "load them again where they are needed: s0, s1" in text


def test_where_nothing_else_helps_only_the_names_stay() -> None:
    window = Window([UserMessage("a"), *called("load_skill", block("pdf", "word " * 600)), *talk(2, 2_000)])
    window.replace_older(len(window.older(1)), "A summary.")
    assert block("pdf", "word " * 600) in kept(window)
    window.shrink(1_400)
    assert kept(window).endswith("where they are needed: pdf")


def test_old_skills_are_not_shortened_where_old_results_are() -> None:
    long = "word " * 1_000
    rounds = [
        *called("load_skill", block("pdf", long)),
        *called("read_file", long),
        *called("a", "x"),
        *called("b", "x"),
    ]
    window = Window([UserMessage("a"), *rounds])
    shrunk = window.shrink(window.tokens - 100)
    assert shrunk is not None
    assert shrunk.shortened == 1
    assert isinstance(window.messages[2], ResultsMessage)
    assert window.messages[2].results[0].text == block("pdf", long)


def test_a_bound_holds_for_all_skills_together() -> None:
    loads = [
        each
        for number in range(12)
        for each in (UserMessage("Next."), *called("load_skill", block(f"s{number}", "word " * 5_000)))
    ]
    window = Window([*loads, *talk(4)])
    window.replace_older(len(window.older(4)), "A summary.")
    assert estimate_text(kept(window)) < MOST_TOKENS + 200
