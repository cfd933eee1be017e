"""Opens OneClaw's own provider of a wire format with short retries."""

from oneclaw.providers.base import Provider
from oneclaw.providers.catalog import ProviderSettings
from oneclaw.providers.connect import make_wire
from oneclaw.providers.http.remote import RemoteProvider
from oneclaw.providers.http.retry import Retry


def open_provider(wire: str, url: str, key: str, *, attempts: int = 2) -> Provider:
    """The provider OneClaw uses for one of `WIRES`, at a base URL; close it when done."""
    return RemoteProvider(
        make_wire(ProviderSettings("test", wire, url)),
        url,
        key=lambda: key,
        label="test",
        attempts=attempts,
        retry=Retry(first_seconds=0.01),
    )
