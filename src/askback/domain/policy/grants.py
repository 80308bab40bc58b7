"""The folder that a person may grant on a card: the one whose grant would let the call run unasked."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import replace

from askback.domain.policy import operands, read_tools
from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Policy, decide
from askback.domain.policy.reach import Reach, normal
from askback.domain.policy.searches import plain_file


def grantable(call: Call, policy: Policy) -> str | None:
    """Return a folder that is no root yet, and with which as a root the policy would allow the call; None without one.

    Never a home folder, a hidden one, or one above a root or above askback's own data.
    """
    reach = policy.reach(call)
    for folder in dict.fromkeys(_candidates(call, reach)):
        granted = replace(policy, roots=(*policy.roots, folder))
        if reach.named(folder) and decide(call, granted).decision == "allow":
            return folder
    return None


def _candidates(call: Call, reach: Reach) -> Iterator[str]:
    if reach.folder is not None and reach.folder.startswith("/"):
        yield normal(reach.folder)
    for path in _paths(call):
        found = reach.resolve(path)
        if found is not None and found.startswith("/"):
            yield posixpath.dirname(found) if plain_file(found) else found


def _paths(call: Call) -> Iterator[str]:
    if call.shell and call.reading is not None:
        for argv in call.reading.commands:
            yield from operands.files(argv)
    elif call.edits:
        yield from (call.path,) if call.path else ()
    else:
        yield from read_tools.folders(call.input)
