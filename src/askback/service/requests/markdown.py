"""Parse texts of a conversation as Markdown, for pages that draw them."""

from __future__ import annotations

from collections.abc import Sequence

from anyio import to_thread

from askback.domain.build_view import MARKDOWN_CHARACTERS
from askback.domain.faults import Faults, fault
from askback.domain.markdown import Node, markdown_tree
from askback.domain.validation.structure import parse
from askback.ports.store import Principal
from askback.service.access import roles
from askback.service.context import Services
from askback.wire.inbox import MarkdownBody

MAX_TEXTS = 100
QUICK = 2_000
"""Up to this many characters are parsed immediately; more are parsed in a thread."""


async def render_markdown(ctx: Services, principal: Principal, body: object) -> Sequence[list[Node] | None]:
    """Return the tree of each text, in order; None for a text that is shown unchanged.

    These are texts without markup, and all texts beyond the number of characters for one call. Raises `Faults`.
    """
    await roles.require(ctx, principal, "render_markdown")
    texts = parse(MarkdownBody, body).texts
    if len(texts) > MAX_TEXTS:
        raise Faults([fault("texts", "too_many", max=MAX_TEXTS)])
    if sum(map(len, texts)) > QUICK:
        return await to_thread.run_sync(_trees, texts)
    return _trees(texts)


def _trees(texts: Sequence[str]) -> Sequence[list[Node] | None]:
    budget = MARKDOWN_CHARACTERS
    trees: list[list[Node] | None] = []
    for text in texts:
        budget -= len(text)
        trees.append(markdown_tree(text) if budget >= 0 else None)
    return trees
