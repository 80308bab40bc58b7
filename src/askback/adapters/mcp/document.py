"""The document of the view, made of the built page: a host shows it without an address, so it holds its script."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_SCRIPT = re.compile(r'<script type="module" crossorigin src="/static/assets/([\w.-]+)"></script>')


@cache
def view_document() -> str:
    """Return the HTML. Raises `OSError` if the pages are not built."""
    built = files("askback") / "static"

    def inline(match: re.Match[str]) -> str:
        code = (built / "assets" / match[1]).read_text("utf-8").replace("</script", r"<\/script")
        return f'<script type="module">{code}</script>'

    return _SCRIPT.sub(inline, (built / "mcp.html").read_text("utf-8"))
