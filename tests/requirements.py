"""Tie a test to the rows of the requirements table that it proves."""

from __future__ import annotations

import pytest


def requirement(*ids: str) -> pytest.MarkDecorator:
    """Mark a test with the requirement ids that it proves, such as `@requirement("A4")`.

    `tests/structure/test_requirements.py` checks that every asked id has a test and every id is known.
    """
    return pytest.mark.requirement(*ids)
