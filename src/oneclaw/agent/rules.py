"""The policy of the owner's settings and of what agents say of themselves."""

from oneclaw.agent.roster import Roster
from oneclaw.config import Config
from oneclaw.core.permit.policy import Policy, Rules


def policy_of(config: Config, switches: dict[str, bool], features: dict[str, bool], roster: Roster) -> Policy:
    """The policy the settings say, with what agents say of themselves.

    For an agent that both speak of, the settings' allow list holds in place of its own, and both deny.
    """

    def rules(prefix: str) -> Rules:
        allow = config.get(f"{prefix}.allow")
        return Rules(None if allow is None else tuple(allow), tuple(config.get(f"{prefix}.deny", ())))

    def named(prefix: str) -> dict[str, Rules]:
        names = {key.split(".tools.")[0] for key in config.under(prefix) if ".tools." in key}
        return {name: rules(f"{prefix}.{name}.tools") for name in names}

    agents = named("agents")
    for name, listed in roster.all().items():
        if listed.agent is not None and listed.agent.tools != Rules():
            own, owners = listed.agent.tools, agents.get(name, Rules())
            allow = own.allow if owners.allow is None else owners.allow
            agents[name] = Rules(allow, (*owners.deny, *own.deny))
    return Policy(rules("tools"), agents, named("plugins"), switches, features)
