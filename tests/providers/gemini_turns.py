"""What Gemini refuses in a conversation, written down a second time: nothing here is the product's."""

import re
from itertools import pairwise
from typing import Any

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")


def check_turns(contents: list[dict[str, Any]]) -> None:
    """The user begins; a call follows the user; its results follow it, as many, in order, by its name."""
    assert contents
    assert contents[0]["role"] == "user"
    for content in contents:
        assert content["parts"]
        for part in content["parts"]:
            check_part(part, content["role"])
    assert not said(contents[0], "functionResponse")
    for before, content in pairwise(contents):
        calls, responses = said(before, "functionCall"), said(content, "functionResponse")
        assert [(call["name"], call.get("id")) for call in calls] == [
            (response["name"], response.get("id")) for response in responses
        ]
        if said(content, "functionCall"):
            assert before["role"] == "user"


def check_part(part: dict[str, Any], role: str) -> None:
    kinds = part.keys() - {"thought", "thoughtSignature"}
    assert len(kinds) == 1, part
    assert part.get("text") != "" or "thoughtSignature" in part
    if "functionCall" in part:
        assert role == "model"
        assert NAME.fullmatch(part["functionCall"]["name"])
        assert isinstance(part["functionCall"]["args"], dict)
    if "functionResponse" in part:
        assert role == "user"
        assert isinstance(part["functionResponse"]["response"], dict)


def said(content: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [part[kind] for part in content["parts"] if kind in part]
