"""Envelope encryption: each value is encrypted under its own data key, each data key is wrapped under a master key.

Only data keys are rewrapped, so a rotation reads no value, and its cost does not depend on their size. Both
layers are AES-256-GCM (the outer one depends on the source of keys), and both are bound to the location of
the text; the key id is only in the outer one, since a rotation changes it.
"""

from __future__ import annotations

import hmac
import json
import os
from dataclasses import replace
from typing import final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from askback.domain.secrets.secret import Secret
from askback.ports.vault import Binding, CannotOpen, KeySource, VaultLocked
from askback.vault.sealed import COMMITMENT_BYTES, FORMAT, NONCE_BYTES, Box, SealedText, read, write

DATA_KEY_BYTES = 32
# HKDF-Expand (RFC 5869) of 64 bytes by HMAC-SHA-512 is one block: these bytes, keyed. Its input key is random already.
_EXPAND = b"askback/ab1: value key, commitment\x01"


@final
class DataKey:
    """A data key and two values derived from it: the encryption key, and a commitment to both.

    GCM does not commit to its key: with two keys one can make a ciphertext that each of them opens, to
    different values. So a box contains the commitment, and is only decrypted under the key that it names.
    """

    __slots__ = ("_cipher", "_commitment", "raw")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        block = hmac.digest(raw, _EXPAND, "sha512")
        self._cipher = AESGCM(block[:-COMMITMENT_BYTES])
        self._commitment = block[-COMMITMENT_BYTES:]

    @classmethod
    def new(cls) -> DataKey:
        """Make a random one."""
        return cls(os.urandom(DATA_KEY_BYTES))

    def lock(self, value: str, context: bytes) -> Box:
        """Encrypt a text that has a UTF-8 form, bound to `context`."""
        nonce = os.urandom(NONCE_BYTES)
        return Box(self._commitment, nonce, self._cipher.encrypt(nonce, value.encode(), context))

    def owns(self, box: Box) -> bool:
        """Return whether a box was locked by this key; its content may have been changed since."""
        return hmac.compare_digest(self._commitment, box.commitment)

    def unlock(self, box: Box, context: bytes) -> str | None:
        """Return the text, None if the box or the context has been changed."""
        if not self.owns(box):
            return None
        try:
            return self._cipher.decrypt(box.nonce, box.ciphertext, context).decode()
        except (InvalidTag, UnicodeDecodeError):
            return None


class Envelope:
    """The `Vault` port over a `KeySource`.

    Failures return None until the outermost call raises: an exception keeps those that were being handled
    when it was raised, and `CannotOpen` must not keep any.
    """

    def __init__(self, keys: KeySource) -> None:
        self._keys = keys

    async def active(self) -> str:
        """Return the id of the current key."""
        return await self._keys.active()

    async def seal(self, binding: Binding, secret: Secret) -> str:
        """Return the sealed text of a value, under a new data key each time."""
        key_id, data_key = await self._keys.active(), DataKey.new()
        # The key first: if it cannot be wrapped, the value has not been used.
        wrapped_key = await self._wrap(binding, key_id, data_key)
        return write(SealedText(key_id, wrapped_key, data_key.lock(secret.reveal(), value_context(binding))))

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
        """Wrap the data key of a text under the active key; None if it already is. Raises `CannotOpen`."""
        parts, active = read(sealed), await self._keys.active()
        if parts is None:
            raise CannotOpen
        if parts.key_id == active:
            return None
        data_key = await self._data_key(binding, parts)
        if data_key is None or not data_key.owns(parts.box):
            raise CannotOpen
        wrapped_key = await self._wrap(binding, active, data_key)
        return write(replace(parts, key_id=active, wrapped_key=wrapped_key))

    async def _wrap(self, binding: Binding, key_id: str, data_key: DataKey) -> bytes:
        return await self._keys.wrap(key_id, data_key.raw, key_context(binding, key_id))

    async def _data_key(self, binding: Binding, parts: SealedText) -> DataKey | None:
        context = key_context(binding, parts.key_id)
        try:
            return DataKey(await self._keys.unwrap(parts.key_id, parts.wrapped_key, context))
        except CannotOpen:
            return None


# For an object of texts and one whole number this is canonical JSON (RFC 8785), in a sixth of the time of the
# general package; a test checks that they agree.
_CANONICAL_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def key_context(binding: Binding, key_id: str) -> bytes:
    """Return the associated data of a wrapped data key."""
    return _context("secret data key", binding, {"key_id": key_id})


def value_context(binding: Binding) -> bytes:
    """Return the associated data of a value: without the key id, which a rotation changes."""
    return _context("secret value", binding, {})


def _context(purpose: str, binding: Binding, further_members: dict[str, str]) -> bytes:
    """Name every field, so that no two fields or layers can be confused."""
    fields = {
        "format": FORMAT,
        "purpose": purpose,
        "tenant": binding.tenant,
        "owner": binding.owner,
        "scope": binding.scope,
        "subject": binding.subject,
        "name": binding.name,
        "version": binding.version,
    }
    return _CANONICAL_ENCODER.encode({**fields, **further_members}).encode()


class LockedVault:
    """The `Vault` port without keys: everything raises `VaultLocked`, and nothing is ever stored in plain text."""

    async def active(self) -> str:
        """Raise `VaultLocked`."""
        raise VaultLocked

    async def seal(self, binding: Binding, secret: Secret) -> str:  # noqa: ARG002
        """Raise `VaultLocked`."""
        raise VaultLocked

    async def open(self, binding: Binding, sealed: str) -> Secret:  # noqa: ARG002
        """Raise `VaultLocked`."""
        raise VaultLocked

    async def rewrap(self, binding: Binding, sealed: str) -> str | None:  # noqa: ARG002
        """Raise `VaultLocked`."""
        raise VaultLocked
