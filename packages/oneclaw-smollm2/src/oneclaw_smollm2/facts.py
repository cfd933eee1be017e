"""Facts to remember, as a key and a value: `my cat is called Miso` is `cat`: `Miso`."""

import re

from oneclaw_smollm2.call import Ruled

_REMEMBER = re.compile(
    r"(?:remember|memori[sz]e|learn|keep in mind|don't forget|do not forget|never forget)"
    r"(?:\s+(?:this|that|the following))?\s*:?\s+(?:that\s+|how\s+)?(?P<fact>.+)",
    re.IGNORECASE | re.DOTALL,
)
_IS = re.compile(
    r"(?:my|our|the|his|her|their)\s+(?P<key>[\w' -]{2,40}?)\s+(?:is|are|was|=)(?:\s+(?:called"
    r"|named))?\s+(?P<value>.+)",
    re.IGNORECASE | re.DOTALL,
)
_LEAD = re.compile(r"\A(?:i'm|i am|i have|i've|i|we are|we|to|about|my|our|the)\s+", re.IGNORECASE)
_NO_FACT = re.compile(
    r"(?:it|that|this|me|something|anything|my \w+|everything|all)(?:\s+\S+)?[.?!]*"
    r"|(?:what|who|when|where|which|how|to|about)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_KEY_WORDS = 4


def read_fact(request: str) -> Ruled | None:
    """The call that remembers the fact of a request; None where it tells none, or asks for one."""
    found = _REMEMBER.fullmatch(request.strip())
    if found is None or request.rstrip().endswith("?") or _NO_FACT.fullmatch(found["fact"].strip()):
        return None
    fact = found["fact"].strip().rstrip(".!")
    parts = _IS.fullmatch(fact)
    if parts is not None:
        return Ruled(
            "memory_store", "remember", {"key": parts["key"].strip(), "value": parts["value"].strip()}
        )
    key = " ".join(_LEAD.sub("", fact, count=1).split()[:_KEY_WORDS]).rstrip(",;:")
    return Ruled("memory_store", "remember", {"key": key, "value": fact})
