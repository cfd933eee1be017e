"""The doors to the files of a workspace as one call each, and how a call is refused."""

from collections.abc import Callable

import pytest

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.session import Workspace
from oneclaw.guard.files import paths

SECRET = b"the secret that lies outside"


def read(workspace: Workspace, path: str) -> bytes:
    with paths.open_file(workspace, path) as file:
        return file.read()


def write(workspace: Workspace, path: str, data: bytes = b"new") -> None:
    paths.replace_file(workspace, path, data, lambda: None)


def list_names(workspace: Workspace, path: str) -> list[str]:
    with paths.open_folder(workspace, path) as folder:
        return [entry.name for entry in folder.walk(lambda entry: False)]


def refused(do: Callable[..., object], *args: object) -> Kind:
    with pytest.raises(ToolError) as caught:
        do(*args)
    assert caught.value.message
    assert "\n" not in caught.value.message
    return caught.value.kind
