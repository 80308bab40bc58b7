"""A fake key management service: it encrypts nothing, and remembers the data keys instead."""

from __future__ import annotations

import secrets

from askback.ports.vault import CannotOpen, KeysUnreachable


class FakeKeyService:
    """A service that several key sources may share: wrapped data keys by their handles.

    `offline = True` makes every call raise `KeysUnreachable`; removing a name from `names` destroys that key.
    """

    def __init__(self, *names: str) -> None:
        self.names = set(names)
        self.offline = False
        self._wrapped_keys: dict[bytes, tuple[str, bytes, bytes]] = {}

    def encrypt(self, key_id: str, data_key: bytes, context: bytes) -> bytes:
        """Store a data key; return a handle that reveals nothing about it."""
        self._check(key_id)
        handle = secrets.token_bytes(48)
        self._wrapped_keys[handle] = (key_id, data_key, context)
        return handle

    def decrypt(self, key_id: str, handle: bytes, context: bytes) -> bytes:
        """Return the data key of a handle if the key and the context are the same."""
        self._check(key_id)
        name, data_key, expected_context = self._wrapped_keys.get(handle, ("", b"", b""))
        if (name, expected_context) != (key_id, context):
            raise CannotOpen
        return data_key

    def _check(self, key_id: str) -> None:
        if self.offline:
            raise KeysUnreachable("The key service does not answer.")
        if key_id not in self.names:
            raise CannotOpen


class FakeKeys:
    """The `KeySource` port over a `FakeKeyService`; `active_id` may be changed at any time."""

    def __init__(self, service: FakeKeyService, *, active_id: str) -> None:
        self._service = service
        self.active_id = active_id

    async def active(self) -> str:
        """Return the id of the key that new data is sealed with."""
        if self._service.offline:
            raise KeysUnreachable("The key service does not answer.")
        return self.active_id

    async def wrap(self, key_id: str, data_key: bytes, context: bytes) -> bytes:
        """Wrap a data key."""
        return self._service.encrypt(key_id, data_key, context)

    async def unwrap(self, key_id: str, wrapped_key: bytes, context: bytes) -> bytes:
        """Return a data key. Raises `CannotOpen`."""
        return self._service.decrypt(key_id, wrapped_key, context)
