"""The client. Agents and programs use it to ask, wait, answer and follow."""

from askback.client.ambient import ask_context
from askback.client.approvals import ToolCall
from askback.client.async_client import AsyncClient
from askback.client.conversation import MessageStream
from askback.client.discovery import NoServer
from askback.client.forms import Outcome, Validator
from askback.client.gate import requires_approval
from askback.client.handlers import ResumeHandler, on_resume
from askback.client.hooks import Hook
from askback.client.lease import Lease, LeaseEnded
from askback.client.probing import Probe
from askback.client.resources.base import Page
from askback.client.resources.batches import BatchResult
from askback.client.resources.policy import AuditPage
from askback.client.resources.webhooks import verify_webhook
from askback.client.secrets_result import SecretsResult
from askback.client.sync_client import Client
from askback.client.transport_app import AppFailed
from askback.compat.translation import NoFormFor
from askback.domain.policy.settings import PolicySettings
from askback.domain.verdict import Accept, AskAgain, Verdict
from askback.wire.admin_replies import (
    AgentRecord,
    BrowserSession,
    CurrentSession,
    NewToken,
    Root,
    Rotation,
    StoredSecret,
    Token,
)
from askback.wire.events import Answering
from askback.wire.file_replies import UploadedFile
from askback.wire.policy_replies import Rule
from askback.wire.replies import (
    Attempt,
    Delivery,
    Execution,
    FileValue,
    NewWebhook,
    Resume,
    Run,
    Thread,
    ThreadAccess,
    Webhook,
)

__all__ = [
    "Accept",
    "AgentRecord",
    "Answering",
    "AppFailed",
    "AskAgain",
    "AsyncClient",
    "Attempt",
    "AuditPage",
    "BatchResult",
    "BrowserSession",
    "Client",
    "CurrentSession",
    "Delivery",
    "Execution",
    "FileValue",
    "Hook",
    "Lease",
    "LeaseEnded",
    "MessageStream",
    "NewToken",
    "NewWebhook",
    "NoFormFor",
    "NoServer",
    "Outcome",
    "Page",
    "PolicySettings",
    "Probe",
    "Resume",
    "ResumeHandler",
    "Root",
    "Rotation",
    "Rule",
    "Run",
    "SecretsResult",
    "StoredSecret",
    "Thread",
    "ThreadAccess",
    "Token",
    "ToolCall",
    "UploadedFile",
    "Validator",
    "Verdict",
    "Webhook",
    "ask_context",
    "on_resume",
    "requires_approval",
    "verify_webhook",
]
