"""The table of levels and ask modes: what happens to a call that no limit and no deny or ask rule has decided.

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

Why: `deny` means no, also for what is listed. `off` means that nobody is asked, so what would be asked is denied, and
what is dangerous never runs unseen. `on-miss` asks for what nobody has allowed. `always` trusts no rule to allow.

`nebo` behaves as Nebo does, for those who move from it: `deny` asks for everything, `full` and `off` allow everything,
also what is dangerous. Hard limits and deny rules hold in both.
"""

from __future__ import annotations

from typing import Literal

Verdict = Literal["allow", "ask", "deny"]
Level = Literal["deny", "allowlist", "full"]
AskMode = Literal["off", "on-miss", "always"]
Compat = Literal["nebo"]

LEVELS: tuple[Level, ...] = ("deny", "allowlist", "full")
ASK_MODES: tuple[AskMode, ...] = ("off", "on-miss", "always")


def verdict(
    level: Level, ask: AskMode, *, listed: bool, dangerous: bool, compat: Compat | None = None
) -> Verdict:
    """Look up one cell."""
    if compat == "nebo":
        return _nebo(level, ask, listed=listed)
    if level == "deny":
        return "deny"
    if ask == "always":
        return "ask"
    known = listed or level == "full"
    if ask == "off":
        return "allow" if known and not dangerous else "deny"
    return "allow" if listed or (known and not dangerous) else "ask"


def unanswerable(ask: AskMode, compat: Compat | None) -> bool:
    """Tell whether nobody may be asked, so that what has to be asked is denied."""
    return ask == "off" and compat is None


def _nebo(level: Level, ask: AskMode, *, listed: bool) -> Verdict:
    if level == "deny":
        return "ask"
    if level == "full" or ask == "off":
        return "allow"
    return "allow" if listed and ask == "on-miss" else "ask"
