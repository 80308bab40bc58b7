"""The key file: made once and whole, private or refused, never written again."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from askback.domain.secrets.secret import Secret
from askback.testing.vault_contracts import BINDING
from askback.vault.envelope import Envelope
from askback.vault.keyfile import open_key_file
from askback.vault.keys import KeysUnusable

pytestmark = pytest.mark.anyio


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "keys" / "master.keys"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_the_first_start_makes_a_key_and_the_next_one_reads_it(file: Path) -> None:
    sealed = await Envelope(open_key_file(file)).seal(BINDING, Secret("a"))
    assert await Envelope(open_key_file(file)).open(BINDING, sealed) == Secret("a")


@pytest.mark.parametrize("umask", [0, 0o022, 0o077])
def test_the_file_and_its_folder_are_private_whatever_the_umask(file: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        open_key_file(file)
    finally:
        os.umask(before)
    assert (mode(file), mode(file.parent)) == (0o600, 0o700)
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


def test_two_files_have_two_keys(tmp_path: Path) -> None:
    for name in ("a", "b"):
        open_key_file(tmp_path / name)
    assert (tmp_path / "a").read_text() != (tmp_path / "b").read_text()


async def test_of_many_that_start_at_once_all_have_the_same_key(file: Path) -> None:
    together = Barrier(8)

    def start(_: int) -> Envelope:
        together.wait(timeout=20)
        return Envelope(open_key_file(file))

    with ThreadPoolExecutor(8) as pool:
        vaults = list(pool.map(start, range(8)))
    sealed = await vaults[0].seal(BINDING, Secret("a"))
    assert [await vault.open(BINDING, sealed) for vault in vaults] == [Secret("a")] * 8
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize("bit", [0o040, 0o020, 0o010, 0o004, 0o002, 0o001])
def test_a_file_that_others_may_use_is_refused(file: Path, bit: int) -> None:
    open_key_file(file)
    file.chmod(0o600 | bit)
    with pytest.raises(KeysUnusable, match="chmod 600"):
        open_key_file(file)


def test_a_file_of_another_user_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_key_file(file)
    monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 1)
    with pytest.raises(KeysUnusable, match="another user"):
        open_key_file(file)


def test_a_file_that_may_only_be_read_is_good(file: Path) -> None:
    open_key_file(file)
    file.chmod(0o400)
    open_key_file(file)


def test_what_a_link_leads_to_is_what_is_checked(file: Path, tmp_path: Path) -> None:
    open_key_file(file)
    link = tmp_path / "link"
    link.symlink_to(file)
    open_key_file(link)
    file.chmod(0o644)
    with pytest.raises(KeysUnusable, match="chmod 600"):
        open_key_file(link)


def test_a_link_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "gone")
    with pytest.raises(KeysUnusable, match="No such file"):
        open_key_file(link)
    assert [entry.name for entry in tmp_path.iterdir()] == ["link"]


def test_a_pipe_in_its_place_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(KeysUnusable, match="not a file"):
        open_key_file(tmp_path / "pipe")


def test_a_folder_in_its_place_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KeysUnusable, match="cannot be used"):
        open_key_file(tmp_path)


def test_a_place_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(KeysUnusable, match="cannot be used"):
        open_key_file(tmp_path / "a" / "master.keys")


@pytest.mark.parametrize(
    "content", [b"", b"# only a remark\n", b"canary-7f3a", b"k1:canary-7f3a\n", b"\xff\xfe"]
)
def test_a_file_without_a_key_is_refused_not_shown_and_not_written(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "master.keys"
    file.write_bytes(content)
    file.chmod(0o600)
    with pytest.raises(KeysUnusable, match=r"The key file .*master\.keys") as caught:
        open_key_file(file)
    assert "canary" not in str(caught.value)
    assert file.read_bytes() == content


async def test_a_key_that_was_added_before_the_first_one_writes_and_the_old_one_reads(file: Path) -> None:
    old = Envelope(open_key_file(file))
    sealed = await old.seal(BINDING, Secret("a"))
    kept = file.read_text()
    file.write_text(f"# a remark, with a comma\nnew:{'A' * 43}\n{kept}")
    vault = Envelope(open_key_file(file))
    assert await vault.active() == "new"
    assert await vault.open(BINDING, sealed) == Secret("a")
    moved = await vault.rewrap(BINDING, sealed)
    assert moved is not None
    assert await vault.open(BINDING, moved) == Secret("a")
