"""The server's additions for display: Markdown as a tree, patterns and languages."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class RichNode(BaseModel):
    """An element of a Markdown tree.

    `href` is the address of an `a`, `language` that of a `pre`, `start` the first number of an `ol` unless it is 1.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    type: Literal[
        "p",
        "em",
        "strong",
        "code",
        "pre",
        "blockquote",
        "ul",
        "ol",
        "li",
        "br",
        "a",
        "table",
        "tr",
        "th",
        "td",
    ]
    children: list[Rich] | None = None
    href: str | None = None
    language: str | None = None
    start: int | None = None


Rich = str | RichNode
"""A node of a Markdown tree: a plain string is text, and never anything else."""


class RequestView(BaseModel):
    """The server's additions for display: `patterns` by field id, `markdown` by the path of the text.

    The path of a text in several languages ends with the language; `languages` are those of all texts. A pattern is
    JavaScript (flag `u`) that is safe to run, or null if only the server can check the value.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    patterns: dict[str, str | None] = Field(default_factory=dict)
    markdown: dict[str, list[Rich]] = Field(default_factory=dict)
    languages: list[str] = Field(default_factory=list)
    messages: bool = False
    """Whether a field has its own messages."""
