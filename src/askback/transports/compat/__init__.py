"""`/compat/<system>/…`: the wire formats of other systems, each a package of `askback.compat` with a `SYSTEM`."""

from askback.transports.compat.mount import Compat

__all__ = ["Compat"]
