"""A session as the settings have it: its workspace, what tools may reach, and where long results are kept."""

from pathlib import Path

from oneclaw.config import Config, user_folder
from oneclaw.core.errors import InvalidConfig
from oneclaw.core.session import Network, Root, Session, Workspace
from oneclaw.guard.files.places import Places


def make_session(config: Config, session_id: str, agent: str) -> Session:
    """The session of this id and agent; makes the workspace where there is none."""
    folder = config.home / "sessions" / session_id
    workspace = config.workspace_folder
    try:
        workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidConfig(
            f"The workspace {workspace} cannot be made ({error.strerror}): name another folder with"
            " workspace.folder, ONECLAW_WORKSPACE or --workspace."
        ) from error
    network = Network(config.get("network.proxy"), tuple(config.get("network.private_hosts", ())))
    made = Workspace(workspace, roots_of(config, folder))
    Places(made)  # pins its roots before a tool of this program can exchange one
    return Session(session_id, agent, made, network, folder)


def roots_of(config: Config, session_folder: Path) -> tuple[Root, ...]:
    """What narrows and widens the workspace: our own files are closed, long results may be read."""
    opened = [Path(folder).expanduser() for folder in config.get("workspace.write", ())]
    git = config.workspace_folder / ".git"
    return (
        Root(config.home, "none"),
        Root(config.secrets_file, "none"),
        Root(session_folder, "read"),
        # Whether the file is there or not: one that a tool made would be obeyed at the next start.
        Root(user_folder("config"), "read"),
        *((Root(config.file, "read"),) if config.file else ()),
        # Tool files, and wherever links have them lie: what a tool wrote there would be run as a tool.
        Root(config.tools_folder, "none"),
        Root(config.project_folder, "read"),
        Root(config.project_folder / "tools", "read"),
        # What stands here names programs that the owner's own git runs, outside every sandbox.
        *(Root(place, "read") for place in (git / "config", git / "hooks") if place not in opened),
        *(Root(Path(folder).expanduser(), "read") for folder in config.get("workspace.read", ())),
        *(Root(folder, "write") for folder in opened),
    )
