"""The key of a single value: locks it into a box, and opens no box but its own."""

from __future__ import annotations

import hmac
import os
from typing import final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from askback.vault.sealed import COMMITMENT_BYTES, NONCE_BYTES, Box

DATA_KEY_BYTES = 32
# HKDF-Expand (RFC 5869) of 64 bytes by HMAC-SHA-512 is one block: these bytes, keyed. Its input key is random already.
_EXPAND = b"askback/ab1: value key, commitment\x01"


@final
class DataKey:
    """A data key, and what is derived from it: the key that encrypts, and a commitment to both.

    GCM does not commit to its key: whoever has two can make one ciphertext that each of them opens, to another value.
    So a box carries the commitment, and nothing is decrypted under a key that its box does not name.
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
        """Tell whether a box was locked by this key; what is in it may have been changed since."""
        return hmac.compare_digest(self._commitment, box.commitment)

    def unlock(self, box: Box, context: bytes) -> str | None:
        """Return the text, None when the box or the context is not what was locked."""
        if not self.owns(box):
            return None
        try:
            return self._cipher.decrypt(box.nonce, box.ciphertext, context).decode()
        except (InvalidTag, UnicodeDecodeError):
            return None
