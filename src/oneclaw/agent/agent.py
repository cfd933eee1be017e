"""An agent and the limits of its runs."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from oneclaw.core.errors import InvalidConfig
from oneclaw.core.permit.policy import Rules
from oneclaw.core.settings.tree import Limits
from oneclaw.core.subschema import is_object

if TYPE_CHECKING:
    from oneclaw.agent.answer_type import AnswerType

NAME = re.compile(r"[a-z][a-z0-9_-]{0,47}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """An agent: what it is told, which model answers for it, which tools it has, how far it goes.

    model      `provider/model`; empty takes the setting `models.default`
    fallbacks  models that are tried, in order, when the one before fails
    tools      the tools it may call, on top of the owner's settings: a list of names, globs and groups,
               as `["read_file", "group:web"]`, or `Rules`; `allow` is another word for such a list
    deny       tools it may not call, in the same form; a denied tool is not called whatever allows it
    agents     agents it may ask as tools; they never may do more than it may
    options    extra fields of requests, by provider: `{"anthropic": {"temperature": 0.2}}`
    output     what its final answer has to be: a dataclass, a pydantic model, another type, or a JSON Schema
    """

    name: str = "default"
    description: str = ""
    instructions: str = ""
    model: str = ""
    fallbacks: tuple[str, ...] = ()
    tools: Rules | Sequence[str] = field(default_factory=Rules)
    allow: Sequence[str] | None = None
    deny: Sequence[str] = ()
    agents: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    options: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    output: Any = None
    answer_type: "AnswerType | None" = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        if not NAME.match(self.name):
            raise InvalidConfig(
                f"The agent's name is {self.name[:80]!r}; use lower-case letters, digits, _ and -,"
                " starting with a letter, at most 48 characters."
            )
        for given in (self.model, *self.fallbacks):
            if not isinstance(given, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InvalidConfig(
                    f"The agent {self.name} has the model {given!r:.80}; name it as `provider/model`,"
                    ' and give a provider of your own to `App(providers={"mine": provider})`.'
                )
        if self.output is not None:
            from oneclaw.agent.answer_type import AnswerType

            object.__setattr__(self, "answer_type", AnswerType(self.output))
        for provider, fields in self.options.items():
            if not is_object(fields):
                raise InvalidConfig(
                    f"options.{provider} is {fields!r:.80}; options are by provider, so write"
                    f" options.PROVIDER.{provider}, as options.anthropic.temperature."
                )
        if self.allow is not None and self.tools != Rules():
            raise InvalidConfig(f"The agent {self.name} has both `tools` and `allow`; give one of them.")
        for field_name in ("tools", "allow", "deny"):
            self._check_list(field_name)

    @property
    def rules(self) -> Rules:
        """The tools it may call, with `tools`, `allow` and `deny` taken together."""
        rules = self.tools if isinstance(self.tools, Rules) else Rules(tuple(self.tools))
        allow = rules.allow if self.allow is None else tuple(self.allow)
        return Rules(allow, (*rules.deny, *self.deny))

    def _check_list(self, field_name: str) -> None:
        """Refuse a bare text and a list of something else: either would allow or deny other tools."""
        given: object = getattr(self, field_name)
        if given is None or isinstance(given, Rules):
            return
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise InvalidConfig(
                f"The agent {self.name} has {field_name}={given!r}; give a list of names, as"
                f' {field_name}=["read_file", "group:web"].'
            )
        for each in cast("Iterable[object]", given):
            if not isinstance(each, str):
                raise InvalidConfig(
                    f"The agent {self.name} has {each!r} in {field_name}; name tools by their names, and give"
                    " functions and tools to `App(tools=[...])`."
                )
