"""Lists and revokes grants."""

from typing import TYPE_CHECKING

from oneclaw.core.errors import NotFound
from oneclaw.core.permit.grant import Grant

if TYPE_CHECKING:
    from oneclaw.app import App


async def list_grants(app: "App") -> list[Grant]:
    return list(await app.grants.all())


async def revoke_grant(app: "App", grant_id: str) -> None:
    """Take an answer back; raises `NotFound`."""
    if not await app.grants.revoke(grant_id):
        raise NotFound("grant", grant_id, "grants")
