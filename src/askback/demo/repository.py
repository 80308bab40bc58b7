"""The commands that put a new project under version control.

They work on a machine where git was never set up, and nothing of a machine where it was runs along: no template,
no hook, no signing.
"""

from __future__ import annotations

from askback.demo.command import Command
from askback.demo.project.plan import Plan

_ALONE = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")
_AUTHOR = (
    "-c",
    "user.name=Scaffolder",
    "-c",
    "user.email=scaffolder@localhost",
    "-c",
    "commit.gpgsign=false",
)


def commands(plan: Plan) -> tuple[Command, ...]:
    """Return the commands in their order; each needs the one before it."""
    return (
        Command(
            step="git-init",
            name="git init",
            argv=("git", "init", "--quiet", "--template=", "--initial-branch=main"),
            title="Make the folder a git repository",
            reason="Then each change that comes later can be seen, and taken back.",
        ),
        Command(
            step="git-add",
            name="git add",
            argv=("git", *_ALONE, "add", "--all"),
            title="Put the files into it",
            reason="The first commit is made of them.",
        ),
        Command(
            step="git-commit",
            name="git commit",
            argv=("git", *_ALONE, *_AUTHOR, "commit", "--quiet", "--message", f"Begin {plan.name}"),
            title="Make the first commit",
            reason="It is what later changes are compared with. It stays on this machine.",
        ),
    )
