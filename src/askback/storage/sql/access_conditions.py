"""Conditions in SQL that read a thread's access as `domain.access` does.

Each is about a row of `threads` called `t`, which may be absent (a LEFT JOIN): then nobody has shared the thread.
`access` is NULL for one that nobody has shared. A level in `people` is never `none`. Each takes the parameter that is
the person.
"""

from __future__ import annotations


def may_view(person: str) -> str:
    """Return the condition that a person may view the thread."""
    return f"""(t.access IS NULL OR t.access::json ->> 'others' <> 'none' OR t.access::json ->> 'owner' = {person}
    OR t.access::json -> 'people' ->> {person} IS NOT NULL)"""


def may_do_all(person: str) -> str:
    """Return the condition that a person may do all in the thread."""
    return f"""(t.access IS NULL OR t.access::json ->> 'owner' = {person}
    OR coalesce(t.access::json -> 'people' ->> {person}, t.access::json ->> 'others') = 'all')"""
