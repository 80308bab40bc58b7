"""The vault: turns the value of a secret into a text that may be stored anywhere, and back.

A vault keeps nothing: the sealed text goes into the store, which never sees a value. Contracts that every vault
keeps, each checked by `askback.testing.vault_contracts`:

1. What was sealed for a binding opens for an equal one, to exactly the same text, also in another process with the
   same keys.
2. For any other binding, or changed by so much as a bit, it raises `CannotOpen`: one text whatever is wrong, without
   a cause or a context from which more could be learned.
3. The same value sealed twice gives two texts, and neither tells more of the value than how long it is.
4. A sealed text is printable ASCII without blanks.
5. `rewrap` changes the key that a text is sealed under, never the value and its binding. The text from before goes on
   to open as long as its key is there, so readers and a rotation need not wait for each other.
6. A key that was taken away takes its secrets along: they raise `CannotOpen`.
7. Keys that cannot be reached just now raise `KeysUnreachable` in every operation, and nothing follows from it about
   the text.

And of every source of keys:

8. A data key that was wrapped under a key id unwraps under the same id and with the same context, and in no other way.
9. What is wrapped tells nothing about the data key. All that does not unwrap raises `CannotOpen`.
10. The active id may change at any time; the ids before stay good until they are taken away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from askback.domain.secrets.secret import Secret


class CannotOpen(Exception):
    """The text is not what was sealed for this binding, or its key is gone. Which of them is nobody's business."""

    def __init__(self) -> None:
        super().__init__("Secret decryption failed")


NO_KEYS = (
    "Secrets are off, because this server has no master key. Set ASKBACK_MASTER_KEYS to id:key, with a key "
    "of 32 random bytes in base64 (openssl rand -base64 32), and keep a copy apart from the database."
)
KEYS_MISSING = (
    "Secrets are off, because the key file that they were sealed with is gone. Nothing is lost: whoever runs the "
    "server puts the file back, from a copy, and starts it again."
)
KEYS_UNUSABLE = "Secrets are off, because the key file of this server cannot be used; its log says why."


class VaultLocked(Exception):
    """There is no master key, so nothing can be sealed or opened; the message says how to mend it."""

    def __init__(self, why: str = NO_KEYS) -> None:
        super().__init__(why)


class KeysUnreachable(Exception):
    """The keys are kept elsewhere and cannot be asked just now; the call may be repeated."""


@dataclass(frozen=True, slots=True)
class Binding:
    """What a sealed text belongs to; it opens for nothing else.

    `owner` is whose store it is in, `scope` and `subject` where it holds (a thread and its id, a project and its name,
    global and nothing), `version` counts the values that this name has had there, from 1. Every text has a UTF-8 form.
    """

    tenant: str
    owner: str
    scope: str
    subject: str
    name: str
    version: int


class KeySource(Protocol):
    """Wraps the data keys of single secrets under a master key: a ring of keys, or a key management service.

    A key id is 1 to 64 letters, digits, `_` or `-`: a short name of yours for a key, not the address of it. It is
    stored with every secret. A wrapped key has at most 2,048 bytes.
    """

    async def active(self) -> str:
        """Return the id of the key that new secrets are sealed under."""
        ...

    async def wrap(self, key_id: str, data_key: bytes, context: bytes) -> bytes:
        """Encrypt a data key of 32 bytes under a key, bound to `context` (associated data, not secret, under 8 kB).

        Only for ids that `active` has returned.
        """
        ...

    async def unwrap(self, key_id: str, wrapped: bytes, context: bytes) -> bytes:
        """Return the data key. Raises `CannotOpen`, also for an id that is not known."""
        ...


class OwnKeys(Protocol):
    """Master keys that the server keeps itself, and so can exchange. Until they are open, all raise `VaultLocked`."""

    async def open(self, *, make: bool) -> None:
        """Find the keys; where there are none, `make` the first one. Raises an `AskbackError` that says why not."""
        ...

    async def add(self) -> str:
        """Make a key that new secrets are sealed under from now on, for good, and return its id."""
        ...

    async def drop_others(self, than: str) -> int:
        """Drop every key but this one, and return how many went: nothing may be sealed under them any more."""
        ...


class Vault(Protocol):
    """Seals and opens the values of secrets. Each operation may raise `VaultLocked` and `KeysUnreachable`."""

    async def active(self) -> str:
        """Return the id of the key that is sealed under now; whoever is about to ask for a secret finds out here."""
        ...

    async def seal(self, binding: Binding, secret: Secret) -> str:
        """Return the sealed text of a value, for the store to keep."""
        ...

    async def open(self, binding: Binding, sealed: str) -> Secret:
        """Return the value of a sealed text. Raises `CannotOpen`."""
        ...

    async def rewrap(self, binding: Binding, sealed: str) -> str | None:
        """Seal a text under the active key without looking at its value; None when it is under that key already.

        Raises `CannotOpen` for what is no sealed text, or would have to be wrapped anew and is not of this binding.
        """
        ...
