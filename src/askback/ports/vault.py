"""The vault: encrypts the value of a secret for storage, and decrypts it.

A vault stores nothing: the sealed text goes into the store, which never sees a value. Contracts of every vault, each
checked by `askback.testing.vault_contracts`:

1. A value sealed for a binding opens for an equal one to exactly the same text, also in another process with the same
   keys.
2. For any other binding, or with any bit changed, it raises `CannotOpen`, always with the same text and without a
   cause or context.
3. The same value sealed twice gives two texts, and neither reveals more of the value than its length.
4. A sealed text is printable ASCII without blanks.
5. `rewrap` changes the key that a text is sealed under, never the value or its binding. The earlier text opens for as
   long as its key exists, so readers and a rotation need not wait for each other.
6. Secrets under a removed key raise `CannotOpen`.
7. While the keys cannot be reached, every operation raises `KeysUnreachable`, which says nothing about the text.

And of every source of keys:

8. A data key wrapped under a key id unwraps only under the same id with the same context.
9. A wrapped key reveals nothing about the data key. Anything that does not unwrap raises `CannotOpen`.
10. The active id may change at any time; earlier ids stay valid until they are removed.
"""

from __future__ import annotations

from typing import Protocol

from askback.domain.secrets.secret import Secret
from askback.domain.values import frozen


class CannotOpen(Exception):
    """The text was not sealed for this binding, or its key is gone; callers cannot tell which."""

    def __init__(self) -> None:
        super().__init__("Secret decryption failed")


NO_KEYS = (
    "Secrets are off, because this server has no master key. Set ASKBACK_MASTER_KEYS to id:key, with a key "
    "of 32 random bytes in base64 (openssl rand -base64 32), and keep a copy apart from the database."
)
KEYS_MISSING = (
    "Secrets are off, because the key file that they were sealed with is missing. Nothing is lost: restore the file "
    "from a copy and start the server again."
)
KEYS_UNUSABLE = "Secrets are off, because the key file of this server cannot be used; its log says why."


class VaultLocked(Exception):
    """There is no master key, so nothing can be sealed or opened; the message says how to fix it."""

    def __init__(self, why: str = NO_KEYS) -> None:
        super().__init__(why)


class KeysUnreachable(Exception):
    """The external key service cannot be reached; the call may be repeated."""


@frozen(slots=True)
class Binding:
    """The context that a text is sealed for; it opens with no other.

    `owner` is the owner of the secret, `scope` and `subject` say where it applies (a thread and its id, a
    project and its name, global and nothing), `version` counts the values of this name there, from 1. Every
    text has a UTF-8 form.
    """

    tenant: str
    owner: str
    scope: str
    subject: str
    name: str
    version: int


class KeySource(Protocol):
    """Wraps the data keys of secrets under a master key: a key ring, or a key management service.

    A key id is 1 to 64 letters, digits, `_` or `-`: a short name for a key, not its address. It is stored with every
    secret. A wrapped key has at most 2,048 bytes.
    """

    async def active(self) -> str:
        """Return the id of the key that new secrets are sealed under."""
        ...

    async def wrap(self, key_id: str, data_key: bytes, context: bytes) -> bytes:
        """Encrypt a data key of 32 bytes under a key, bound to `context` (associated data, not secret, under 8 kB).

        Only for ids that `active` has returned.
        """
        ...

    async def unwrap(self, key_id: str, wrapped_key: bytes, context: bytes) -> bytes:
        """Return the data key. Raises `CannotOpen`, also for an id that is not known."""
        ...


class OwnKeys(Protocol):
    """Master keys that the server keeps and can rotate itself. Until they are open, all calls raise `VaultLocked`."""

    async def open(self, *, make: bool) -> None:
        """Open the keys; if there are none, `make` the first one. Raises an `AskbackError` that says why not."""
        ...

    async def add(self) -> str:
        """Create a key, make it the active one, and return its id."""
        ...

    async def drop_others(self, than: str) -> int:
        """Delete every key but this one, and return their number; nothing may still be sealed under them."""
        ...


class Vault(Protocol):
    """Seals and opens the values of secrets. Each operation may raise `VaultLocked` and `KeysUnreachable`."""

    async def active(self) -> str:
        """Return the id of the active key. Call it before asking for a secret, to learn whether the vault works."""
        ...

    async def seal(self, binding: Binding, secret: Secret) -> str:
        """Return the sealed text of a value, for the store."""
        ...

    async def open(self, binding: Binding, sealed: str) -> Secret:
        """Return the value of a sealed text. Raises `CannotOpen`."""
        ...

    async def rewrap(self, binding: Binding, sealed: str) -> str | None:
        """Seal a text under the active key without reading its value; None if it already is.

        Raises `CannotOpen` for a text that is not sealed, or not sealed for this binding.
        """
        ...
