"""The sentences that an agent sets for its own model."""

from __future__ import annotations

from askback.domain.model import Model


class AskTexts(Model):
    """Sentences for a model in place of the usual ones: for an answer, and for any decline.

    In `answered`, `{labels}` stands for the labels of the chosen options, and `{answers}` for all answers.
    """

    answered: str | None = None
    declined: str | None = None
