"""How patient servers are in the fault tests: less than usual, so that what is due after a fault is due within the test."""

from __future__ import annotations

from askback.domain.limits import Limits
from askback.storage.postgres.connection import Patience

LIMITS = Limits(resume_lease_s=2, orphan_s=1)
PATIENCE = Patience(connect=500, idle=500, lock=1_500, statement=1_000, transaction=1_000, reply=300)
PATROL_S = 0.5
"""Likewise: how soon a server sees that its database, or the line to the other servers, is dead."""
PARTING_S = 0.5
"""How long a peer that is sent away may take nothing of the rest."""
