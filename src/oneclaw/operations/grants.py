"""Lists, gives, revokes and restores grants."""

from collections.abc import Mapping
from contextlib import suppress
from time import time
from typing import TYPE_CHECKING, Any

from oneclaw.core.errors import InvalidConfig, NotFound, StoreError
from oneclaw.core.permit.grant import Grant, GrantVerdict, Scope, definition_hash, new_id
from oneclaw.core.permit.need import needs_of
from oneclaw.operations.tools import find_tool

if TYPE_CHECKING:
    from oneclaw.app import App


async def list_grants(app: "App") -> list[Grant]:
    return list(await app.grants.all())


async def revoke_grant(app: "App", grant_id: str) -> Grant | None:
    """Take an answer back, and return it unless it could not be read; raises `NotFound`."""
    known = None
    with suppress(StoreError):  # one that cannot be read can still be revoked
        known = next((each for each in await app.grants.all() if each.id == grant_id), None)
    if not await app.grants.revoke(grant_id):
        raise NotFound("grant", grant_id, "grants")
    return known


async def restore_grant(app: "App", document: Mapping[str, Any]) -> Grant:
    """Give a grant again that was revoked, as `revoke_grant` returned it; raises `InvalidConfig`."""
    try:
        grant = Grant(**document)
        await app.grants.add(grant)
    except (TypeError, ValueError) as error:
        raise InvalidConfig(f"This is no grant that can be restored: {error}") from None
    return grant


async def give_grant(
    app: "App",
    tool: str,
    need: str,
    *,
    verdict: GrantVerdict = "allow",
    scope: Scope = "everywhere",
    holder: str = "",
    pattern: Mapping[str, str] | None = None,
    seconds: float | None = None,
) -> Grant:
    """Answer in advance whether a tool gets a need; raises `NotFound` and `InvalidConfig`.

    pattern  only for calls whose arguments fit, by parameter
    seconds  for so long; None for good
    """
    definition, now = find_tool(app, tool).definition, time()
    if need not in needs_of(definition):
        known = ", ".join(needs_of(definition)) or "nothing"
        raise InvalidConfig(f"{tool} does not ask for {need[:80]}; it asks for: {known}.")
    if pattern:
        _check_pattern(definition.name, definition.parameters, pattern)
    try:
        grant = Grant(
            id=new_id(),
            need=need,
            tool=definition.name,
            verdict=verdict,
            scope=scope,
            holder=holder,
            pattern=dict(pattern or {}),
            digest=definition_hash(definition) if verdict == "allow" else "",
            created=now,
            expires=None if seconds is None else now + seconds,
        )
    except ValueError as error:
        raise InvalidConfig(str(error)) from None
    await app.grants.add(grant)
    return grant


def _check_pattern(tool: str, parameters: Mapping[str, Any], pattern: Mapping[str, str]) -> None:
    from oneclaw.guard.command.approval import TOOL, check_rule

    unknown = [name for name in pattern if name not in parameters.get("properties", {})]
    if unknown:
        raise InvalidConfig(f"{tool} has no parameter {unknown[0][:80]!r} that a pattern could be for.")
    if tool == TOOL:
        try:
            check_rule(pattern)
        except ValueError as error:
            raise InvalidConfig(str(error)) from None
