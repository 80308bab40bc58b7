"""Master keys that a server stores in a key file, and can rotate while it runs."""

from __future__ import annotations

from pathlib import Path

from anyio import to_thread

from askback.ports.vault import KEYS_MISSING, KEYS_UNUSABLE, VaultLocked
from askback.vault.keyfile import make_key_file, new_key, read_key_file, replace_key_file
from askback.vault.keys import KeyRing, KeysUnusable


class KeyFile:
    """The `KeySource` and `OwnKeys` ports over the key file of one server.

    Until `open` has found keys, everything raises `VaultLocked`. A key is in the file before anything is
    sealed under it. A dropped key still opens texts in this process until its end: somebody may have read one
    before.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ring: KeyRing | None = None
        self._problem = KEYS_UNUSABLE

    async def open(self, *, make: bool) -> None:
        """Read the key file. If it is missing, create it (`make`) or raise `KeysUnusable`."""
        self._ring, self._problem = None, KEYS_UNUSABLE
        keys = await to_thread.run_sync(self._read_or_make if make else self._read)
        self._ring = KeyRing(keys)

    @property
    def ring(self) -> KeyRing | None:
        """The keys, once they are open."""
        return self._ring

    async def active(self) -> str:
        """Return the id of the first key."""
        return await self._open_ring().active()

    async def wrap(self, key_id: str, data_key: bytes, context: bytes) -> bytes:
        """Encrypt a data key."""
        return await self._open_ring().wrap(key_id, data_key, context)

    async def unwrap(self, key_id: str, wrapped_key: bytes, context: bytes) -> bytes:
        """Return the data key. Raises `CannotOpen`."""
        return await self._open_ring().unwrap(key_id, wrapped_key, context)

    async def add(self) -> str:
        """Create a key, put it first, and return its id. Raises `VaultLocked` and `KeysUnusable`."""
        self._open_ring()
        key_id, key = new_key()
        keys = {key_id: key, **await to_thread.run_sync(read_key_file, self._path)}
        await to_thread.run_sync(replace_key_file, self._path, keys)
        self._ring = KeyRing(keys)
        return key_id

    async def drop_others(self, than: str) -> int:
        """Delete all keys but one from the file, and return the number of deleted keys."""
        keys = await to_thread.run_sync(read_key_file, self._path)
        await to_thread.run_sync(replace_key_file, self._path, {than: keys[than]})
        return len(keys) - 1

    def _open_ring(self) -> KeyRing:
        if self._ring is None:
            raise VaultLocked(self._problem)
        return self._ring

    def _read_or_make(self) -> dict[str, bytes]:
        if not self._path.exists():
            make_key_file(self._path)
        return self._read()

    def _read(self) -> dict[str, bytes]:
        if not self._path.exists() and not self._path.is_symlink():
            self._problem = KEYS_MISSING
            raise KeysUnusable(
                f"The key file {self._path} is missing, but secrets are sealed with its keys. Put it back from your "
                "backup and start again; the secrets are still stored."
            )
        return read_key_file(self._path)
