"""The envelope: its format does not change, every text round-trips, and each part is checked."""

from __future__ import annotations

import hmac
import re
import sys
from dataclasses import asdict
from typing import Any

import pytest
import rfc8785
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import example, given
from hypothesis import strategies as st

from askback.domain.secrets.secret import Secret
from askback.ports.vault import Binding
from askback.testing.fake_keys import FakeKeys, FakeKeyService
from askback.testing.vault_contracts import BINDING, assert_refused
from askback.vault.envelope import DataKey, Envelope, key_context, value_context
from askback.vault.keys import KeyRing
from askback.vault.sealed import Box, SealedText, decode, encode, read, write
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

TEXT = st.text(max_size=300)
BINDINGS = st.builds(Binding, *[TEXT] * 5, st.integers(1, 2**53 - 1))
VAULT = Envelope(KeyRing({"k1": bytes(range(32))}))


@given(TEXT | st.text(min_size=2_000, max_size=2_560), BINDINGS)
@example("\0" * 10_240, BINDING)
@example("\U0001f511" * 2_560, BINDING)
async def test_any_value_opens_for_its_binding(value: str, binding: Binding) -> None:
    assert await VAULT.open(binding, await VAULT.seal(binding, Secret(value))) == Secret(value)


@requirement("P14")
@given(BINDINGS, BINDINGS, st.text())
async def test_an_envelope_opens_for_no_other_binding(one: Binding, two: Binding, value: str) -> None:
    if one != two:
        await assert_refused(VAULT.open(two, await VAULT.seal(one, Secret(value))))


@given(st.text())
async def test_other_text_does_not_open(text: str) -> None:
    await assert_refused(VAULT.open(BINDING, text))
    await assert_refused(VAULT.open(BINDING, f"ab1.k1.{text}"))


@given(BINDINGS, st.text(max_size=20))
def test_the_binding_is_canonical_json_of_every_field(binding: Binding, key_id: str) -> None:
    fields = {"format": "ab1", **asdict(binding)}
    assert value_context(binding) == rfc8785.dumps({**fields, "purpose": "secret value"})
    assert key_context(binding, key_id) == rfc8785.dumps(
        {**fields, "purpose": "secret data key", "key_id": key_id}
    )


async def test_a_text_of_this_format_can_be_made_by_hand() -> None:
    """The format, written out: a change needs a new version, because stored texts must open."""
    root, data_key, nonce = bytes(range(32)), bytes(range(32, 64)), bytes(range(12))
    extracted_key = hmac.digest(bytes(32), root, "sha256")
    kek = hmac.digest(extracted_key, b"askback/secret-kek/v1|k1\x01", "sha256")
    block = hmac.digest(data_key, b"askback/ab1: value key, commitment\x01", "sha512")
    wrapped = nonce + AESGCM(kek).encrypt(nonce, data_key, key_context(BINDING, "k1"))
    box = block[32:] + nonce + AESGCM(block[:32]).encrypt(nonce, "pä55".encode(), value_context(BINDING))
    sealed_text = f"ab1.k1.{encode(wrapped)}.{encode(box)}"
    assert sealed_text == (
        "ab1.k1.AAECAwQFBgcICQoLpZaJ55jkZV_jYy8n6VID3spwS2G0UWTrPfD6m9wJM6HkBmsk2cHwJZHrZ3n5ATQm"
        ".NVfYNA0pweja-0rIagCGxI_jGIhSIu3u_kzSQijFWzMAAQIDBAUGBwgJCguEl4BnZNEb3XFyVJsIiyL3gvSnX6o"
    )
    assert await VAULT.open(BINDING, sealed_text) == Secret("pä55")


@requirement("P14")
@given(st.text(max_size=20), BINDINGS, st.data())
async def test_a_text_that_was_cut_short_or_changed_does_not_open(
    value: str, binding: Binding, data: st.DataObject
) -> None:
    sealed = await VAULT.seal(binding, Secret(value))
    position = data.draw(st.integers(0, len(sealed) - 1))
    await assert_refused(VAULT.open(binding, sealed[:position]))
    other = "B" if sealed[position] == "A" else "A"
    await assert_refused(VAULT.open(binding, f"{sealed[:position]}{other}{sealed[position + 1 :]}"))


@requirement("P14")
async def test_a_rotation_changes_the_key_and_leaves_the_value_as_it_was() -> None:
    sealed = await VAULT.seal(BINDING, Secret("a"))
    moved = await Envelope(KeyRing({"k2": bytes(32), "k1": bytes(range(32))})).rewrap(BINDING, sealed)
    assert moved is not None
    old_frame_piece, new_frame_piece = sealed.split("."), moved.split(".")
    assert (new_frame_piece[0], new_frame_piece[1], new_frame_piece[3]) == (
        old_frame_piece[0],
        "k2",
        old_frame_piece[3],
    )
    assert new_frame_piece[2] != old_frame_piece[2]


async def test_a_source_that_hands_out_another_data_key_opens_nothing() -> None:
    class Mistaken(FakeKeys):
        async def unwrap(self, key_id: str, wrapped_key: bytes, context: bytes) -> bytes:
            return bytes(length)

    service = FakeKeyService("k1", "k2")
    sealed = await Envelope(FakeKeys(service, active_id="k1")).seal(BINDING, Secret("a"))
    for length in (0, 16, 32, 64):
        await assert_refused(Envelope(Mistaken(service, active_id="k1")).open(BINDING, sealed))
        await assert_refused(Envelope(Mistaken(service, active_id="k2")).rewrap(BINDING, sealed))


@pytest.mark.parametrize("key_id", ["", "arn:aws:kms:1", "a.b", "ä", "k" * 65, "k1\n"])
async def test_a_key_id_that_could_not_be_read_back_is_not_written(key_id: str) -> None:
    vault = Envelope(FakeKeys(FakeKeyService(key_id), active_id=key_id))
    with pytest.raises(ValueError, match="1 to 64 letters"):
        await vault.seal(BINDING, Secret("canary"))


@pytest.mark.parametrize("size", [0, 2_049])
def test_a_wrapped_key_that_could_not_be_read_back_is_not_written(size: int) -> None:
    with pytest.raises(ValueError, match="1 to 2,048 bytes"):
        write(SealedText("k1", bytes(size), Box(bytes(32), bytes(12), bytes(16))))


@given(
    st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True),
    st.binary(min_size=1, max_size=2_048),
    *[st.binary(min_size=size, max_size=size) for size in (32, 12)],
    st.binary(min_size=16, max_size=200),
)
def test_a_written_value_is_read_back(
    key_id: str, wrapped: bytes, commitment: bytes, nonce: bytes, ciphertext: bytes
) -> None:
    sealed = SealedText(key_id, wrapped, Box(commitment, nonce, ciphertext))
    assert read(write(sealed)) == sealed


@given(st.text(alphabet="AQgw_-+/= \n.", max_size=12))
def test_each_content_has_one_spelling(text: str) -> None:
    data = decode(text)
    assert data is None or encode(data) == text


def test_a_box_opens_with_its_own_key_alone_also_where_the_commitment_was_copied() -> None:
    mine, other = DataKey.new(), DataKey.new()
    box, foreign = mine.lock("a", b"context"), other.lock("b", b"context")
    forged = Box(box.commitment, foreign.nonce, foreign.ciphertext)
    assert [mine.unlock(item, b"context") for item in (box, foreign, forged)] == ["a", None, None]
    assert [mine.owns(item) for item in (box, foreign)] == [True, False]
    assert other.unlock(forged, b"context") is None


@requirement("E13")
async def test_a_thousand_secrets_are_opened_without_deriving_a_key_for_each() -> None:
    vault = Envelope(KeyRing({"k1": bytes(range(32))}))
    sealed = [await vault.seal(BINDING, Secret(f"value {n}")) for n in range(1_000)]
    library_calls = set[str]()

    def note(_frame: object, event: str, function: Any) -> None:
        if event == "c_call":
            library_calls.add(function.__qualname__)

    sys.setprofile(note)
    try:
        for text in sealed:
            await vault.open(BINDING, text)
    finally:
        sys.setprofile(None)
    assert "AESGCM.decrypt" in library_calls
    assert [
        name for name in library_calls if re.search("derive|scrypt|pbkdf|argon", name, re.IGNORECASE)
    ] == []
