"""The client. Agents and programs use it to ask, wait, answer and follow."""

from askback.client.async_client import AsyncClient
from askback.client.channel_app import AppFailed
from askback.client.discovery import NoServer
from askback.client.gate import requires_approval
from askback.client.given import Secrets
from askback.client.handlers import ResumeHandler, on_resume
from askback.client.hooks import Hook
from askback.client.lease import Lease, LeaseEnded
from askback.client.modelform import NoFormFor
from askback.client.probing import Probe
from askback.client.receiving import verify_webhook
from askback.client.records import (
    AuditPage,
    Execution,
    KeptPage,
    KeptSecret,
    Rotation,
    Rule,
    RulePage,
    ThreadAccess,
)
from askback.client.results import BatchResult, Outcome, Page
from askback.client.resumes import Resume
from askback.client.streaming import MessageStream
from askback.client.surroundings import asking
from askback.client.sync_client import Client
from askback.client.validating import AskAgain, Validator, Verdict
from askback.client.webhooks import Attempt, Delivery, DeliveryPage, NewWebhook, Webhook
from askback.domain.policy.preferences import PolicySettings

__all__ = [
    "AppFailed",
    "AskAgain",
    "AsyncClient",
    "Attempt",
    "AuditPage",
    "BatchResult",
    "Client",
    "Delivery",
    "DeliveryPage",
    "Execution",
    "Hook",
    "KeptPage",
    "KeptSecret",
    "Lease",
    "LeaseEnded",
    "MessageStream",
    "NewWebhook",
    "NoFormFor",
    "NoServer",
    "Outcome",
    "Page",
    "PolicySettings",
    "Probe",
    "Resume",
    "ResumeHandler",
    "Rotation",
    "Rule",
    "RulePage",
    "Secrets",
    "ThreadAccess",
    "Validator",
    "Verdict",
    "Webhook",
    "asking",
    "on_resume",
    "requires_approval",
    "verify_webhook",
]
