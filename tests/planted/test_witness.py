"""Each fault planted in a watched server is found by the invariant that it breaks."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from tests.fault.test_witness import BREAKS, find

pytestmark = [pytest.mark.anyio, pytest.mark.fault]


@pytest.mark.parametrize("fault", BREAKS)
async def test_a_planted_fault_is_found(tmp_path: Path, fault: str) -> None:
    with anyio.fail_after(500):
        assert set(BREAKS[fault]) & await find(tmp_path, fault)
