"""The conformance suites of `Vault` and `KeySource`: subclass them and implement their `make_…` methods.

    class TestMyKeys(KeySourceContracts, VaultContracts):
        def make_keys(self, place, *ids):
            return MyKeys(place, ids)

        def make_vault(self, place, *ids):
            return Envelope(self.make_keys(place, *ids))

A test named `test_c4_…` checks contract 4 of `askback.ports.vault`. For remote keys, add `UnreachableContracts`.
"""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

from collections.abc import Awaitable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import anyio
import pytest

from askback.domain.secrets.secret import Secret
from askback.ports.vault import Binding, CannotOpen, KeySource, KeysUnreachable, Vault

BINDING = Binding("main", "usr_ada", "thread", "t1", "HUBSPOT_API_KEY", 1)
OTHERS = {
    "tenant": replace(BINDING, tenant="acme"),
    "owner": replace(BINDING, owner="usr_bob"),
    "scope": replace(BINDING, scope="project"),
    "subject": replace(BINDING, subject="t2"),
    "name": replace(BINDING, name="OTHER_API_KEY"),
    "version": replace(BINDING, version=2),
    "a border between two fields": replace(BINDING, scope="threadt", subject="1"),
    "two fields swapped": replace(BINDING, tenant="usr_ada", owner="main"),
}
VALUES = {
    "a key": "sk-live-4242",
    "one character": "x",
    "nothing": "",
    "blanks around it": " a\n",
    "NUL": "a\0b\0",
    "beyond the basic plane": "🗝\U0010ffff",
    "a form that Unicode would change": "e\u0301\u212b",
    "several lines": "-----BEGIN KEY-----\r\nabc=\n-----END KEY-----\n",
    "10,240 bytes": "ä" * 5_120,
}


async def assert_refused(attempt: Awaitable[object]) -> None:
    """Check that an attempt raises `CannotOpen`, with the same message each time and without details."""
    with pytest.raises(CannotOpen) as exc_info:
        await attempt
    error = exc_info.value
    assert (str(error), error.args) == ("Secret decryption failed", ("Secret decryption failed",))
    assert (error.__cause__, error.__context__) == (None, None)


def changed_by_a_bit(text: str) -> Iterator[str]:
    """Return every text that differs from this one (of ASCII) in one bit."""
    data = text.encode("ascii")
    for index, byte in enumerate(data):
        for bit in range(8):
            yield (data[:index] + bytes([byte ^ 1 << bit]) + data[index + 1 :]).decode("latin-1")


def truncations(text: str) -> Iterator[str]:
    """Return every text that lacks the end, the start or one character of this one, or repeats one."""
    for index in range(len(text)):
        yield from (
            text[:index],
            text[index + 1 :],
            text[:index] + text[index + 1 :],
            text[: index + 1] + text[index:],
        )


class VaultContracts:
    """The contracts 1 to 6."""

    pytestmark = pytest.mark.anyio

    def make_vault(self, folder: Path, *ids: str) -> Vault:
        """Return a vault with the keys of these ids, the first one active: the same keys for the same place and id.

        A missing id means that its key was removed.
        """
        raise NotImplementedError

    @pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
    async def test_c1_a_sealed_value_opens_to_the_same_text(self, tmp_path: Path, value: str) -> None:
        vault = self.make_vault(tmp_path, "k1")
        assert (await vault.open(BINDING, await vault.seal(BINDING, Secret(value)))).reveal() == value

    async def test_c1_another_vault_with_the_same_keys_opens_a_text(self, tmp_path: Path) -> None:
        sealed = await self.make_vault(tmp_path, "k1").seal(BINDING, Secret("a"))
        assert (await self.make_vault(tmp_path, "k1").open(replace(BINDING), sealed)).reveal() == "a"

    @pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
    async def test_c2_a_text_opens_for_no_other_binding(self, tmp_path: Path, other: Binding) -> None:
        vault, rotated = self.make_vault(tmp_path, "k1"), self.make_vault(tmp_path, "k2", "k1")
        sealed = await vault.seal(BINDING, Secret("a"))
        await assert_refused(vault.open(other, sealed))
        await assert_refused(rotated.rewrap(other, sealed))

    async def test_c2_a_text_with_any_bit_changed_does_not_open(self, tmp_path: Path) -> None:
        vault = self.make_vault(tmp_path, "k1")
        for text in changed_by_a_bit(await vault.seal(BINDING, Secret("sk-live-4242"))):
            await assert_refused(vault.open(BINDING, text))

    async def test_c2_a_text_with_any_part_missing_or_doubled_does_not_open(self, tmp_path: Path) -> None:
        vault = self.make_vault(tmp_path, "k1")
        sealed = await vault.seal(BINDING, Secret("sk-live-4242"))
        for text in {
            *truncations(sealed),
            *truncations(f"{sealed}="),
            f" {sealed}",
            f"{sealed}\n",
            f"{sealed}.",
            ".",
        } - {sealed}:
            await assert_refused(vault.open(BINDING, text))

    async def test_c2_a_changed_text_does_not_open_after_a_rotation_either(self, tmp_path: Path) -> None:
        vault, rotated = self.make_vault(tmp_path, "k1"), self.make_vault(tmp_path, "k2", "k1")
        for text in changed_by_a_bit(await vault.seal(BINDING, Secret("sk-live-4242"))):
            try:
                moved = await rotated.rewrap(BINDING, text)
            except CannotOpen:
                continue
            assert moved is not None
            await assert_refused(rotated.open(BINDING, moved))

    @pytest.mark.parametrize(
        "other", [OTHERS["name"], OTHERS["version"], BINDING], ids=["name", "version", "none"]
    )
    async def test_c2_parts_of_two_texts_do_not_open_together(self, tmp_path: Path, other: Binding) -> None:
        vault = self.make_vault(tmp_path, "k1")
        frame_piece = (await vault.seal(BINDING, Secret("a"))).split(".")
        two = (await vault.seal(other, Secret("b"))).split(".")
        for index in range(len(frame_piece)):
            mixed = [*frame_piece[:index], two[index], *frame_piece[index + 1 :]]
            for binding in {BINDING, other}:
                if mixed not in (frame_piece, two):
                    await assert_refused(vault.open(binding, ".".join(mixed)))

    async def test_c2_a_key_id_that_is_not_known_or_not_its_own_does_not_open(self, tmp_path: Path) -> None:
        vault = self.make_vault(tmp_path, "k1", "k2")
        sealed = await vault.seal(BINDING, Secret("a"))
        assert "k1" in sealed
        for odd in ("k2", "k3", "K1", "", "k1\n", "k1/../k2", "k" * 65, "\u212a1", "\ud800"):
            await assert_refused(vault.open(BINDING, sealed.replace("k1", odd, 1)))

    async def test_c3_the_same_value_looks_new_each_time(self, tmp_path: Path) -> None:
        vault = self.make_vault(tmp_path, "k1")
        texts = [await vault.seal(BINDING, Secret("a" * 99)) for _ in range(20)]
        assert len(set(texts)) == 20
        assert {len(text) for text in texts} == {len(texts[0])}
        for one, two in pairwise(texts):
            # Except for format and key id, two texts share no 16 characters: no data key, no nonce, no block.
            words = {one[index : index + 16] for index in range(8, len(one) - 16)}
            assert not [word for word in words if word in two[8:]]

    @pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
    async def test_c4_the_text_is_printable_ascii_without_blanks(self, tmp_path: Path, value: str) -> None:
        sealed = await self.make_vault(tmp_path, "k1").seal(BINDING, Secret(value))
        assert (sealed.isascii(), sealed.isprintable(), " " in sealed) == (True, True, False)

    async def test_c5_a_text_under_the_active_key_stays_unchanged(self, tmp_path: Path) -> None:
        vault = self.make_vault(tmp_path, "k1")
        assert await vault.active() == "k1"
        assert await vault.rewrap(BINDING, await vault.seal(BINDING, Secret("a"))) is None

    @pytest.mark.parametrize(
        "text", ["", "a", "ab1.k1..", "ab1.k2.AAAA.AAAA", "sk-live-4242", "\0", "é.é.é.é"]
    )
    async def test_c5_an_invalid_text_is_not_rotated(self, tmp_path: Path, text: str) -> None:
        await assert_refused(self.make_vault(tmp_path, "k2", "k1").rewrap(BINDING, text))
        await assert_refused(self.make_vault(tmp_path, "k2", "k1").open(BINDING, text))

    async def test_c5_no_read_fails_while_secrets_are_rotated_and_written(self, tmp_path: Path) -> None:
        vault_before = self.make_vault(tmp_path, "k1")
        bindings = [replace(BINDING, version=n) for n in range(1, 41)]
        sealed_values = {
            item: await vault_before.seal(item, Secret(f"value {item.version}")) for item in bindings
        }
        vault, finished_event = self.make_vault(tmp_path, "k2", "k1"), anyio.Event()

        async def read() -> None:
            while not finished_event.is_set():
                for binding, sealed in tuple(sealed_values.items()):
                    assert (await vault.open(binding, sealed)).reveal() == f"value {binding.version}"
                    await anyio.lowlevel.checkpoint()

        async def write() -> None:
            for version in range(41, 61):
                new = replace(BINDING, version=version)
                sealed_values[new] = await vault.seal(new, Secret(f"value {version}"))
                await anyio.lowlevel.checkpoint()

        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                for work in (read, read, write):
                    tasks.start_soon(work)
                for binding in bindings:
                    old, new = sealed_values[binding], await vault.rewrap(binding, sealed_values[binding])
                    assert new is not None
                    await anyio.lowlevel.checkpoint()
                    # A reader that read the row before it was replaced still has the old text.
                    assert await vault.open(binding, old) == await vault.open(binding, new)
                    sealed_values[binding] = new
                finished_event.set()
        assert [await vault.rewrap(binding, sealed) for binding, sealed in sealed_values.items()] == [
            None
        ] * 60
        vault_after = self.make_vault(tmp_path, "k2")
        opened = [
            (await vault_after.open(binding, sealed)).reveal() for binding, sealed in sealed_values.items()
        ]
        assert opened == [f"value {binding.version}" for binding in sealed_values]

    async def test_c6_secrets_of_a_removed_key_do_not_open(self, tmp_path: Path) -> None:
        sealed = await self.make_vault(tmp_path, "k1").seal(BINDING, Secret("a"))
        assert await self.make_vault(tmp_path, "k2", "k1").open(BINDING, sealed) == Secret("a")
        without = self.make_vault(tmp_path, "k2")
        await assert_refused(without.open(BINDING, sealed))
        await assert_refused(without.rewrap(BINDING, sealed))


class KeySourceContracts:
    """The contracts 8 to 10."""

    pytestmark = pytest.mark.anyio

    def make_keys(self, folder: Path, *ids: str) -> KeySource:
        """Return a source with the keys of these ids, the first one active; see `VaultContracts.make_vault`."""
        raise NotImplementedError

    async def test_c8_a_data_key_unwraps_under_its_id_with_its_context(self, tmp_path: Path) -> None:
        keys = self.make_keys(tmp_path, "k1", "k2")
        for key_id in ("k1", "k2"):
            wrapped = await keys.wrap(key_id, bytes(range(32)), b"context")
            assert len(wrapped) <= 2_048
            assert await keys.unwrap(key_id, wrapped, b"context") == bytes(range(32))
            assert await self.make_keys(tmp_path, "k2", "k1").unwrap(key_id, wrapped, b"context") == bytes(
                range(32)
            )

    async def test_c8_a_data_key_unwraps_under_no_other_id_or_context(self, tmp_path: Path) -> None:
        keys = self.make_keys(tmp_path, "k1", "k2")
        wrapped = await keys.wrap("k1", bytes(32), b"context")
        for key_id, context in (
            ("k2", b"context"),
            ("k3", b"context"),
            ("", b"context"),
            ("k1", b"other"),
            ("k1", b""),
        ):
            await assert_refused(keys.unwrap(key_id, wrapped, context))

    async def test_c9_a_wrapped_key_with_a_bit_changed_or_cut_does_not_unwrap(self, tmp_path: Path) -> None:
        keys = self.make_keys(tmp_path, "k1")
        wrapped = await keys.wrap("k1", bytes(32), b"context")
        for index in range(len(wrapped)):
            for bit in range(8):
                changed = wrapped[:index] + bytes([wrapped[index] ^ 1 << bit]) + wrapped[index + 1 :]
                await assert_refused(keys.unwrap("k1", changed, b"context"))
            await assert_refused(keys.unwrap("k1", wrapped[:index], b"context"))
        await assert_refused(keys.unwrap("k1", wrapped + b"\0", b"context"))

    async def test_c9_the_same_data_key_looks_new_each_time(self, tmp_path: Path) -> None:
        keys = self.make_keys(tmp_path, "k1")
        wrapped = [await keys.wrap("k1", bytes(32), b"context") for _ in range(20)]
        assert len(set(wrapped)) == 20
        assert not [item for item in wrapped if bytes(8) in item]

    async def test_c10_the_first_key_seals_and_the_others_still_open(self, tmp_path: Path) -> None:
        key_source_before, current_key_source = (
            self.make_keys(tmp_path, "k1"),
            self.make_keys(tmp_path, "k2", "k1"),
        )
        assert (await key_source_before.active(), await current_key_source.active()) == ("k1", "k2")
        wrapped = await key_source_before.wrap("k1", bytes(32), b"context")
        assert await current_key_source.unwrap("k1", wrapped, b"context") == bytes(32)
        await assert_refused(self.make_keys(tmp_path, "k2").unwrap("k1", wrapped, b"context"))


class UnreachableContracts(VaultContracts):
    """Contract 7, for vaults whose keys are kept elsewhere."""

    def outage(self, folder: Path) -> AbstractContextManager[object]:
        """Make the keys of a place unreachable while the context is open."""
        raise NotImplementedError

    async def test_c7_keys_that_cannot_be_reached_say_nothing_about_the_text(self, tmp_path: Path) -> None:
        vault = self.make_vault(tmp_path, "k1")
        sealed = await vault.seal(BINDING, Secret("a"))
        with self.outage(tmp_path):
            for attempt in (
                vault.active(),
                vault.seal(BINDING, Secret("b")),
                vault.open(BINDING, sealed),
                vault.open(OTHERS["name"], sealed),
                vault.rewrap(BINDING, sealed),
            ):
                with pytest.raises(KeysUnreachable):
                    await attempt
        assert await vault.open(BINDING, sealed) == Secret("a")
