"""Conditions in SQL that read a thread's access as `domain.access` does.

Each is about a row of `threads` called `t`, which may be absent (a LEFT JOIN): then nobody has shared the thread.
`access` is NULL for one that nobody has shared. A level in `people` is never `none`. Each takes the person twice.
"""

from __future__ import annotations

MAY_VIEW = """(t.access IS NULL OR json_extract(t.access, '$.others') <> 'none'
    OR json_extract(t.access, '$.owner') = ?
    OR EXISTS (SELECT 1 FROM json_each(t.access, '$.people') AS p WHERE p.key = ?))"""

MAY_DO_ALL = """(t.access IS NULL OR json_extract(t.access, '$.owner') = ?
    OR coalesce((SELECT p.value FROM json_each(t.access, '$.people') AS p WHERE p.key = ?),
                json_extract(t.access, '$.others')) = 'all')"""
