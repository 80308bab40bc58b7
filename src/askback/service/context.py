"""What every use case is given: the ports and the limits."""

from __future__ import annotations

from dataclasses import dataclass

from askback.domain.limits import DEFAULTS, Limits
from askback.ports.bus import Bus
from askback.ports.clock import Clock
from askback.ports.ids import Ids
from askback.ports.store import Store


@dataclass(frozen=True, slots=True)
class Services:
    """The ports that the use cases order about; made once, by `askback.app`."""

    store: Store
    bus: Bus
    clock: Clock
    ids: Ids
    limits: Limits = DEFAULTS
