"""What is written in the transaction of a change: rules, settings, secrets, resumes, refusals, the audit log."""

from __future__ import annotations

from askback.ports.policy import NOTHING, Along
from askback.storage.sql import audit, resumes, rules, secrets
from askback.storage.sql.transaction import Transaction


async def write_side_effects(tx: Transaction, *alongs: Along) -> None:
    """Write the side effects of some changes; a failure undoes all of them.

    Audit entries come last, since their chain is what everybody has to wait for. They keep their order.
    Raises `IdTaken`, `VersionTaken`, and `ValueError` for an entry that cannot be sealed.
    """
    for along in alongs:
        if along is not NOTHING:
            await rules.write_rules(tx, along)
            await secrets.write_secrets(tx, along)
            await resumes.add_resumes(tx, along.resumes)
    await audit.append(tx, [draft for along in alongs for draft in along.audit])


def erases(along: Along) -> bool:
    """Whether a sealed text may be erased or replaced by this."""
    replaces = any(secret.version > 1 for secret in along.secrets)
    return replaces or bool(along.candidates or along.promote or along.discard)
