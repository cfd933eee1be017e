"""Names of MCP tools: `server_tool`, unique, at most 64 characters, the same after a restart."""

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping

from oneclaw.core.define.naming import fit_name
from oneclaw.core.tool import NAME

_LONGEST = 64
_DIGEST_CHARS = 6


def name_tools(
    prefix: str, raw_names: Collection[str], kept: Mapping[str, str], taken: Collection[str] = ()
) -> dict[str, str]:
    """Our names by the server's names.

    `kept` are names that were given before: they stay. A name that another tool has, or that does not fit,
    ends with a hash of the server's name for the tool, so that the order of the tools decides nothing.
    """
    names = {raw: kept[raw] for raw in raw_names if raw in kept}
    used = {*taken, *kept.values()}
    plain = {raw: fit_name(f"{prefix}_{raw}") for raw in raw_names if raw not in names}
    counted = Counter(plain.values())
    for raw, name in plain.items():
        is_exact = name == f"{prefix}_{raw}"
        if (counted[name] > 1 and not is_exact) or name in used or not NAME.match(name):
            name = _hashed(prefix, raw, name)
        names[raw] = name
        used.add(name)
    return names


def _hashed(prefix: str, raw: str, name: str) -> str:
    digest = hashlib.sha256(f"{prefix}\0{raw}".encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_CHARS]
    return f"{name[: _LONGEST - 1 - _DIGEST_CHARS].rstrip('_')}_{digest}"
