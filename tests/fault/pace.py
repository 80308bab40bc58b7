"""The time limits of servers in the fault tests: shorter than usual, so that they end within the test."""

from __future__ import annotations

from dataclasses import replace

from askback.storage.postgres.connection import Timeouts
from tests.limits import ROOMY

LIMITS = replace(ROOMY, resume_lease_s=2, orphan_s=1, check_lease_s=2)
PATIENCE = Timeouts(connect=1_500, idle=500, lock=1_500, statement=1_000, transaction=1_000, reply=300)
POLL_S = 0.5
"""Likewise: how soon a server sees that its database, or the line to the other servers, is dead."""
PARTING_S = 0.5
"""How long a dismissed peer may read nothing of the rest."""
DELIVERY_LEASE_S = 2
"""The lease of a webhook delivery, whose server may have died."""
DELIVERY_LOOK_S = 0.1
"""The interval of checks for new webhook deliveries."""
