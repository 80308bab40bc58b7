"""The report of a translation of a form: problems, which stop it, and losses, which it lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from askback.domain.faults import join
from askback.domain.fields import AnyField, Form

Steps = tuple[str | int, ...]
"""A place in a document: keys and indexes."""


class Loss(NamedTuple):
    """Something that the other format does not express: its place, and a sentence."""

    path: str
    reason: str


class Problem(NamedTuple):
    """Something that stops a translation: its place, and a sentence."""

    steps: Steps
    reason: str

    @property
    def path(self) -> str:
        """The place as a text, such as `properties.tags.items`."""
        return path_of(self.steps)


class NotExpressible(TypeError):
    """A form or a schema cannot be translated; `problems` has every place and its reason."""

    def __init__(self, problems: Sequence[Problem], *, name: str = "") -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(_sentence(problem, name) for problem in self.problems))


class NoFormFor(NotExpressible):
    """A schema or a model has a part that a form cannot ask for; the message names each part and the reason."""


def _sentence(problem: Problem, name: str) -> str:
    path = path_of((name, *problem.steps) if name else problem.steps)
    return f"{path}: {problem.reason}" if path else problem.reason


def path_of(steps: Iterable[str | int]) -> str:
    """Return a place as a text."""
    path = ""
    for step in steps:
        path = join(path, step)
    return path


def language_losses(form: Form) -> Iterator[Loss]:
    """Yield the loss of languages, for formats that have one language for each text."""
    if any(isinstance(text, dict) for text in form.texts):
        yield Loss(
            "", "Texts in several languages are written in that of `locale`, else in English or the first."
        )


_MISSING_NAMES = {"file": "files", "rows": "rows to decide"}


def missing_part(field: AnyField) -> str | None:
    """Return the feature of a field that a protocol with only fixed choices lacks, None if it lacks nothing."""
    if getattr(field, "options_from", None) is not None:
        return "options from a server"
    return _MISSING_NAMES.get(field.type)


def words(name: str) -> str:
    """Return a label for a name: `first_name` and `FirstName` become `First name`."""
    words_text = "".join(f" {c}" if c.isupper() else c for c in name).replace("_", " ").strip()
    return words_text[:1].upper() + words_text[1:].lower() or name
