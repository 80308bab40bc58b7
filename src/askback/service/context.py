"""The context of every use case: the ports, the limits, and recently created requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from askback.domain.limits import DEFAULTS, Limits
from askback.domain.modeltext import TEXTS
from askback.ports.audit import HeadSeals
from askback.ports.bus import Bus
from askback.ports.clock import Clock
from askback.ports.directory import Directory
from askback.ports.ids import Ids
from askback.ports.presence import Presence
from askback.ports.probe import Probe
from askback.ports.store import Store
from askback.ports.vault import OwnKeys, Vault
from askback.ports.webhooks import Courier
from askback.service.attempts import Attempts
from askback.service.attendance import Attendance
from askback.service.directory import OwnGroups
from askback.service.lastuse import LastUse
from askback.service.metrics import Metrics
from askback.service.newest import Newest
from askback.service.nowhere import Nowhere
from askback.service.pace import Pace
from askback.service.presence import LocalPresence
from askback.service.readonly import ReadOnly
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
    last_use: LastUse = field(default_factory=LastUse)
    metrics: Metrics = field(default_factory=Metrics)
    own_keys: OwnKeys | None = None
    """The master keys, where this server keeps them itself."""
    seals: HeadSeals | None = None
    """What seals the audit logs, where the server has its master keys in memory."""
    probes: Mapping[str, Probe] = field(default_factory=dict[str, Probe])
    read_only: ReadOnly = field(default_factory=ReadOnly)
    submissions: Submissions = field(default_factory=Submissions)
    failed_logins: Attempts = field(default_factory=lambda: Attempts(10))
    """Failed log-ins that are written into the audit log."""
    refusals: Attempts = field(default_factory=lambda: Attempts(20))
    """Calls that a role does not allow, by principal, that are written into the audit log."""
    wrong_tokens: Attempts = field(default_factory=lambda: Attempts(DEFAULTS.max_wrong_tokens_per_minute - 1))
    """Unknown tokens by client address; one more is refused as too many."""
    public_url: str | None = None
    """The address that people open, where a proxy stands before the server."""
    own_paths: tuple[str, ...] = ()
    """The folders and files of askback itself, which no rule lets an agent read."""
    texts: Mapping[str, str] = field(default_factory=lambda: TEXTS)
    """What models read of outcomes."""
