"""What every use case is given: the ports, the limits, and what was just asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from askback.domain.limits import DEFAULTS, Limits
from askback.domain.modeltext import TEXTS
from askback.ports.bus import Bus
from askback.ports.clock import Clock
from askback.ports.directory import Directory
from askback.ports.ids import Ids
from askback.ports.presence import Presence
from askback.ports.probe import Probe
from askback.ports.store import Store
from askback.ports.vault import OwnKeys, Vault
from askback.ports.webhooks import Courier
from askback.service.attendance import Attendance
from askback.service.directory import OwnGroups
from askback.service.metrics import Metrics
from askback.service.newest import Newest
from askback.service.nowhere import Nowhere
from askback.service.pace import Pace
from askback.service.presence import LocalPresence
from askback.service.submissions import Submissions
from askback.service.unseen import Unseen


@dataclass(frozen=True, slots=True)
class Services:
    """The ports that the use cases order about; made once, by `askback.app`."""

    store: Store
    bus: Bus
    clock: Clock
    ids: Ids
    vault: Vault
    limits: Limits = DEFAULTS
    newest: Newest = field(default_factory=Newest)
    attendance: Attendance = field(default_factory=Attendance)
    directory: Directory = field(default_factory=OwnGroups)
    pace: Pace = field(default_factory=Pace)
    presence: Presence = field(default_factory=LocalPresence)
    unseen: Unseen = field(default_factory=Unseen)
    withheld: set[str] = field(default_factory=set[str])
    """The resumes of which admins were told that they are (`authority.py`)."""
    courier: Courier = field(default_factory=Nowhere)
    metrics: Metrics = field(default_factory=Metrics)
    own_keys: OwnKeys | None = None
    """The master keys, where this server keeps them itself."""
    probes: Mapping[str, Probe] = field(default_factory=dict[str, Probe])
    submissions: Submissions = field(default_factory=Submissions)
    texts: Mapping[str, str] = field(default_factory=lambda: TEXTS)
    """What models read of outcomes."""
