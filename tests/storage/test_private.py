"""Files that other users can read, and folders that they can write, stop a start."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from askback.errors import StoreUnusable
from askback.server.app import create_app
from askback.server.bootstrap_tokens import open_keyring
from askback.server.settings import load
from tests.requirements import requirement


async def run(data: Path, **environment: str) -> None:
    app = create_app(load(environment, data_dir=data))
    async with app.running():
        await open_keyring(app)


@requirement("E13")
async def test_a_file_that_others_can_use_stops_the_start(tmp_path: Path) -> None:
    data = tmp_path / "its data"
    await run(data)
    for name, mode in product(("askback.db", "master.key", "server.json"), (0o640, 0o604, 0o620)):
        (data / name).chmod(mode)
        with pytest.raises(StoreUnusable) as exc_info:
            await run(data)
        assert f"chmod 600 '{data / name}'" in str(exc_info.value)
        assert (data / name).stat().st_mode & 0o777 == mode
        (data / name).chmod(0o600)
    await run(data)


@pytest.mark.parametrize("mode", [0o770, 0o1777, 0o702])
async def test_a_folder_that_others_can_write_stops_the_start(tmp_path: Path, mode: int) -> None:
    tmp_path.chmod(mode)
    with pytest.raises(StoreUnusable, match=f"chmod 700 {tmp_path}"):
        await run(tmp_path)
    with pytest.raises(StoreUnusable, match=f"chmod 700 {tmp_path}"):
        await run(tmp_path / "data", ASKBACK_DATABASE_URL=f"sqlite:///{tmp_path}/askback.db")
    assert not list(tmp_path.glob("*.db"))


async def test_a_folder_that_others_can_only_list_is_taken_and_a_new_one_is_private(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    await run(tmp_path)
    database = tmp_path / "made" / "deep" / "askback.db"
    await run(tmp_path, ASKBACK_DATABASE_URL=f"sqlite:///{database}")
    assert [folder.stat().st_mode & 0o777 for folder in (database.parent, database.parent.parent)] == [
        0o700
    ] * 2
