"""Master keys from a setting: read strictly, refused without showing them, never shown afterwards."""

from __future__ import annotations

import base64
import copy
import pickle
import traceback
from collections.abc import Callable

import pytest

from askback.ports.vault import CannotOpen
from askback.testing.vault_contracts import assert_refused
from askback.vault.keys import KeyRing, KeysUnusable, parse_keys

pytestmark = pytest.mark.anyio

ONE, TWO = bytes(range(200, 232)), bytes([251, 255, 190, *range(29)])


def encode_key(key: bytes) -> str:
    return base64.urlsafe_b64encode(key).rstrip(b"=").decode()


def ring(text: str) -> KeyRing:
    return KeyRing(parse_keys(text, source="ASKBACK_MASTER_KEYS"))


@pytest.mark.parametrize(
    "text",
    [
        f"new:{encode_key(TWO)},old:{encode_key(ONE)}",
        f" new:{encode_key(TWO)} , old:{encode_key(ONE)} ,",
        f",new:{encode_key(TWO)},,old:{encode_key(ONE)}",
        f"new:{base64.b64encode(TWO).decode()},old:{base64.urlsafe_b64encode(ONE).decode()}",
    ],
)
async def test_a_setting_gives_its_keys_in_order_in_any_spelling_of_base64(text: str) -> None:
    keys, alike = ring(text), KeyRing({"new": TWO, "old": ONE})
    assert await keys.active() == "new"
    for key_id in ("new", "old"):
        wrapped = await alike.wrap(key_id, bytes(32), b"context")
        assert await keys.unwrap(key_id, wrapped, b"context") == bytes(32)


REFUSED = {
    "too short": (f"a:{encode_key(ONE[:31])}", "entry 1"),
    "too long": (f"a:{encode_key(ONE + b'x')}", "entry 1"),
    "16 bytes": (f"a:{encode_key(ONE[:16])}", "entry 1"),
    "hexadecimal": (f"a:{ONE.hex()}", "entry 1"),
    "no base64": (f"a:{'!' * 43}", "entry 1"),
    "bits that base64 has to spare": (f"a:{encode_key(bytes(32))[:-1]}B", "entry 1"),
    "two signs of padding": (f"a:{encode_key(ONE)}==", "entry 1"),
    "a blank inside": (f"a:{encode_key(ONE)[:20]} {encode_key(ONE)[20:]}", "entry 1"),
    "no id": (encode_key(ONE), "entry 1"),
    "an empty id": (f":{encode_key(ONE)}", "entry 1"),
    "an odd id": (f"a b:{encode_key(ONE)}", "entry 1"),
    "a long id": (f"{'a' * 65}:{encode_key(ONE)}", "entry 1"),
    "key and id swapped": (f"{encode_key(ONE)}:a", "entry 1"),
    "no key": ("a:", "entry 1"),
    "the second one": (f"a:{encode_key(ONE)},b:{encode_key(TWO)[:-4]}", "entry 2"),
    "one id twice": (f"a:{encode_key(ONE)},a:{encode_key(TWO)}", "entry 2 has the id or the key"),
    "one key twice": (f"a:{encode_key(ONE)},b:{encode_key(ONE)}=", "entry 2 has the id or the key"),
    "nothing": ("", "contains no key"),
    "only commas": (" , ,", "contains no key"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_invalid_key_is_named_by_its_number_and_not_shown(case: str) -> None:
    text, reason = REFUSED[case]
    with pytest.raises(KeysUnusable, match=f"ASKBACK_MASTER_KEYS.*{reason}") as exc_info:
        ring(text)
    traceback_text = "".join(traceback.format_exception(exc_info.value))
    for secret in (encode_key(ONE), encode_key(TWO), ONE.hex(), text):
        parts = {secret[index : index + 8] for index in range(len(secret) - 7)}
        assert [part for part in parts if part in traceback_text] == []


@pytest.mark.parametrize("keys", [{}, {"a": b"short"}, {"a": ONE, "b": ONE + b"x"}])
def test_a_ring_needs_a_key_and_whole_ones(keys: dict[str, bytes]) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        KeyRing(keys)


async def test_one_key_under_two_ids_is_two_keys() -> None:
    keys = KeyRing({"a": ONE, "b": ONE})
    await assert_refused(keys.unwrap("b", await keys.wrap("a", bytes(32), b"context"), b"context"))


def test_a_ring_shows_ids_alone() -> None:
    keys = ring(f"new:{encode_key(TWO)},old:{encode_key(ONE)}")
    assert f"{keys} {keys!r}" == "KeyRing(new, old) KeyRing(new, old)"


COPY_FUNCTIONS: list[Callable[[KeyRing], object]] = [copy.copy, copy.deepcopy, pickle.dumps]


@pytest.mark.parametrize("carry", COPY_FUNCTIONS, ids=lambda carry: carry.__name__)
def test_a_ring_is_not_copied(carry: Callable[[KeyRing], object]) -> None:
    with pytest.raises(TypeError):
        carry(KeyRing({"a": ONE}))


def test_no_attribute_of_a_ring_holds_a_key() -> None:
    keys = KeyRing({"a": ONE})
    assert repr(ONE) not in repr(vars(keys))


def test_the_error_has_one_text() -> None:
    assert str(CannotOpen()) == "Secret decryption failed"
