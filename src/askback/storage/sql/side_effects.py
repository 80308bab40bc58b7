"""Write the side effects of a change: rules, settings, secrets, resumes, refusals, files, the audit log."""

from __future__ import annotations

from askback.ports.policy import NOTHING, SideEffects
from askback.storage.sql import audit, files, resumes, rules, secrets
from askback.storage.sql.transaction import Transaction


async def write_side_effects(tx: Transaction, *effects: SideEffects) -> None:
    """Write the side effects of some changes; a failure undoes all of them.

    Uses of secrets and rules, and audit entries come last, since others wait for their rows. Entries keep their order.
    Raises `IdTaken`, `VersionTaken`, `FileRefused`, and `ValueError` for an entry that cannot be sealed.
    """
    for item in effects:
        if item is not NOTHING:
            await rules.write_rules(tx, item)
            await secrets.write_secrets(tx, item)
            await resumes.add_resumes(tx, item.resumes)
            await files.claim_files(tx, item.files)
            await files.share_files(tx, item.shares)
    await secrets.note_uses(tx, (use for effect in effects for use in effect.secret_uses))
    await rules.add_uses(tx, (use for effect in effects for use in effect.uses))
    await audit.append(tx, [draft for effect in effects for draft in effect.audit])


def erases(effects: SideEffects) -> bool:
    """Return whether a sealed text may be erased or replaced by this."""
    replaces = any(secret.version > 1 for secret in effects.secrets)
    return replaces or bool(effects.candidates or effects.promote or effects.discard)
