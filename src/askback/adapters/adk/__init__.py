"""Google ADK: a person answers the pauses of a run, and the run continues.

    runner = AskbackRunner(Runner(…), ask)
    async for event in runner.run_async(user_id="u", session_id="s", new_message=message): ...

`park` and `resume_async` of the runner do the same without a process that waits.
"""

from askback.adapters.adk.calls import ask_user, request_approval, request_env_vars
from askback.adapters.adk.runner import AskbackRunner, mirror

__all__ = [
    "AskbackRunner",
    "ask_user",
    "mirror",
    "request_approval",
    "request_env_vars",
]
