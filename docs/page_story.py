"""The story in the pictures of the page: a home with notes, tools, agents and scripted conversations."""

import asyncio
import struct
import zlib
from pathlib import Path
from typing import Any

from oneclaw import App, Config, Scripted, tool
from oneclaw.core.call import Image, Output
from oneclaw.core.message import AssistantMessage, Usage, UserMessage
from oneclaw.core.tool import Context
from oneclaw.providers.scripted import Call, End, Fail, Say, Think

MODEL = "scripted/writer-large"
SPENT = End(usage=Usage(8_412, 388, 6_100))
OPEN = "How many items are still open in my notes, week by week? A small chart would help."
LINKS = "Find the dead links in docs/, and write what you find to report.md."
PUSH = "Clean up the branches, then push."
ASK = "Plan the garden beds with me."
FORM = "Book the hall for the meeting."
WAITS = "Compare the three invoice formats."
TABLE = """The pile is shrinking: **10 open items** this week, down from 27 three weeks ago.

| Week | Open | Change |
|---|--:|--:|
| 44 | 18 | −9 |
| 45 | 14 | −4 |
| 46 | 10 | −4 |

The two oldest are both in `notes/41.md`: *renew the library card* and *call about the roof*."""
FORM_SCHEMA = {
    "type": "object",
    "properties": {
        "day": {"type": "string", "format": "date", "title": "Day"},
        "people": {"type": "integer", "title": "People", "minimum": 1, "default": 12},
        "room": {"type": "string", "title": "Room", "enum": ["Large hall", "Small hall", "Garden"]},
        "projector": {"type": "boolean", "title": "With a projector", "default": True},
    },
    "required": ["day", "people"],
}
SCRIPT: dict[str, list[Any]] = {
    OPEN: [
        [
            Think("Notes are one file a week. I count the open boxes."),
            Call("find_files", pattern="notes/*.md"),
            Call("get_current_time"),
            SPENT,
        ],
        [Call("search_text", pattern="- \\[ \\]", path="notes", limit="200"), SPENT],
        [Call("draw_chart", kind="bar"), SPENT],
        [Say(TABLE), SPENT],
    ],
    LINKS: [
        [
            Say("I collect the links first, and ask reader which pages matter."),
            Call("find_files", pattern="docs/**/*.md"),
            Call(
                "run_javascript",
                code=(
                    "const files = (await tools.find_files({pattern: 'docs/*.md'})).trim().split('\\n');\n"
                    "for (const path of [...files, 'docs/old.md'])\n"
                    "  try { await tools.read_file({path}); } catch {}\n"
                    "return files.length;"
                ),
            ),
            Call("ask_reader", text="Which five pages of docs/ are linked to most?"),
            SPENT,
        ],
        [
            Say("41 links. Checking them now, four hosts side by side."),
            Call("read_page", url="https://example.com/guide"),
            Call("download", url="https://downloads.example/api.html"),
            Call("read_file", path="../secrets.txt"),
            Call("search_web", query="example.com api moved"),
            Call("execute_shell_command", command="curl -sI https://example.com/api | head -1"),
            Call("write_report", path="report.md"),
            SPENT,
        ],
    ],
    PUSH: [
        [
            Call(
                "execute_shell_command",
                command="git branch --merged | xargs git branch -d \u202e&& git push",
                timeout=60,
            ),
            Call("write_file", path="notes/47.md", content="# Week 47\n\n- [ ] call about the roof\n"),
            Call("delete_file", path="notes/41.md"),
            Call("http_request", url="http://192.168.1.9/status"),
        ],
        "Done.",
    ],
    ASK: [
        [
            Say("Three beds get sun all day."),
            Call(
                "ask_user",
                question="What shall grow in the large bed?",
                options=["Tomatoes and basil", "Beans and squash", "Only flowers this year"],
            ),
        ],
        "Noted.",
    ],
    FORM: [[Call("ask_user", question="When, and for how many?", schema=FORM_SCHEMA)], "Booked."],
    WAITS: [[Call("download", url="https://example.com/invoices.zip")], "They differ."],
    "Which five pages of docs/ are linked to most?": [
        [Call("read_file", path="docs/guide.md"), Call("read_file", path="docs/api.md")],
        "guide, api, faq, start and tour.",
    ],
    "Read the long list.": [[Call("long_list"), SPENT], [Say("It has 4,000 lines."), SPENT]],
    "Is the build green?": [[Fail("quota", "The quota of this month is spent.")]],
}


def answer(request: Any) -> Any:
    """The next reply of the story to what was said last."""
    said = max(
        at for at, one in enumerate(request.messages) if isinstance(one, UserMessage) and one.text in SCRIPT
    )
    rounds = sum(isinstance(one, AssistantMessage) for one in request.messages[said:])
    return SCRIPT[request.messages[said].text][rounds]


def chart(width: int = 480, height: int = 220) -> bytes:
    """A PNG with six bars."""
    tall = (25, 22, 27, 18, 14, 10)
    rows: list[bytes] = []
    for y in range(height):
        row = bytearray(b"\0")
        for x in range(width):
            bar, within = divmod(x - 30, 72)
            is_bar = 0 <= bar < 6 and within < 44 and height - 20 > y > height - 20 - tall[bar] * 6
            row += (
                b"\x3a\x54\xc8"
                if is_bar
                else b"\xe6\xe2\xda"
                if (height - 20 - y) % 48 == 0 and y < height - 19
                else b"\xff\xff\xff"
            )
        rows.append(bytes(row))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"".join(rows)))
        + chunk(b"IEND", b"")
    )


@tool(effect="read", label="Draw a chart")
def draw_chart(kind: str) -> Output:
    """Draw a chart of numbers.

    kind: bar or line.
    """
    return Output("A chart with 6 bars.", images=(Image(chart(), "image/png"),))


@tool(effect="read", label="Download", seconds=600)
async def download(url: str, context: Context) -> str:
    """Download a file.

    url: Where it is.
    """
    context.progress("1.2 of 3.4 MB", 0.35)
    await asyncio.Event().wait()
    return ""


@tool(effect="read", label="Read web page")
async def read_page(url: str) -> str:
    """Read a web page as text.

    url: The address of the page.
    """
    return "A guide to the API."


@tool(effect="read", label={"en": "Search the web", "de": "Im Web suchen"}, seconds=0.2)
async def search_web(query: str) -> str:
    """Search the web.

    query: The words to look for.
    """
    await asyncio.Event().wait()
    return ""


@tool(effect="write", label="Write report", resource="download")
async def write_report(path: str) -> str:
    """Write the report.

    path: Where to.
    """
    return "Written."


@tool(effect="read", label="List everything")
def long_list() -> str:
    """List everything there is."""
    return "\n".join(f"{number}: an entry of the list" for number in range(4_000))


TOOLS = (draw_chart, download, read_page, search_web, write_report, long_list)


async def make_home(home: Path, **values: Any) -> App:
    """An app in a folder with notes, documents and two agents; it is not open yet."""
    said = {"models.default": MODEL, "features.shell": True, **values}
    config = Config(home=home, values=said)
    for week in range(41, 47):
        _write(
            config.workspace_folder / "notes" / f"{week}.md",
            f"# Week {week}\n\n" + "- [ ] an open item\n" * (week % 5 + 2),
        )
    for name in ("guide", "api", "faq", "start", "tour"):
        _write(
            config.workspace_folder / "docs" / f"{name}.md", f"# {name}\n\nSee https://example.com/{name}.\n"
        )
    return App(config, providers={"scripted": Scripted([answer], repeats=True, chunk=24)}, tools=TOOLS)


async def add_agents(app: App) -> None:
    from oneclaw.operations.agents import add_agent

    writer = {
        "description": "Writes notes and reports.",
        "instructions": "Write short, plain reports. Say what you did not find. Never guess a date.",
        "agents": ["reader"],
    }
    reader = {
        "description": "Finds things in files.",
        "instructions": "Answer with file names.",
        "tools": {"allow": ["read_file", "find_files", "search_text"]},
    }
    await add_agent(app, reader, "reader", "The story")
    await add_agent(app, writer, "writer", "The story")


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
