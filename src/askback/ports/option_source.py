"""A source of options for fields with `options_from`.

    def repositories(query):
        return query.page(["api", "web", "docs"])

    def files(query):
        if query.values is not None:
            return [entry(path) for path in query.values if is_file(path)]
        return [entry(path) for path in matches(query.parent or "/", query.q)]

A source is called for each search, and with `values` for each answer: values that it does not return are
refused. It has to check `values`, `parent` and `q` like any other input, since people send them.
"""

from __future__ import annotations

from typing import Protocol

from askback.domain.sources import OptionQuery


class OptionSource(Protocol):
    """Searches options. After an exception or a timeout nothing is answered, and the person may try again."""

    async def __call__(self, query: OptionQuery, /) -> object:
        """Return an `OptionReply`. The server validates the reply, so an invalid one is an error."""
        ...
