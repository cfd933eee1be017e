"""Chat state (agent, model, session) and slash commands."""

import asyncio
import re
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from oneclaw import __version__
from oneclaw.cli import chat_views, why
from oneclaw.cli.lines import took_text
from oneclaw.cli.log import show_all
from oneclaw.cli.run import named_session
from oneclaw.cli.sessions import show_sessions
from oneclaw.cli.skills import show_list, show_trust, tell_untrusted
from oneclaw.cli.terminal import STATE, is_terminal, print_line, print_table, printable, short_id
from oneclaw.cli.tool_files import tell_problems
from oneclaw.cli.undo import show_undone
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.run_event import RunEvent
from oneclaw.core.session import Session
from oneclaw.core.text.display import visible
from oneclaw.operations.embedded import check_runnable
from oneclaw.operations.mentions import attach, complete_mention
from oneclaw.operations.models import model_of
from oneclaw.operations.sessions import list_sessions
from oneclaw.operations.skills import list_skills, named_skill, trust_skills, with_skill
from oneclaw.operations.tools import find_tool
from oneclaw.operations.undo import tell_undone
from oneclaw.operations.why import explain

if TYPE_CHECKING:
    from oneclaw.app import App

COMMAND = re.compile(r"/([\w?][\w.:-]*)(?:\s|\Z)")
HELP = {
    "/help": "this list",
    "/tools": "the tools the agent has",
    "/skills": "the skills; /NAME of one has the agent follow it",
    "/trust": "load the skills and tools of this project, from now on",
    "/agent [NAME]": "the agents; with a name, talk with that one, in a new session",
    "/model [NAME]": "the model that answers; with a name, let that one answer from here on",
    "/why TOOL": "why the agent may or may not call a tool",
    "/status": "agent, model, session, workspace, mode, and what it took",
    "/log": "the calls of this session",
    "/show N": "a finished call again, whole, by its number",
    "/diff [N]": "what the last answer changed in files, or one call",
    "/undo [CALL]": "restore what the last answer changed, or one call; --force also where it changed since",
    "/usage": "what this session took: tokens and cost",
    "/thoughts": "show what the model thinks, or stop showing it",
    "/compact-view": "show each call in one line",
    "/detailed": "show calls with what they wrote and changed",
    "/sessions": "the last conversations",
    "/new": "begin a new session",
    "/clear": "clear the screen and begin a new session",
    "/resume [ID]": "go on with another session (`last`, or the beginning of an id)",
    "/export [FILE]": "write this conversation to a file",
    "/quit": "leave; so do exit, quit and Ctrl-D",
}
NAMES = tuple(key.split()[0] for key in HELP)
LEAVING = ("exit", "quit")
"""Words that leave, said alone."""
ALIASES = {"/exit": "/quit", "/q": "/quit", "/?": "/help", "/h": "/help"}


class Chat:
    """Who is talked with, by which model, in which session."""

    def __init__(
        self, app: "App", session: Session, model: str = "", are_thoughts_shown: bool = False
    ) -> None:
        self.app = app
        self.are_thoughts_shown = are_thoughts_shown
        self.is_compact = False
        self._place = ""
        self._model = model
        self._session = session
        self._commands: dict[str, Callable[[str], Awaitable[bool | None]]] = {
            name: getattr(self, f"_do_{name[1:].replace('-', '_')}") for name in NAMES
        }

    @classmethod
    async def open(
        cls,
        app: "App",
        agent: str = "default",
        model: str = "",
        session: str | None = None,
        are_thoughts_shown: bool = False,
    ) -> "Chat":
        """Go on with the session that is named, or begin one with the agent."""
        if session is None:
            found = app.new_session(app.agents.get(agent).name)
        else:
            found = await app.resume_session((await named_session(app, session)).id)
        return cls(app, found, model, are_thoughts_shown)

    @property
    def short_session(self) -> str:
        return short_id(self._session.id)

    def check(self) -> None:
        """Raise `InvalidConfig` when no model answers, before anything is typed."""
        agent = self.app.agents.get(self._session.agent)
        self.app.runs.providers.get(model_of(self.app, agent, self._model))

    def fall_back(self, model: str) -> None:
        """Let this model answer where no other is set."""
        agent = self.app.agents.get(self._session.agent)
        if not (self._model or agent.model or self.app.catalog.default):
            self._model = model

    def greet(self, place: str) -> None:
        """Print the header; `place` tells the workspace."""
        self._place = place
        print_line(f"OneClaw {__version__} · {self._where()}", "bold")
        print_line(place, "dim")
        tell_problems(self.app.problems)
        if self.app.skills is not None:
            tell_untrusted(list_skills(self.app), "/trust")
        print_line("/help lists the commands. Ctrl-C stops an answer, Ctrl-D leaves.\n", "dim")

    async def say(self, text: str) -> AsyncGenerator[RunEvent]:
        """Say something in the session and yield what happens."""
        await self.app.sources.follow()  # nothing ran while the message was typed, not even the watch
        skill = named_skill(self.app, text)
        if skill is not None and self.app.catalog.model(self.model_name).is_small:
            raise InvalidConfig(
                f"{self.model_name} is too small to follow a skill; choose another: /model NAME"
            )
        named = await asyncio.to_thread(attach, self._session.workspace, text)
        for note in named.notes:
            print_line(f"({visible(note)})", "dim", sys.stderr)
        said = with_skill(self.app, named.text)
        run = self.app.run(
            self._session.agent, said, session=self._session, model=self._model, images=named.images
        )
        async with aclosing(run) as events:
            async for event in events:
                yield event

    def tell_skill(self, text: str) -> None:
        """One line where a message names a skill."""
        skill = named_skill(self.app, text)
        if skill is not None:
            print_line(f"With the skill {visible(skill.name)}, from {visible(str(skill.folder))}", "dim")

    def is_command(self, text: str) -> bool:
        """Whether it is one word behind a slash: a path, as /etc/hosts, or a skill is something to say."""
        found = COMMAND.match(text)
        if found is None:
            return text.strip().lower() in LEAVING
        word = f"/{found[1].lower()}"
        return word in NAMES or word in ALIASES or named_skill(self.app, text) is None

    async def obey(self, text: str) -> bool:
        """Do what a command says; False when it was to leave."""
        word, _, rest = text.strip().partition(" ")
        word = "/quit" if word.lower() in LEAVING else ALIASES.get(word.lower(), word.lower())
        command = self._commands.get(word)
        if command is None:
            near = get_close_matches(word, self._offered(), n=1, cutoff=0.6)
            hint = f"did you mean {near[0]}?" if near else "/help lists them."
            raise InvalidConfig(f"There is no command or skill {word[:60]}; {hint}")
        return await command(rest.strip()) is not False

    def complete(self, typed: str) -> Sequence[str]:
        """Completes commands and the names after them, and files after @."""
        last = typed.rpartition(" ")[2]
        if last.startswith("@"):
            return complete_mention(self._session.workspace, last)
        word, space, rest = typed.lstrip().partition(" ")
        if not space:
            return [name for name in self._offered() if word.startswith("/") and name.startswith(word)]
        offered: Sequence[str] = ()
        if word == "/agent":
            offered = tuple(self.app.agents.all())
        elif word == "/model":
            offered = self.app.catalog.known_models()
        elif word == "/why":
            offered = [tool.name for tool in self.app.registry]
        return [name for name in offered if name.startswith(rest)]

    def _offered(self) -> Sequence[str]:
        """The commands, and the skills that are named the same way."""
        skills = self.app.skills.skills if self.app.skills is not None else ()
        return (*NAMES, *(f"/{name}" for name in skills if f"/{name}" not in NAMES))

    async def _named(self, name: str) -> Session:
        return await self.app.resume_session((await named_session(self.app, name)).id)

    @property
    def model_name(self) -> str:
        """The full name of the model that answers."""
        return model_of(self.app, self.app.agents.get(self._session.agent), self._model)

    def _where(self) -> str:
        agent, model = visible(self._session.agent), visible(self.model_name)
        return f"agent {agent} · model {model} · session {self.short_session}"

    # ------------------------------------------------------------------ the commands

    async def _do_help(self, rest: str) -> None:
        for name, meaning in HELP.items():
            print_line(f"{name:<16}{meaning}", indent=16)
        print_line(
            "A line that ends with \\ goes on in the next one. A space before / makes it no command."
            " @FILE attaches a file of the workspace.",
            "dim",
        )

    def _asking_session(self) -> Session:
        """The session as the model that answers sees it."""
        model = self.app.catalog.model(self.model_name)
        if model.is_small:
            return replace(self._session, only=self.app.runs.small_tools(model))
        return self._session

    async def _do_tools(self, rest: str) -> None:
        await self.app.engine.refresh()
        tools = self.app.engine.available(self._asking_session())
        print_table(
            ("TOOL", "WHAT"), [(each.name, each.description.split("\n")[0]) for each in tools], ("bold",)
        )
        missing = len(self.app.registry) - len(tools)
        if missing:
            print_line(f"\n{missing} more are not for this agent; /why TOOL says why.", "dim")

    async def _do_skills(self, rest: str) -> None:
        await self.app.sources.follow()
        show_list(list_skills(self.app))

    async def _do_trust(self, rest: str) -> None:
        show_trust(await trust_skills(self.app))

    async def _do_agent(self, rest: str) -> None:
        if not rest:
            rows = [
                (
                    "✓" if listed.name == self._session.agent else "",
                    listed.name,
                    listed.problem or (listed.agent.description if listed.agent else ""),
                )
                for listed in self.app.agents.all().values()
            ]
            print_table(("", "AGENT", "WHAT"), rows, (STATE, "bold"))
            return
        agent = self.app.agents.get(rest)
        model_of(self.app, agent, self._model)
        self._session = self.app.new_session(agent.name)
        print_line(f"A new session: {self._where()}", "dim")

    async def _do_model(self, rest: str) -> None:
        if rest:
            name = self.app.catalog.full_name(rest)
            self.app.runs.providers.get(name)  # raises for a provider that is not there
            check_runnable(name)
            self._model = name
        await self.app.runs.providers.learn_windows([self.model_name])
        model = self.app.catalog.model(self.model_name)
        price = model.price
        cost = "no price known" if price is None else f"${price.input:g} in, ${price.output:g} out a million"
        print_line(f"{visible(model.name)} · reads {model.window:,} tokens · {cost}", "dim")

    async def _do_why(self, rest: str) -> None:
        if not rest:
            raise InvalidConfig("Name a tool: /why TOOL. /tools lists them.")
        told = await explain(self.app, rest, self._session.agent)
        why.show(told)
        why_not = self.app.engine.why_not(find_tool(self.app, rest), self._asking_session())
        if why_not and told.why.allowed:
            print_line(f"It is not offered now: {why_not}", "yellow")

    async def _do_log(self, rest: str) -> None:
        records = await self.app.store.calls.history(session=self._session.id, limit=50)
        if records:
            show_all(records)
        else:
            print_line("No calls in this session yet.", "dim")

    async def _do_status(self, rest: str) -> None:
        view = "compact" if self.is_compact else "detailed"
        await chat_views.show_status(self.app, self._asking_session(), self.model_name, view, self._place)

    async def _do_show(self, rest: str) -> None:
        await chat_views.show_call(self.app, rest)

    async def _do_diff(self, rest: str) -> None:
        await chat_views.show_diffs(self.app, self._session, rest)

    async def _do_export(self, rest: str) -> None:
        await chat_views.export_chat(self.app, self._session, rest)

    async def _do_compact_view(self, rest: str) -> None:
        self.is_compact = True
        print_line(
            "Calls are shown in one line each; /detailed shows more, /show N one of them whole.", "dim"
        )

    async def _do_detailed(self, rest: str) -> None:
        self.is_compact = False
        print_line("Calls are shown with what they wrote and changed; /compact-view shows less.", "dim")

    async def _do_clear(self, rest: str) -> None:
        if is_terminal(sys.stdout):
            print("\x1b[2J\x1b[H", end="")
        await self._do_new(rest)

    async def show_last(self) -> None:
        """The last exchange of the session."""
        await chat_views.show_last(self.app, self._session.id)

    async def _do_undo(self, rest: str) -> None:
        words = rest.split()
        names = [word for word in words if word != "--force"]
        if len(names) > 1:
            raise InvalidConfig("Name one call, run or undo: /undo 42. /log lists the calls.")
        name, is_forced = "".join(names), "--force" in words
        done = await self.app.undo(name, session=self._session.id, force=is_forced)
        show_undone(done, "/undo")
        await tell_undone(self.app, self._session, done)

    async def _do_usage(self, rest: str) -> None:
        print_line(took_text(*await self.app.store.messages.usage(self._session.id)))

    async def _do_thoughts(self, rest: str) -> None:
        self.are_thoughts_shown = not self.are_thoughts_shown
        print_line(f"Thoughts are {'shown' if self.are_thoughts_shown else 'not shown'}.", "dim")

    async def _do_sessions(self, rest: str) -> None:
        show_sessions(await list_sessions(self.app.store, limit=20), is_json=False)

    async def _do_new(self, rest: str) -> None:
        self._session = self.app.new_session(self._session.agent)
        print_line(f"A new session: {self._where()}", "dim")

    async def _do_resume(self, rest: str) -> None:
        if not rest:
            await self._do_sessions("")
            print_line("Go on with one: /resume ID, or /resume last.", "dim")
            return
        self._session = await self._named(rest)
        await self.show_last()
        print_line(printable(f"\nGoing on: {self._where()}"), "dim")

    async def _do_quit(self, rest: str) -> bool:
        return False
