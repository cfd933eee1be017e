"""List of files that the owner's programs execute or obey.

File tools ask before they write one; commands in a sandbox cannot change one that is there, and one they make
is set aside. What git obeys in a repository stands in `repository.py`.
"""

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from oneclaw.core.session import Workspace
from oneclaw.guard.files import repository
from oneclaw.guard.files.places import fold, spell_root

NEED = "files.protected"

IN_PROJECT: dict[str, tuple[str, ...]] = {
    "git": (".githooks",),
    "husky, lefthook, pre-commit, overcommit": (
        *(".husky", "lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml"),
        *(".pre-commit-config.yaml", ".overcommit.yml"),
    ),
    "direnv, mise, asdf": (".envrc", "mise.toml", ".mise.toml", ".mise", ".config/mise", ".tool-versions"),
    "editors": (".vscode", ".idea", ".fleet", ".zed", ".exrc", ".nvimrc", ".nvim.lua", ".dir-locals.el"),
    "development containers": (".devcontainer", ".devcontainer.json"),
    "npm, yarn, pnpm": (".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs"),
    "cargo": (".cargo",),
    "debuggers": (".gdbinit", ".lldbinit"),
    "agents": (
        *(".agents", ".claude", ".mcp.json", ".cursor", ".codex", ".gemini", ".continue", ".windsurf"),
        *(".opencode", "opencode.json", ".aider.conf.yml"),
    ),
    "Mercurial, Jujutsu": (".hg/hgrc", ".jj/repo/config.toml"),
}
"""Files each program obeys in a working folder. File tools protect them in every folder."""

IN_HOME: dict[str, tuple[str, ...]] = {
    "shells": (
        *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc"),
        *(".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login"),
        *(".bashrc.d", ".profile.d", ".oh-my-zsh", ".config/fish", ".config/zsh", ".config/starship.toml"),
    ),
    "the desktop": (
        *(
            ".config/autostart",
            ".config/autostart-scripts",
            ".config/plasma-workspace",
            ".config/environment.d",
        ),
        *(".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".pam_environment"),
        *(".local/share/applications", "Library/LaunchAgents"),
    ),
    "systemd, cron": (".config/systemd", ".local/share/systemd", "/var/spool/cron"),
    "ssh, gpg": (".ssh", ".gnupg"),
    "git": (".gitconfig", ".config/git"),
    "the search for programs": (".local/bin", "bin", ".local/lib", ".cargo", ".pyenv", ".asdf", ".nvm"),
    "editors, terminals": (
        *(".vim", ".vimrc", ".config/nvim", ".emacs", ".emacs.d", ".config/emacs", ".config/Code"),
        *(".tmux.conf", ".config/tmux", ".screenrc"),
    ),
    "clients": (".netrc", ".docker", ".kube", ".aws", ".config/pip", ".pip", ".pypirc", ".config/direnv"),
}
"""Files each program obeys in its user's home, where that is writable."""


NOTES = "AGENTS.md"
"""Agents obey it in every folder. It is told by its exact spelling: a page agents.md is something else."""


@lru_cache(maxsize=1)
def project_names() -> dict[tuple[str, ...], str]:
    """Of each path in a project its names, folded, and the programs that obey it."""
    return {tuple(fold(path).split("/")): who for who, paths in IN_PROJECT.items() for path in paths}


@lru_cache(maxsize=1)
def project_paths() -> dict[tuple[str, ...], str]:
    """Of each path in a project its names, as programs spell them, and the programs that obey it."""
    return {tuple(path.split("/")): who for who, paths in IN_PROJECT.items() for path in paths}


def home_paths() -> dict[str, str]:
    """The paths of what stands in the home of the user, with the programs that obey them."""
    return _home_paths(os.path.realpath(Path.home()))


@lru_cache(maxsize=8)
def _home_paths(home: str) -> dict[str, str]:
    return {os.path.join(home, path): who for who, paths in IN_HOME.items() for path in paths}


@lru_cache(maxsize=1)
def telling_names() -> frozenset[str]:
    """The last name of every path that a program obeys, folded: any other name needs no closer look."""
    known = [path.rpartition("/")[2] for paths in (*IN_PROJECT.values(), *IN_HOME.values()) for path in paths]
    return frozenset(fold(name) for name in (*known, NOTES, *repository.NAMES))


def obeyed_by(workspace: Workspace, path: str) -> str:
    """The programs that run or obey what lies at a path, every link in it resolved; empty for none.

    What the owner opened by name, or something in it, is the agent's to write.
    """
    opened = opened_roots(workspace, path)
    for place, who in _obeyed_places(path):
        if not any(is_inside(root, place) for root in opened):
            return who
    return ""


def opened_roots(workspace: Workspace, path: str) -> list[str]:
    """The workspace and the roots to write that a path lies in."""
    folders = [workspace.folder, *(root.folder for root in workspace.roots if root.access == "write")]
    real = [spell_root(os.fspath(folder)).real for folder in folders]
    return [root for root in real if is_inside(path, root)]


def _obeyed_places(path: str) -> Iterator[tuple[str, str]]:
    """Every place on a path that a program obeys, and the programs."""
    yield from ((place, who) for place, who in home_paths().items() if is_inside(path, place))
    names, known = path.split("/"), project_names()
    if names[-1] == NOTES:
        yield path, "agents"
    folded = [fold(name) for name in names]
    for start in range(len(names)):
        for length in _LENGTHS:
            if who := known.get(tuple(folded[start : start + length])):
                yield "/".join(names[: start + length]), who
    for at in range(1, len(names)) if ".git" not in folded else ():
        if repository.is_git_write("/".join(names[:at]), names[at]):
            yield "/".join(names[: at + 1]), "git"


def is_inside(path: str, folder: str) -> bool:
    """Whether a path is the folder or lies below it, by its text."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


_LENGTHS = (1, 2, 3, 4)
