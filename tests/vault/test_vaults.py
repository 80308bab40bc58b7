"""Every shipped vault keeps the vault's contracts: over a key ring, a key file, and an external service."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from askback.domain.secrets.secret import Secret
from askback.ports.vault import KeySource, Vault, VaultLocked
from askback.testing.fake_keys import FakeKeys, FakeKeyService
from askback.testing.vault_contracts import BINDING, KeySourceContracts, UnreachableContracts, VaultContracts
from askback.vault.envelope import Envelope, LockedVault
from askback.vault.keyfile import read_key_file
from askback.vault.keys import KeyRing
from askback.vault.sealed import encode


def master_key(key_id: str) -> bytes:
    return hashlib.sha256(key_id.encode()).digest()


class TestRing(KeySourceContracts, VaultContracts):
    def make_keys(self, folder: Path, *ids: str) -> KeySource:
        return KeyRing({key_id: master_key(key_id) for key_id in ids})

    def make_vault(self, folder: Path, *ids: str) -> Vault:
        return Envelope(self.make_keys(folder, *ids))


class TestKeyFile(KeySourceContracts, VaultContracts):
    def make_keys(self, folder: Path, *ids: str) -> KeySource:
        file = folder / "master.keys"
        file.unlink(missing_ok=True)
        file.touch(mode=0o600)
        file.write_text("".join(f"{key_id}:{encode(master_key(key_id))}\n" for key_id in ids))
        return KeyRing(read_key_file(file))

    def make_vault(self, folder: Path, *ids: str) -> Vault:
        return Envelope(self.make_keys(folder, *ids))


class TestKeyService(KeySourceContracts, UnreachableContracts):
    @pytest.fixture(autouse=True)
    def service(self) -> None:
        self._service = FakeKeyService()

    def make_keys(self, folder: Path, *ids: str) -> KeySource:
        self._service.names = set(ids)
        return FakeKeys(self._service, active_id=ids[0])

    def make_vault(self, folder: Path, *ids: str) -> Vault:
        return Envelope(self.make_keys(folder, *ids))

    @contextmanager
    def outage(self, folder: Path) -> Iterator[None]:
        self._service.offline = True
        yield
        self._service.offline = False


@pytest.mark.anyio
async def test_a_vault_without_a_key_refuses_everything_and_says_how_to_mend_it() -> None:
    vault: Vault = LockedVault()
    sealed = await Envelope(KeyRing({"k1": bytes(32)})).seal(BINDING, Secret("a"))
    for attempt in (
        vault.active(),
        vault.seal(BINDING, Secret("a")),
        vault.open(BINDING, sealed),
        vault.open(BINDING, ""),
        vault.rewrap(BINDING, sealed),
    ):
        with pytest.raises(VaultLocked, match="Set ASKBACK_MASTER_KEYS"):
            await attempt
