"""The sentences that an asker chooses for its own model."""

from __future__ import annotations

from askback.domain.model import Model


class AskTexts(Model):
    """Sentences for a model in place of the usual ones: for an answer, and for any decline.

    In `answered`, `{labels}` is what the person chose, as it was labelled, and `{answers}` all answers.
    """

    answered: str | None = None
    declined: str | None = None
