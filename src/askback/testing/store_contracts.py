"""What every `Store` must keep, as tests: subclass `StoreContracts` and say how to make a store.

    class TestMyStore(StoreContracts, DurableContracts):
        def make_store(self, place, *, on_commit=None):
            return MyStore(place / "data", on_commit=on_commit)

        def outage(self, store, place):
            return a_context_in_which_nothing_can_be_written()

A test named `test_c4_…` holds contract 4: those to 12 are in `askback.ports.store`, 13 to 15 in
`askback.ports.secret_store`, 16 and 17 in `askback.ports.resumes`, 18 to 20 in `askback.ports.webhooks`, 21 and 22 in
`askback.ports.agents`, the others in
`askback.ports.threads`, with a suite of their own: `askback.testing.store_threads.ThreadContracts`. `DurableContracts`
is for stores that keep their data when they are closed.
"""

from __future__ import annotations

from askback.testing.store_access import AccessContracts
from askback.testing.store_agents import AgentContracts
from askback.testing.store_approvals import ApprovalContracts
from askback.testing.store_audit import AuditContracts
from askback.testing.store_candidates import CandidateContracts
from askback.testing.store_durability import DurableContracts
from askback.testing.store_health import HealthContracts
from askback.testing.store_policy import PolicyContracts
from askback.testing.store_reads import ReadContracts
from askback.testing.store_resumes import ResumeContracts
from askback.testing.store_secrets import SecretContracts
from askback.testing.store_sharing import SharingContracts
from askback.testing.store_thread_agents import ThreadAgentContracts
from askback.testing.store_webhooks import WebhookContracts
from askback.testing.store_writes import WriteContracts

__all__ = ["DurableContracts", "StoreContracts"]


class StoreContracts(
    WriteContracts,
    ReadContracts,
    AccessContracts,
    AgentContracts,
    ApprovalContracts,
    PolicyContracts,
    AuditContracts,
    SecretContracts,
    CandidateContracts,
    ResumeContracts,
    WebhookContracts,
    HealthContracts,
    SharingContracts,
    ThreadAgentContracts,
):
    """The contracts of the ports of the store, without durability."""
