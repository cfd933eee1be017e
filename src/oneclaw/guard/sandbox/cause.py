"""Recognises failures of commands that the sandbox caused, and names the setting that allows them."""

import re

_NETWORK = re.compile(
    r"could not resolve host|temporary failure in name resolution|name or service not known|"
    r"network is unreachable|nodename nor servname|no address associated with hostname|"
    r"failed to resolve|unable to resolve host|\bENOTFOUND\b|\bEAI_AGAIN\b|\bENETUNREACH\b|"
    r"failed to establish a new connection|no such host",
    re.IGNORECASE,
)
_IDENTITY = re.compile(r"(?:author|committer) identity unknown|please tell me who you are", re.IGNORECASE)
_READ_ONLY = re.compile(r"read-only file system|\bEROFS\b", re.IGNORECASE)
_DENIED = re.compile(r"permission denied|\bEACCES\b", re.IGNORECASE)
_PATH = re.compile(r"(?<![\w.])/[^\s:'\"`’]+")
_TAIL_CHARS = 8_000

NO_NETWORK = (
    "The sandbox is the likely cause: this command had no network. Call again with network=true; the owner"
    " allows that with shell.network."
)
NO_IDENTITY = (
    "The sandbox is the likely cause: the person's own git settings are not in it. The person sets a name for"
    " this repository in a terminal: git config user.name NAME; git config user.email ADDRESS."
)
CLOSED = (
    "The sandbox is the likely cause: commands write only to the workspace and to their own home folder. The"
    " owner opens another folder with workspace.write."
)


def likely_cause(written: str, workspace: str, *, has_network: bool) -> str:
    """The likely part of the sandbox in a failure, from the output of the command; empty if unknown."""
    text = written[-_TAIL_CHARS:]
    if not has_network and _NETWORK.search(text):
        return NO_NETWORK
    if _IDENTITY.search(text):
        return NO_IDENTITY
    denied = [line for line in text.splitlines() if _DENIED.search(line)]
    outside = [
        path
        for line in denied
        for path in _PATH.findall(line)
        if path != workspace and not path.startswith(f"{workspace.rstrip('/')}/")
    ]
    return CLOSED if _READ_ONLY.search(text) or outside else ""
