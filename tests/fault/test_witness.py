"""Watched over all interfaces, a correct server has no faults, and a planted fault is found."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from tests.fault import caller, planted, planted_streams, planted_writes, scenarios, witness
from tests.fault.ledger import Ledger
from tests.requirements import requirement

BREAKS = {
    fault: broken.split()
    for fault, broken in (planted_streams.INVARIANTS_BY_FAULT | planted_writes.INVARIANTS_BY_FAULT).items()
}
SAMPLE = ("two answers win", "a webhook twice", "an approved call twice")
"""The faults that `make test-long` plants: one in the replies, one in the deliveries, one in the uses. `tests/planted` has all."""
SHORT = (
    scenarios.messages,
    scenarios.answer_twice_at_once,
    scenarios.reject_first_answer,
    scenarios.refusals,
)
"""Talks without waiting."""
SCENARIOS: dict[str, tuple[scenarios.ScenarioSteps, ...]] = {
    "I2": (scenarios.reject_first_answer, scenarios.secrets),
    "I3": (scenarios.answer_twice_at_once,),
    "I4": (scenarios.deadlines,),
    "I5": (scenarios.close_after_outcome,),
    "I6": (scenarios.deadlines,),
    "I7": (scenarios.kill_checking_agent,),
    "I9": (scenarios.resumes, scenarios.close_after_outcome),
    "I10": SHORT,
    "I11": SHORT,
    "I12": SHORT,
    "I13": (scenarios.approvals, scenarios.secrets),
    "I14": (scenarios.messages,),
    "I15": (scenarios.approvals,),
    "I16": (scenarios.refusals,),
    "I17": (scenarios.tokens,),
}
"""The scenarios that must detect a fault of an invariant: a server with all faults has each of them."""

PATIENCES_S = (3, 60)
"""On a busy machine a short wait would miss something else first."""

pytestmark = [pytest.mark.anyio, pytest.mark.fault]


def test_every_planted_fault_replaces_existing_code():
    missing_faults = [
        fault for fault, (place, name, _) in planted.places().items() if not hasattr(place, name)
    ]
    assert missing_faults == []


@requirement("H1", "H4", "H5", "H8")
async def test_a_server_without_a_fault_keeps_all_that_is_watched(tmp_path: Path) -> None:
    with anyio.fail_after(500):
        assert await witness.run_conversation(tmp_path, patience_s=120) == []


async def find(folder: Path, fault: str) -> set[str]:
    """Plant a fault in a server, watch it, and return the invariants that it broke."""
    found: set[str] = set()
    for patience_s in PATIENCES_S:
        site_folder = folder / str(patience_s)
        site_folder.mkdir()
        faults = await witness.run_conversation(
            site_folder, fault=fault, patience_s=patience_s, scenarios=SCENARIOS[BREAKS[fault][0]]
        )
        found = {fault.partition(" ")[0] for fault in faults}
        if found & set(BREAKS[fault]):
            break
    return found


@pytest.mark.parametrize("fault", SAMPLE)
async def test_a_planted_fault_is_found(tmp_path: Path, fault: str) -> None:
    with anyio.fail_after(500):
        assert set(BREAKS[fault]) & await find(tmp_path, fault)


async def test_a_call_has_to_be_answered_once_the_trouble_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caller, "ANSWERS_WITHIN_S", 0.05)
    ledger = Ledger(tmp_path)
    nobody = caller.Caller(["http://127.0.0.1:1"], ledger)
    with ledger.trouble(), anyio.move_on_after(0.2) as waited:
        await nobody.send("token", "GET", "/healthz")
    assert (waited.cancelled_caught, ledger.faults) == (True, [])
    with pytest.raises(caller.Found):
        await nobody.send("token", "GET", "/healthz")
    assert [fault.partition(" ")[0] for fault in ledger.faults] == ["I5"]
    await nobody.close()
