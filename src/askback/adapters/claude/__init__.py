"""Claude Agent SDK: a person answers Claude's questions and approves its tool calls.

    options = with_askback(ClaudeAgentOptions(cwd=project), ask)
    async with ClaudeSDKClient(options) as claude: ...

`with_askback` has the details, `continue_session` continues a session that ended while it waited for a person, and
`Lifecycle` prepares a session. Extra: `askback[claude]`.
"""

from __future__ import annotations

from askback.adapters.claude.durable import NotOfClaude, continue_session
from askback.adapters.claude.lifecycle import Lifecycle
from askback.adapters.claude.options import UnusableOptions, with_askback
from askback.adapters.claude.steps import (
    CallFunction,
    InjectContext,
    LifecycleError,
    SetVariable,
    StepContext,
)

__all__ = [
    "CallFunction",
    "InjectContext",
    "Lifecycle",
    "LifecycleError",
    "NotOfClaude",
    "SetVariable",
    "StepContext",
    "UnusableOptions",
    "continue_session",
    "with_askback",
]
