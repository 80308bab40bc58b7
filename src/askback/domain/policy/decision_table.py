"""The table of levels and ask modes, for calls that no hard limit and no deny or ask rule has decided.

*listed*: an allow rule covers the whole call. *dangerous*: something about it is a known danger. A prefix rule never
covers a dangerous command, so *listed and dangerous* means that a rule names exactly this call.

    level      ask mode   listed       listed and     neither      dangerous
                          only         dangerous                   only
    deny       any        deny         deny           deny         deny
    allowlist  off        allow        deny           deny         deny
    allowlist  on-miss    allow        allow          ask          ask
    allowlist  always     ask          ask            ask          ask
    full       off        allow        deny           allow        deny
    full       on-miss    allow        allow          allow        ask
    full       always     ask          ask            ask          ask

Why: `deny` denies listed calls too. `off` asks nobody: calls that need approval are denied, and dangerous ones never
run unseen. `on-miss` asks for calls that no rule allows. `always` asks even if a rule allows the call.

`nebo` behaves as Nebo does, for users who come from it: `deny` asks for everything, `full` and `off` allow everything,
dangerous calls too. Hard limits and deny rules apply in both.
"""

from __future__ import annotations

from typing import Literal

PolicyDecision = Literal["allow", "ask", "deny"]
PolicyLevel = Literal["deny", "allowlist", "full"]
AskMode = Literal["off", "on-miss", "always"]
PolicyTable = Literal["askback", "nebo"]

LEVELS: tuple[PolicyLevel, ...] = ("deny", "allowlist", "full")
ASK_MODES: tuple[AskMode, ...] = ("off", "on-miss", "always")
TABLES: tuple[PolicyTable, ...] = ("askback", "nebo")


def table_decision(
    level: PolicyLevel, ask: AskMode, *, listed: bool, dangerous: bool, table: PolicyTable = "askback"
) -> PolicyDecision:
    """Look up the decision for one cell of the table."""
    if table == "nebo":
        return _nebo(level, ask, listed=listed)
    if level == "deny":
        return "deny"
    if ask == "always":
        return "ask"
    is_trusted = listed or level == "full"
    if ask == "off":
        return "allow" if is_trusted and not dangerous else "deny"
    return "allow" if listed or (is_trusted and not dangerous) else "ask"


def asks_nobody(ask: AskMode, table: PolicyTable) -> bool:
    """Return whether calls that need an answer are denied because nobody is asked."""
    return ask == "off" and table == "askback"


def allows_everything(level: PolicyLevel, ask: AskMode, table: PolicyTable) -> bool:
    """Return whether calls without a matching rule run without asking."""
    return level == "full" or (table == "nebo" and level == "allowlist" and ask == "off")


def _nebo(level: PolicyLevel, ask: AskMode, *, listed: bool) -> PolicyDecision:
    if level == "deny":
        return "ask"
    if level == "full" or ask == "off":
        return "allow"
    return "allow" if listed and ask == "on-miss" else "ask"
