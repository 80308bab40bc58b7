"""Envelope encryption: each value under a data key of its own, each data key wrapped under a master key.

Only data keys are ever wrapped again, so a rotation reads no value, and what it costs does not depend on their size.
Both layers are AES-256-GCM (the outer one is whatever the source of keys uses), and both are bound to what the text
belongs to; the key id is in the outer one alone, since it is what a rotation changes.
"""

from __future__ import annotations

from dataclasses import replace

from askback.domain.secrets.secret import Secret
from askback.ports.vault import Binding, CannotOpen, KeySource
from askback.vault.binding import key_context, value_context
from askback.vault.datakey import DataKey
from askback.vault.sealed import Sealed, read, write


class Envelope:
    """The `Vault` port over a `KeySource`.

    What fails returns None until the outermost call raises: an exception remembers those that were being handled when
    it was raised, and `CannotOpen` has nothing to remember.
    """

    def __init__(self, keys: KeySource) -> None:
        self._keys = keys

    async def active(self) -> str:
        """Return the id of the key that is sealed under now."""
        return await self._keys.active()

    async def seal(self, binding: Binding, secret: Secret) -> str:
        """Return the sealed text of a value, under a data key that is new each time."""
        key_id, data_key = await self._keys.active(), DataKey.new()
        # The key first: when it cannot be wrapped, nothing has been done with the value.
        wrapped = await self._wrapped(binding, key_id, data_key)
        return write(Sealed(key_id, wrapped, data_key.lock(secret.reveal(), value_context(binding))))

    async def open(self, binding: Binding, sealed: str) -> Secret:
        """Return the value of a sealed text. Raises `CannotOpen`."""
        parts = read(sealed)
        if parts is None:
            raise CannotOpen
        data_key = await self._data_key(binding, parts)
        value = None if data_key is None else data_key.unlock(parts.box, value_context(binding))
        if value is None:
            raise CannotOpen
        return Secret(value)

    async def rewrap(self, binding: Binding, sealed: str) -> str | None:
        """Wrap the data key of a text under the active key; None when it is under that one. Raises `CannotOpen`."""
        parts, active = read(sealed), await self._keys.active()
        if parts is None:
            raise CannotOpen
        if parts.key_id == active:
            return None
        data_key = await self._data_key(binding, parts)
        if data_key is None or not data_key.owns(parts.box):
            raise CannotOpen
        wrapped = await self._wrapped(binding, active, data_key)
        return write(replace(parts, key_id=active, wrapped=wrapped))

    async def _wrapped(self, binding: Binding, key_id: str, data_key: DataKey) -> bytes:
        return await self._keys.wrap(key_id, data_key.raw, key_context(binding, key_id))

    async def _data_key(self, binding: Binding, parts: Sealed) -> DataKey | None:
        context = key_context(binding, parts.key_id)
        try:
            return DataKey(await self._keys.unwrap(parts.key_id, parts.wrapped, context))
        except CannotOpen:
            return None
