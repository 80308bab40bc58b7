"""Memory of what the policy allowed in the last seconds."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

from askback.domain.canonicaljson import NotCanonical

if TYPE_CHECKING:  # the engine is imported at the first decision (ADR 107)
    from askback.domain.policy.calls import Call
    from askback.domain.policy.engine import Policy, PolicyResult

MAX_DECISIONS = 256


class RecentDecisions:
    """The newest calls that the policy allowed, each with that policy.

    A call is decided when it is asked about and again when it is used, mostly by the same rules. The rules are read
    from the store both times. Only an equal policy for the same call, by its digest and folder, has the same decision.
    """

    def __init__(self, *, size: int = MAX_DECISIONS) -> None:
        self._size = size
        self._allowed: OrderedDict[tuple[str, str | None], tuple[Policy, PolicyResult]] = OrderedDict()

    def decide(
        self, call: Call, policy: Policy, decide: Callable[[Call, Policy], PolicyResult]
    ) -> PolicyResult:
        """Return what `decide` returns, or returned for the same call and policy."""
        try:
            key = (call.digest, call.cwd)
        except NotCanonical:
            return decide(call, policy)
        decision = self._allowed.get(key)
        if decision is not None and decision[0] == policy:
            return decision[1]
        result = decide(call, policy)
        if result.decision == "allow":
            self._allowed[key] = (policy, result)
            if len(self._allowed) > self._size:
                self._allowed.popitem(last=False)
        return result
