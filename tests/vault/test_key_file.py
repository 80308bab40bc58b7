"""The key file: created once and atomically, private or refused, and replaced atomically in a rotation."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import anyio
import pytest

from askback.domain.secrets.secret import Secret
from askback.ports.vault import KEYS_MISSING, KEYS_UNUSABLE, CannotOpen, VaultLocked
from askback.testing.vault_contracts import BINDING
from askback.vault.envelope import Envelope
from askback.vault.keys import KeysUnusable
from askback.vault.ownkeys import KeyFile

pytestmark = pytest.mark.anyio


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "keys" / "master.keys"


async def open_key_file(path: Path, *, make: bool = True) -> KeyFile:
    """The keys of a file at a server's start."""
    keys = KeyFile(path)
    await keys.open(make=make)
    return keys


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_the_first_start_makes_a_key_and_the_next_one_reads_it(file: Path) -> None:
    sealed = await Envelope(await open_key_file(file)).seal(BINDING, Secret("a"))
    assert await Envelope(await open_key_file(file)).open(BINDING, sealed) == Secret("a")


@pytest.mark.parametrize("umask", [0, 0o022, 0o077])
async def test_the_file_and_its_folder_are_private_whatever_the_umask(file: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        await open_key_file(file)
    finally:
        os.umask(before)
    assert (mode(file), mode(file.parent)) == (0o600, 0o700)
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


async def test_two_files_have_two_keys(tmp_path: Path) -> None:
    for name in ("a", "b"):
        await open_key_file(tmp_path / name)
    assert (tmp_path / "a").read_text() != (tmp_path / "b").read_text()


async def test_servers_started_together_share_one_key(file: Path) -> None:
    together = Barrier(8)

    def start(_: int) -> Envelope:
        together.wait(timeout=120)
        return Envelope(anyio.run(open_key_file, file))

    with ThreadPoolExecutor(8) as pool:
        vaults = await anyio.to_thread.run_sync(lambda: list(pool.map(start, range(8))))
    sealed = await vaults[0].seal(BINDING, Secret("a"))
    assert [await vault.open(BINDING, sealed) for vault in vaults] == [Secret("a")] * 8
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize("bit", [0o040, 0o020, 0o010, 0o004, 0o002, 0o001])
async def test_a_file_that_others_may_use_is_refused(file: Path, bit: int) -> None:
    await open_key_file(file)
    file.chmod(0o600 | bit)
    with pytest.raises(KeysUnusable, match="chmod 600"):
        await open_key_file(file)


async def test_a_file_of_another_user_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await open_key_file(file)
    monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 1)
    with pytest.raises(KeysUnusable, match="another user"):
        await open_key_file(file)


async def test_a_file_that_may_only_be_read_is_good(file: Path) -> None:
    await open_key_file(file)
    file.chmod(0o400)
    await open_key_file(file)


async def test_the_target_of_a_link_is_checked(file: Path, tmp_path: Path) -> None:
    await open_key_file(file)
    link = tmp_path / "link"
    link.symlink_to(file)
    await open_key_file(link)
    file.chmod(0o644)
    with pytest.raises(KeysUnusable, match="chmod 600"):
        await open_key_file(link)


async def test_a_dangling_link_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "gone")
    with pytest.raises(KeysUnusable, match="No such file"):
        await open_key_file(link)
    assert [entry.name for entry in tmp_path.iterdir()] == ["link"]


async def test_a_pipe_instead_of_the_key_file_is_refused_immediately(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(KeysUnusable, match="not a file"):
        await open_key_file(tmp_path / "pipe")


async def test_a_folder_in_its_place_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KeysUnusable, match="cannot be used"):
        await open_key_file(tmp_path)


async def test_a_place_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(KeysUnusable, match="cannot be used"):
        await open_key_file(tmp_path / "a" / "master.keys")


@pytest.mark.parametrize(
    "content", [b"", b"# only a remark\n", b"canary-7f3a", b"k1:canary-7f3a\n", b"\xff\xfe"]
)
async def test_a_file_without_a_key_is_refused_not_shown_and_not_written(
    tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "master.keys"
    file.write_bytes(content)
    file.chmod(0o600)
    with pytest.raises(KeysUnusable, match=r"The key file .*master\.keys") as exc_info:
        await open_key_file(file)
    assert "canary" not in str(exc_info.value)
    assert file.read_bytes() == content


async def test_a_key_that_was_added_before_the_first_one_writes_and_the_old_one_reads(file: Path) -> None:
    old_envelope = Envelope(await open_key_file(file))
    sealed = await old_envelope.seal(BINDING, Secret("a"))
    key_text = file.read_text()
    file.write_text(f"# a remark, with a comma\nnew:{'A' * 43}\n{key_text}")
    vault = Envelope(await open_key_file(file))
    assert await vault.active() == "new"
    assert await vault.open(BINDING, sealed) == Secret("a")
    moved = await vault.rewrap(BINDING, sealed)
    assert moved is not None
    assert await vault.open(BINDING, moved) == Secret("a")


# --- a file that is missing ----------------------------------------------------------------------


async def test_a_missing_file_is_not_recreated_and_all_says_so(file: Path) -> None:
    keys = KeyFile(file)
    with pytest.raises(KeysUnusable, match="is missing"):
        await keys.open(make=False)
    assert not file.exists()
    vault = Envelope(keys)
    for attempt in (vault.active(), vault.seal(BINDING, Secret("a")), keys.add()):
        with pytest.raises(VaultLocked) as exc_info:
            await attempt
        assert str(exc_info.value) == KEYS_MISSING


async def test_the_error_for_an_unusable_key_file_shows_no_content(file: Path) -> None:
    await open_key_file(file)
    file.chmod(0o644)
    keys = KeyFile(file)
    with pytest.raises(KeysUnusable):
        await keys.open(make=False)
    with pytest.raises(VaultLocked) as exc_info:
        await keys.active()
    assert str(exc_info.value) == KEYS_UNUSABLE


async def test_a_restored_key_file_opens_its_secrets(file: Path) -> None:
    sealed = await Envelope(await open_key_file(file)).seal(BINDING, Secret("a"))
    copy = file.rename(file.with_name("copy"))
    with pytest.raises(KeysUnusable):
        await open_key_file(file, make=False)
    copy.rename(file)
    assert await Envelope(await open_key_file(file, make=False)).open(BINDING, sealed) == Secret("a")


# --- other keys -------------------------------------------------------------------------------


async def test_a_key_that_is_added_writes_and_is_in_the_private_file_before(file: Path) -> None:
    keys = await open_key_file(file)
    vault = Envelope(keys)
    before = await vault.seal(BINDING, Secret("a"))
    old = await vault.active()
    new = await keys.add()
    assert await vault.active() == new
    new_text = await vault.seal(BINDING, Secret("b"))
    assert (mode(file), [entry.name for entry in file.parent.iterdir()]) == (0o600, [file.name])
    second_envelope = Envelope(await open_key_file(file))
    assert await second_envelope.active() == new != old
    assert [await second_envelope.open(BINDING, item) for item in (before, new_text)] == [
        Secret("a"),
        Secret("b"),
    ]


async def test_a_key_that_was_dropped_is_in_the_file_no_more_and_reads_until_the_process_ends(
    file: Path,
) -> None:
    keys = await open_key_file(file)
    before = await Envelope(keys).seal(BINDING, Secret("a"))
    new = await keys.add()
    assert await keys.drop_others(new) == 1
    assert await Envelope(keys).open(BINDING, before) == Secret("a")
    with pytest.raises(CannotOpen):
        await Envelope(await open_key_file(file)).open(BINDING, before)
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    assert [line.partition(":")[0] for line in lines] == [new]


async def test_remarks_stay_when_keys_are_exchanged(file: Path) -> None:
    keys = await open_key_file(file)
    file.write_text(f"# of the house in the marketplace: ä\n{file.read_text()}", encoding="utf-8")
    remarks = [line for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    await keys.drop_others(await keys.add())
    assert file.read_text(encoding="utf-8").splitlines()[:-1] == remarks


async def test_a_link_stays_a_link_when_keys_are_exchanged(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    await open_key_file(file)
    link.symlink_to(file)
    new = await (await open_key_file(link)).add()
    assert link.is_symlink()
    assert await (await open_key_file(file)).active() == new


async def test_a_file_that_cannot_be_replaced_leaves_the_key_as_it_was(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = await open_key_file(file)
    before, content = await keys.active(), file.read_text()

    def fail_with_full_disk(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail_with_full_disk)
    with pytest.raises(KeysUnusable, match="No space left"):
        await keys.add()
    assert (await keys.active(), file.read_text()) == (before, content)
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]
