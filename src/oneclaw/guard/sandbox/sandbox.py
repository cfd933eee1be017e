"""The sandbox as the owner wants it and this machine allows it: an enclosure for each shell, or a refusal."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Session
from oneclaw.guard.sandbox import bubblewrap
from oneclaw.guard.sandbox.enclosure import Enclosure, Limits
from oneclaw.guard.sandbox.places import Place, system_places, workspace_places

HOME = "/home/agent"
FOLDER = "/run/shell"
TMP = "/tmp"  # noqa: S108
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
UNSAFE = "This ran without a sandbox, with all the rights of the user who runs OneClaw."


@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """What the owner set. `homes` is the folder of the private homes, one for each agent."""

    homes: Path
    mode: Literal["sandbox", "native"] = "sandbox"
    sandbox: Literal["auto", "bubblewrap", "landlock", "none"] = "auto"
    limits: Limits = field(default_factory=Limits)


class Sandbox:
    """Makes enclosures; what works on this machine is tried once."""

    def __init__(self, settings: SandboxSettings) -> None:
        self.settings = settings
        self._bubblewrap: tuple[tuple[str, bool] | None, str] | None = None

    def home(self, agent: str) -> Path:
        """The private home of an agent, made when it is first asked for."""
        folder = self.settings.homes / quote(agent, safe=" ")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    def enclosure(self, session: Session, states: Path, tmp: Path, network: bool) -> Enclosure:
        """The enclosure of a shell. Raises `ToolError` when there is none and the owner insists on one."""
        works, why = self._works()
        if works is None:
            raise ToolError(f"Commands cannot run: {why}.", Kind.PERMISSION_DENIED, effects="none")
        program, can_disable = works
        places = [
            *system_places(network),
            Place(tmp, TMP, "write"),
            Place(self.home(session.agent), HOME, "write"),
            *_identity(states),
            *workspace_places(session.workspace),
            Place(states, FOLDER, "write"),
        ]
        directory = str(session.workspace.folder.absolute())
        line = bubblewrap.command_line(
            program, places, network=network, can_disable=can_disable, directory=directory
        )
        return Enclosure("bubblewrap", line, environment(HOME, "agent"), FOLDER, directory, True)

    def _works(self) -> tuple[tuple[str, bool] | None, str]:
        if self._bubblewrap is None:
            self._bubblewrap = bubblewrap.probe(system_places(network=False))
        return self._bubblewrap


def environment(home: str, user: str, tmp: str = TMP) -> dict[str, str]:
    """The whole environment of a shell, made from nothing: none of our variables is in it, no key can be."""
    return {
        "PATH": PATH,
        "HOME": home,
        "USER": user,
        "LOGNAME": user,
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "TMPDIR": tmp,
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
        "DEBIAN_FRONTEND": "noninteractive",
    }


def _identity(states: Path) -> list[Place]:
    """Who is who inside: the agent, and nobody else of this machine."""
    user = bubblewrap.USER
    texts = {
        "passwd": f"agent:x:{user}:{user}:agent:{HOME}:/bin/bash\nnobody:x:65534:65534::/:/bin/false\n",
        "group": f"agent:x:{user}:\nnogroup:x:65534:\n",
    }
    for name, text in texts.items():
        (states / name).write_text(text)
    return [Place(states / name, f"/etc/{name}", "read") for name in texts]
