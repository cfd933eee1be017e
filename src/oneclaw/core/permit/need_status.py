"""Status of a need for one call, and the refusal text with the next step."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from oneclaw.core.errors import Kind, ToolError
from oneclaw.core.permit.grant import Grant
from oneclaw.core.permit.need import State, narrower_than
from oneclaw.core.question import Reply


@dataclass(frozen=True, slots=True)
class NeedStatus:
    """How one need stands for one call; `reason` says by whom, and what to do, when it is denied."""

    need: str
    state: State
    reason: str = ""
    grant: Grant | None = None

    @property
    def is_denied(self) -> bool:
        return self.state in (State.DENIED, State.DENIED_FOR_GOOD)


def setting_of(need: str) -> str:
    """The owner's setting for a need, as it is written in the file: with a dot in the name, in quotes."""
    return f'permissions.needs."{need}"' if "." in need else f"permissions.needs.{need}"


def refusal(needs: Iterable[str], why: str) -> ToolError:
    return ToolError(f"Required permissions were denied: {', '.join(needs)}. {why}", Kind.PERMISSION_DENIED)


def raise_denied(standings: Sequence[NeedStatus]) -> None:
    denied = [one for one in standings if one.is_denied]
    if denied:
        reasons = dict.fromkeys(one.reason for one in denied)
        raise refusal([one.need for one in denied], " ".join(reasons))


def why_refused(reply: Reply, needs: Sequence[str]) -> str:
    """By whom, and what to do next; `needs` are those that could be granted ahead."""
    if reply.outcome == "no":
        return reply.reason or "A person said no; ask them what to do instead."
    if reply.outcome == "never":
        return "A person denied it permanently."
    if not needs:
        return f"{reply.reason} Tell the person: this is done only when somebody says yes to it."
    settings = " and ".join(setting_of(need) for need in needs)
    narrower = "".join(f"{one}, or " for need in needs if (one := narrower_than(need)))
    return (
        f"{reply.reason} Tell the person; the owner can grant it ahead: {narrower}set {settings} to granted."
    )
