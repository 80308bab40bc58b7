"""askback: the human-input layer for AI agents. The names below are the public ones."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from askback.client import (
        Accept,
        Answering,
        AskAgain,
        AsyncClient,
        AuditPage,
        BatchResult,
        Client,
        Execution,
        Hook,
        Lease,
        LeaseEnded,
        NoFormFor,
        NoServer,
        Page,
        PolicySettings,
        Probe,
        Resume,
        ResumeHandler,
        Rotation,
        Rule,
        Run,
        SecretsResult,
        StoredSecret,
        Thread,
        ThreadAccess,
        ToolCall,
        Validator,
        Verdict,
        ask_context,
        on_resume,
        requires_approval,
        verify_webhook,
    )
    from askback.domain.action import ActionAsk
    from askback.domain.approval import Approval, Risk
    from askback.domain.condition import Condition
    from askback.domain.decision import Decision
    from askback.domain.fields import (
        Boolean,
        Checkbox,
        CompletedView,
        Date,
        Datetime,
        File,
        Form,
        Multiselect,
        Number,
        Radio,
        Row,
        Rows,
        Section,
        Select,
        Text,
        Textarea,
        Time,
    )
    from askback.domain.options import Option, OptionsFrom
    from askback.domain.redaction import Redactor, redact
    from askback.domain.request import Agent, Answer, InputRequest
    from askback.domain.secrets.request import SecretAsk, SecretHelp
    from askback.domain.secrets.secret import Secret
    from askback.errors import (
        AskbackError,
        BadSignature,
        Cancelled,
        Conflict,
        ConnectionLost,
        Declined,
        Denied,
        Expired,
        Forbidden,
        ForkedClient,
        Gone,
        Invalid,
        NotAnswered,
        NotFound,
        RateLimited,
        Refused,
        TooLarge,
        Unauthorized,
        Unavailable,
    )

__all__ = [
    "Accept",
    "ActionAsk",
    "Agent",
    "Answer",
    "Answering",
    "Approval",
    "AskAgain",
    "AskbackError",
    "AsyncClient",
    "AuditPage",
    "BadSignature",
    "BatchResult",
    "Boolean",
    "Cancelled",
    "Checkbox",
    "Client",
    "CompletedView",
    "Condition",
    "Conflict",
    "ConnectionLost",
    "Date",
    "Datetime",
    "Decision",
    "Declined",
    "Denied",
    "Execution",
    "Expired",
    "File",
    "Forbidden",
    "ForkedClient",
    "Form",
    "Gone",
    "Hook",
    "InputRequest",
    "Invalid",
    "Lease",
    "LeaseEnded",
    "Multiselect",
    "NoFormFor",
    "NoServer",
    "NotAnswered",
    "NotFound",
    "Number",
    "Option",
    "OptionsFrom",
    "Page",
    "PolicySettings",
    "Probe",
    "Radio",
    "RateLimited",
    "Redactor",
    "Refused",
    "Resume",
    "ResumeHandler",
    "Risk",
    "Rotation",
    "Row",
    "Rows",
    "Rule",
    "Run",
    "Secret",
    "SecretAsk",
    "SecretHelp",
    "SecretsResult",
    "Section",
    "Select",
    "StoredSecret",
    "Text",
    "Textarea",
    "Thread",
    "ThreadAccess",
    "Time",
    "TooLarge",
    "ToolCall",
    "Unauthorized",
    "Unavailable",
    "Validator",
    "Verdict",
    "ask_context",
    "on_resume",
    "redact",
    "requires_approval",
    "verify_webhook",
]

_MODULES = {
    "askback.domain.action": ("ActionAsk",),
    "askback.domain.approval": ("Approval", "Risk"),
    "askback.domain.condition": ("Condition",),
    "askback.domain.decision": ("Decision",),
    "askback.domain.fields": (
        "Boolean",
        "Checkbox",
        "CompletedView",
        "Date",
        "Datetime",
        "File",
        "Form",
        "Multiselect",
        "Number",
        "Radio",
        "Row",
        "Rows",
        "Section",
        "Select",
        "Text",
        "Textarea",
        "Time",
    ),
    "askback.domain.options": ("Option", "OptionsFrom"),
    "askback.domain.redaction": ("Redactor", "redact"),
    "askback.domain.request": ("Agent", "Answer", "InputRequest"),
    "askback.domain.secrets.request": ("SecretAsk", "SecretHelp"),
    "askback.domain.secrets.secret": ("Secret",),
    "askback.errors": (
        "AskbackError",
        "BadSignature",
        "Cancelled",
        "Conflict",
        "ConnectionLost",
        "Declined",
        "Denied",
        "Expired",
        "Forbidden",
        "ForkedClient",
        "Gone",
        "Invalid",
        "NotAnswered",
        "NotFound",
        "RateLimited",
        "Refused",
        "TooLarge",
        "Unauthorized",
        "Unavailable",
    ),
}
"""Where the public names are that are not in `askback.client`."""


def _load(name: str) -> object:
    """Import a public name when it is first used: the server and most commands never load the client."""
    if name not in __all__:
        raise AttributeError(f"module 'askback' has no attribute {name!r}")
    module = next((module for module, names in _MODULES.items() if name in names), "askback.client")
    globals()[name] = found = getattr(import_module(module), name)
    return found


def __dir__() -> list[str]:
    return [*globals(), *__all__]


if not TYPE_CHECKING:  # a type checker that saw it would accept any name
    __getattr__ = _load
