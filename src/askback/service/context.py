"""The context of every use case: the ports, the limits, and the state of this process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import field

from anyio import CapacityLimiter, Lock

from askback.domain.limits import DEFAULTS, Limits
from askback.domain.modeltext import TEXTS
from askback.domain.oauth import OauthProvider
from askback.domain.values import frozen
from askback.ports.agents import Directory
from askback.ports.audit import HeadSeals
from askback.ports.bus import Bus
from askback.ports.clock import Clock, Ids
from askback.ports.filescan import FileScan
from askback.ports.kinds import KindExtension
from askback.ports.option_source import OptionSource
from askback.ports.presence import Presence
from askback.ports.probe import Probe
from askback.ports.store import Store
from askback.ports.validator import Validator
from askback.ports.vault import OwnKeys, Vault
from askback.ports.webhooks import WebhookClient
from askback.service.local_state.default_ports import LocalPresence, NullWebhookClient, TokenDirectory
from askback.service.local_state.metrics import Metrics
from askback.service.local_state.rate_limits import AttemptLimiter, RateLimiter
from askback.service.local_state.read_only import ReadOnlyState
from askback.service.local_state.recent_decisions import RecentDecisions
from askback.service.local_state.store_cache import RecentRequests, TokenUsage
from askback.service.local_state.waiting import AwaitingViewer, SubmissionQueue, WaiterRegistry


@frozen(slots=True)
class Services:
    """The ports, limits and in-memory state that every use case gets; `askback.server.app` makes it once."""

    store: Store
    bus: Bus
    clock: Clock
    ids: Ids
    vault: Vault
    limits: Limits = DEFAULTS
    recent: RecentRequests = field(default_factory=RecentRequests)
    decisions: RecentDecisions = field(default_factory=RecentDecisions)
    waiters: WaiterRegistry = field(default_factory=WaiterRegistry)
    directory: Directory = field(default_factory=TokenDirectory)
    rate_limiter: RateLimiter = field(default_factory=RateLimiter)
    presence: Presence = field(default_factory=LocalPresence)
    awaiting_viewer: AwaitingViewer = field(default_factory=AwaitingViewer)
    withheld_resumes: OrderedDict[str, None] = field(default_factory=OrderedDict[str, None])
    """The withheld resumes that are already in the audit log (`delivery/authorship.py`)."""
    webhook_client: WebhookClient = field(default_factory=NullWebhookClient)
    token_usage: TokenUsage = field(default_factory=TokenUsage)
    metrics: Metrics = field(default_factory=Metrics)
    own_keys: OwnKeys | None = None
    """The master keys, if this server manages them itself."""
    rotation: Lock = field(default_factory=Lock)
    """One rotation of master keys at a time: each adds a key to the same file, and drops the others."""
    seals: HeadSeals | None = None
    """Seals the audit logs, if the server has its master keys in memory."""
    validators: Mapping[str, Validator] = field(default_factory=dict[str, Validator])
    option_sources: Mapping[str, OptionSource] = field(default_factory=dict[str, OptionSource])
    """The sources of options, by name."""
    probes: Mapping[str, Probe] = field(default_factory=dict[str, Probe])
    oauth_providers: Mapping[str, OauthProvider] = field(default_factory=dict[str, OauthProvider])
    """The OAuth providers of the settings, by name."""
    blocked_secret_names: frozenset[str] = frozenset()
    """Names of secrets that the settings block, beside those that are always blocked."""
    file_scans: Mapping[str, FileScan] = field(default_factory=dict[str, FileScan])
    """The scans of uploaded files, by name."""
    preview_slot: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(1))
    """Previews are drawn one at a time: an image takes up to 120 MB while it is decoded."""
    kinds: Mapping[str, KindExtension] = field(default_factory=dict[str, KindExtension])
    """The kinds of packages, by name."""
    read_only: ReadOnlyState = field(default_factory=ReadOnlyState)
    submissions: SubmissionQueue = field(default_factory=SubmissionQueue)
    failed_logins: AttemptLimiter = field(default_factory=lambda: AttemptLimiter(10))
    """Failed logins: those within the limit are written into the audit log."""
    refusals: AttemptLimiter = field(default_factory=lambda: AttemptLimiter(20))
    """Calls that a role does not allow, by principal: those within the limit are written into the audit log."""
    wrong_tokens: AttemptLimiter = field(
        default_factory=lambda: AttemptLimiter(DEFAULTS.max_wrong_tokens_per_minute - 1)
    )
    """Unknown tokens by client address; more of them get a 429."""
    public_url: str | None = None
    """The address that people open, if the server is behind a proxy."""
    reported_approvals: bool = False
    """Whether agents may report what people decided about a call in the agent's own client."""
    own_paths: tuple[str, ...] = ()
    """Askback's own folders and files, which no rule lets an agent read."""
    texts: Mapping[str, str] = field(default_factory=lambda: TEXTS)
    """The texts in which models read outcomes."""
