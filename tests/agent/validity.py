"""Whether a list of messages is a valid conversation, told without a look at the code that mends one."""

from collections.abc import Sequence

from oneclaw.core.message import AssistantMessage, Message, ResultsMessage, UserMessage


def faults(messages: Sequence[Message]) -> list[str]:
    """What a provider would refuse, in words."""
    found: list[str] = []
    seen: list[str] = []
    for index, message in enumerate(messages):
        before = messages[index - 1] if index else None
        after = messages[index + 1] if index + 1 < len(messages) else None
        if index == 0 and not isinstance(message, UserMessage):
            found.append("it does not begin with the user")
        if isinstance(message, UserMessage) and not message.text.strip() and not message.images:
            found.append(f"message {index} of the user is empty")
        if isinstance(message, ResultsMessage) and not (
            isinstance(before, AssistantMessage) and before.calls and message.results
        ):
            found.append(f"message {index} holds results of nothing")
        if isinstance(message, AssistantMessage):
            if not message.parts:
                found.append(f"answer {index} is empty")
            asked = [call.id for call in message.calls]
            given = [result.call_id for result in after.results] if isinstance(after, ResultsMessage) else []
            if asked != given:
                found.append(f"answer {index} asks for {asked} and gets {given}")
            found += [f"a call of answer {index} has no id" for each in asked if not each]
            found += [f"a call of answer {index} has no name" for call in message.calls if not call.name]
            seen += asked
    found += [
        f"the id {each!r} is used {seen.count(each)} times" for each in set(seen) if seen.count(each) > 1
    ]
    return found


def is_valid(messages: Sequence[Message]) -> bool:
    return not faults(messages)
