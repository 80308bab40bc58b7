"""Master keys in this process: a key ring, whose first key seals.

    ASKBACK_MASTER_KEYS=2026-11:pJv…,2026-05:Xw0…

The entries are `id:key`, separated by commas, each key 32 random bytes in base64. To rotate, add the new key
at the end on every server, so that all can read it; then move it to the front; then rewrap the secrets; then
remove the old key.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Mapping
from typing import NoReturn

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from askback.errors import AskbackError
from askback.ports.vault import CannotOpen
from askback.vault.sealed import KEY_ID, NONCE_BYTES, TAG_BYTES, decode

KEY_BYTES = 32
_WRAPPED_BYTES = NONCE_BYTES + KEY_BYTES + TAG_BYTES
_PURPOSE = "askback/secret-kek/v1"
_AUDIT = "askback/audit-head/v1"


class KeysUnusable(AskbackError):
    """The master keys cannot be used; the message says why and shows no part of them."""


class KeyRing:
    """The `KeySource` port over keys in memory. Its repr shows only ids."""

    def __init__(self, keys: Mapping[str, bytes]) -> None:
        """Take master keys of 32 bytes by id, the sealing one first.

        The wrapping keys are derived here once, so the same master key can serve other purposes too. Raises
        `ValueError` without a key, or with a key of another size.
        """
        if not keys or any(len(key) != KEY_BYTES for key in keys.values()):
            raise ValueError(f"A ring has at least one key, and each key {KEY_BYTES} bytes.")
        self._ciphers = {key_id: AESGCM(_derive(_PURPOSE, key_id, key)) for key_id, key in keys.items()}
        self._audit = {key_id: _derive(_AUDIT, key_id, key) for key_id, key in keys.items()}
        self.first = next(iter(keys))

    async def active(self) -> str:
        """Return the id of the first key."""
        return self.first

    async def wrap(self, key_id: str, data_key: bytes, context: bytes) -> bytes:
        """Encrypt a data key: nonce, ciphertext and tag, 60 bytes."""
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._ciphers[key_id].encrypt(nonce, data_key, context)

    async def unwrap(self, key_id: str, wrapped_key: bytes, context: bytes) -> bytes:
        """Return the data key. Raises `CannotOpen`."""
        cipher = self._ciphers.get(key_id)
        if cipher is not None and len(wrapped_key) == _WRAPPED_BYTES:
            try:
                return cipher.decrypt(wrapped_key[:NONCE_BYTES], wrapped_key[NONCE_BYTES:], context)
            except InvalidTag:
                pass
        raise CannotOpen

    def sign(self, key_id: str, statement: bytes) -> str | None:
        """Return the MAC of a statement about the audit log, in hex; None for a key that is not in the ring."""
        key = self._audit.get(key_id)
        return None if key is None else hmac.digest(key, statement, "sha256").hex()

    def __repr__(self) -> str:
        return f"KeyRing({', '.join(self._ciphers)})"

    def __getstate__(self) -> NoReturn:
        raise TypeError("A ring of keys is not copied or pickled.")


def parse_keys(text: str, *, source: str) -> dict[str, bytes]:
    """Read `id:key,id:key,…` for a ring; `source` is its name in error messages. Raises `KeysUnusable`.

    Keys are in base64 of either alphabet, with or without padding, and have exactly 32 bytes.
    """
    keys: dict[str, bytes] = {}
    for number, entry in enumerate(filter(None, (part.strip() for part in text.split(","))), start=1):
        key_id, _, encoded = entry.partition(":")
        key = _key(encoded)
        # The message names the entry by its number: the text before the colon may be the key.
        if key is None or not KEY_ID.fullmatch(key_id):
            raise KeysUnusable(
                f"{source}: entry {number} must be id:key, with an id of 1 to 64 letters, digits, _ or - and a key of "
                f"{KEY_BYTES} random bytes in base64 (openssl rand -base64 {KEY_BYTES})."
            )
        if key_id in keys or key in keys.values():
            raise KeysUnusable(f"{source}: entry {number} has the id or the key of an entry before it.")
        keys[key_id] = key
    if not keys:
        raise KeysUnusable(f"{source} contains no key.")
    return keys


def _key(encoded: str) -> bytes | None:
    key = decode(encoded.removesuffix("=").translate({ord("+"): "-", ord("/"): "_"}))
    return key if key is not None and len(key) == KEY_BYTES else None


def _derive(purpose: str, key_id: str, key: bytes) -> bytes:
    return HKDF(SHA256(), KEY_BYTES, salt=None, info=f"{purpose}|{key_id}".encode()).derive(key)
