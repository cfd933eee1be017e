"""Looks up the owner's secrets for tools and providers."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from oneclaw.core.errors import InvalidConfig, Kind, ToolError
from oneclaw.core.tool import ToolDefinition
from oneclaw.guard.secret.redactor import SecretRedactor
from oneclaw.guard.secret.secrets import Secrets
from oneclaw.providers.catalog import Catalog


class Keys:
    """Looks secrets up. A tool gets those it declares, but no key of a provider: who has it can spend it."""

    def __init__(self, file: Path, redactor: SecretRedactor, catalog: Catalog) -> None:
        self._file = file
        self._redactor = redactor
        self._catalog = catalog
        self._secrets: Secrets | None = None

    def open(self) -> None:
        """Read the secrets file. Raises `InvalidConfig` when others can read it too."""
        self._secrets = Secrets(self._file, redactor=self._redactor)

    def lookup(self, name: str) -> str:
        return self._opened().lookup(name)

    def give(self, names: Iterable[str]) -> Mapping[str, str]:
        """The secrets a tool declared, by name."""
        names = tuple(names)
        for name in names:
            holder = self._catalog.holder(name)
            if holder is not None:
                raise ToolError(
                    f"The tool declares the secret {name}, which is the key of the provider {holder}; such"
                    " keys are given to no tool: set a key for the tool under another name and declare that.",
                    Kind.PERMISSION_DENIED,
                )
        return self._opened().given(names)

    def why_missing(self, definition: ToolDefinition) -> str:
        """Missing requirements of a tool: its own check, or a secret it declares."""
        lacking = definition.missing() if definition.missing is not None else ""
        if lacking:
            return lacking
        try:
            return (self._secrets or Secrets(self._file, redactor=self._redactor)).why_missing(
                definition.secrets
            )
        except InvalidConfig as error:
            return str(error)

    def _opened(self) -> Secrets:
        if self._secrets is None:
            self.open()
        assert self._secrets is not None
        return self._secrets
