"""How patient servers are in the fault tests: less than usual, so that what is due after a fault is due within the test."""

from __future__ import annotations

from dataclasses import replace

from askback.storage.postgres.connection import Timeouts
from tests.limits import ROOMY

LIMITS = replace(ROOMY, resume_lease_s=2, orphan_s=1, check_lease_s=2)
PATIENCE = Timeouts(connect=500, idle=500, lock=1_500, statement=1_000, transaction=1_000, reply=300)
POLL_S = 0.5
"""Likewise: how soon a server sees that its database, or the line to the other servers, is dead."""
PARTING_S = 0.5
"""How long a peer that is sent away may take nothing of the rest."""
DELIVERY_LEASE_S = 2
"""How long a delivery of a webhook is one server's, which may have died."""
DELIVERY_LOOK_S = 0.1
"""Between two looks for what webhooks have to be told."""
