"""The contracts of `Store` as tests: subclass `StoreContracts` and implement `make_store`.

    class TestMyStore(StoreContracts, DurableContracts):
        def make_store(self, place, *, on_commit=None):
            return MyStore(place / "data", on_commit=on_commit)

        def outage(self, store, place):
            return a_context_in_which_nothing_can_be_written()

A test named `test_c4_…` checks contract 4: those to 12 and 27 are in `askback.ports.store`, 13 to 15 in
`askback.ports.secret_store`, 16 and 17 in `askback.ports.resumes`, 18 to 20 in `askback.ports.webhooks`, 21 and 22 in
`askback.ports.agents`, the others in
`askback.ports.threads`, with a suite of their own: `tests.contracts.threads.ThreadContracts`. `DurableContracts`
is for stores that keep their data when they are closed.
"""

from __future__ import annotations

from tests.contracts.access import AccessContracts
from tests.contracts.agents import AgentContracts
from tests.contracts.answer_messages import AnswerMessageContracts
from tests.contracts.approvals import ApprovalContracts
from tests.contracts.audit import AuditContracts
from tests.contracts.candidates import CandidateContracts
from tests.contracts.conversations import ConversationContracts
from tests.contracts.durability import DurableContracts
from tests.contracts.health import HealthContracts
from tests.contracts.inbox import InboxContracts
from tests.contracts.labels import LabelContracts
from tests.contracts.oauth import OauthContracts
from tests.contracts.people import PeopleContracts
from tests.contracts.policy import PolicyContracts
from tests.contracts.question_counts import QuestionCountContracts
from tests.contracts.reads import ReadContracts
from tests.contracts.resumes import ResumeContracts
from tests.contracts.runs import RunContracts
from tests.contracts.secrets import SecretContracts
from tests.contracts.sharing import SharingContracts
from tests.contracts.thread_agents import ThreadAgentContracts
from tests.contracts.thread_lists import ThreadListContracts
from tests.contracts.webhooks import WebhookContracts
from tests.contracts.writes import WriteContracts

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
    ConversationContracts,
    OauthContracts,
    PeopleContracts,
    ResumeContracts,
    WebhookContracts,
    HealthContracts,
    InboxContracts,
    LabelContracts,
    AnswerMessageContracts,
    QuestionCountContracts,
    RunContracts,
    SharingContracts,
    ThreadAgentContracts,
    ThreadListContracts,
):
    """The contracts of the ports of the store, without durability."""
