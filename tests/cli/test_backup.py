"""`askback backup` and `askback restore`: nothing acknowledged is missing from the copy, and its secrets can be used."""

from __future__ import annotations

import asyncio
import json
import stat
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from askback import AsyncClient, Form, Text
from tests.cli.conftest import start
from tests.cli.scripts import complete
from tests.journeys.people import Person, leased_values
from tests.requirements import requirement

TOKENS = {"requester": "backup-requester-token", "responder": "backup-responder-token"}
LUNCH = Form(title="Lunch", fields=[Text(id="dish", label="Dish")])


@contextmanager
def run_server(data: Path) -> Iterator[str]:
    """Run a server with known tokens on a data folder."""
    bootstrap_tokens = ",".join(f"{role}:{token}" for role, token in TOKENS.items())
    options = ("serve", "--port", "0", "--data-dir", str(data), "--ready-json")
    room = "max_pending=100000,max_pending_per_agent=100000"
    process = start(*options, ASKBACK_BOOTSTRAP_TOKENS=bootstrap_tokens, ASKBACK_LIMITS=room)
    assert process.stdout is not None
    yield json.loads(process.stdout.readline())["url"]
    process.terminate()
    process.communicate(timeout=120)


async def askback(*arguments: str | Path, **environment: str) -> tuple[int, str, str]:
    return await anyio.to_thread.run_sync(lambda: complete(start(*map(str, arguments), **environment)))


@asynccontextmanager
async def people(url: str) -> AsyncIterator[tuple[Person, Person]]:
    async with Person(url, TOKENS["requester"]) as agent, Person(url, TOKENS["responder"]) as person:
        yield agent, person


async def give_secret(url: str) -> None:
    async with people(url) as (agent, person):
        request = (await agent.need("t1", "PAY_KEY", default_scope="global")).json()
        reply = await person.hand_over(request["id"], {"PAY_KEY": "sk-pay"}, scope="global")
        assert reply.json()["status"] == "answered"


async def keep_asking(url: str, asked_keys: list[str], *, task_status: Any) -> None:
    """Ask without a pause; requests in `asked_keys` were acknowledged."""
    async with AsyncClient(url, TOKENS["requester"]) as agent:
        task_status.started()
        while True:
            asked_keys.append((await agent.requests.create(LUNCH, thread_id="load")).id)


@requirement("N6")
@pytest.mark.anyio
async def test_a_backup_under_load_is_restored_elsewhere_and_its_secrets_are_leased(tmp_path: Path) -> None:
    copy, keys, new_data_dir = tmp_path / "copy", tmp_path / "safe" / "keys", tmp_path / "elsewhere"
    with run_server(tmp_path / "data") as url:
        await give_secret(url)
        asked_keys: list[str] = []
        async with anyio.create_task_group() as load:
            await asyncio.gather(*(load.start(keep_asking, url, asked_keys) for _ in range(4)))
            before = list(asked_keys)
            reply = await askback("backup", copy, "--keys", keys, "--data-dir", tmp_path / "data")
            load.cancel_scope.cancel()
    last = f"Wrote askback.db and settings.json in {copy}; master keys in {keys}.\n"
    assert reply == (0, last, "")
    files = [*copy.iterdir(), keys]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert sorted(file.name for file in files) == ["askback.db", "keys", "settings.json"]
    status, out, err = await askback("restore", copy, "--keys", keys, "--data-dir", new_data_dir)
    assert (status, err) == (0, "")
    assert out.endswith(f"to {new_data_dir / 'askback.db'}; master keys to {new_data_dir / 'master.key'}.\n")
    with run_server(new_data_dir) as url:
        async with people(url) as (agent, _):
            assert leased_values(await agent.lease("t1", "PAY_KEY")) == {"PAY_KEY": "sk-pay"}
            for request_id in before:
                assert (await agent.get(request_id))["status"] == "pending"


@requirement("N6")
@pytest.mark.anyio
async def test_a_backup_with_secrets_requires_a_choice_for_the_master_keys(tmp_path: Path) -> None:
    data, copy, keys = tmp_path / "data", tmp_path / "copy", tmp_path / "keys"
    with run_server(data) as url:
        await give_secret(url)
    status, _, err = await askback("backup", copy, "--data-dir", data)
    assert (status, "--keys FILE" in err, copy.exists()) == (1, True, False)
    status, out, _ = await askback("backup", copy, "--keys", "none", "--data-dir", data)
    assert (status, out) == (0, f"Wrote askback.db and settings.json in {copy}; no master keys.\n")
    status, _, err = await askback("restore", copy, "--data-dir", tmp_path / "new")
    assert (status, "--keys FILE" in err, (tmp_path / "new").exists()) == (1, True, False)
    keys.write_text(f"other:{'A' * 43}\n")
    keys.chmod(0o600)
    status, _, err = await askback("restore", copy, "--keys", keys, "--data-dir", tmp_path / "new")
    assert (status, "does not contain the master key" in err) == (1, True)
    new = tmp_path / "new"
    status, out, _ = await askback("restore", copy, "--keys", "none", "--data-dir", new)
    assert (status, "To seal it with a new key, erase the secrets, which cannot be read" in out) == (0, True)


@requirement("N6", "B28")
@pytest.mark.anyio
async def test_a_restore_without_keys_says_how_the_audit_log_is_sealed_again(tmp_path: Path) -> None:
    data, copy, new = tmp_path / "data", tmp_path / "copy", tmp_path / "new"
    with run_server(data):
        pass
    assert (await askback("backup", copy, "--data-dir", data))[0] == 0
    status, out, _ = await askback("restore", copy, "--data-dir", new)
    [_, last_line] = out.splitlines()
    assert (
        status,
        last_line.startswith("The audit log is sealed with a master key that was not restored"),
    ) == (
        0,
        True,
    )
    assert last_line.endswith(f"To seal it with a new key, run: askback audit seal --data-dir {new}")
    assert (await askback("audit", "verify", "--data-dir", new))[0] == 1
    assert (await askback("audit", "seal", "--data-dir", new))[0] == 0
    assert (await askback("audit", "verify", "--data-dir", new))[0] == 0


@requirement("N6")
@pytest.mark.anyio
async def test_a_backup_overwrites_nothing(tmp_path: Path) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy"
    with run_server(data) as url:
        async with AsyncClient(url, TOKENS["requester"]) as agent:
            await agent.requests.create(LUNCH, thread_id="t1")
        assert (await askback("backup", copy, "--data-dir", data))[0] == 0
        before = {file: file.read_bytes() for file in copy.iterdir()}
        status, _, err = await askback("backup", copy, "--data-dir", data)
        assert (status, err) == (1, f"askback: {copy} is not empty. Choose a new folder.\n")
        status, _, err = await askback("restore", copy, "--data-dir", data)
        assert (status, "is already a database" in err) == (1, True)
    occupied_folder = tmp_path / "occupied"
    occupied_folder.mkdir()
    (occupied_folder / "notes").write_text("mine")
    status, _, err = await askback("restore", copy, "--data-dir", occupied_folder)
    assert (status, err) == (1, f"askback: {occupied_folder} is not empty. Choose a new folder.\n")
    assert before == {file: file.read_bytes() for file in copy.iterdir()}


KILLED_AT_LAST = "import os, askback.cli.main; os.link = lambda *_: os._exit(9); askback.cli.main.main()"


@requirement("N6")
@pytest.mark.anyio
async def test_an_unfinished_restore_is_not_used_as_a_database(tmp_path: Path) -> None:
    data, copy, restored = tmp_path / "data", tmp_path / "copy", tmp_path / "restored"
    with run_server(data):
        assert (await askback("backup", copy, "--data-dir", data))[0] == 0
    killed = await anyio.run_process(
        [sys.executable, "-c", KILLED_AT_LAST, "restore", str(copy), "--data-dir", str(restored)], check=False
    )
    assert (killed.returncode, [file.name for file in restored.iterdir()]) == (9, ["askback.db.part"])
    status, _, err = await askback("serve", "--port", "0", "--data-dir", restored)
    assert (status, "was interrupted" in err) == (1, True)
    (restored / "askback.db.part").unlink()
    assert (await askback("restore", copy, "--data-dir", restored))[0] == 0


@requirement("N6")
@pytest.mark.anyio
async def test_on_postgres_keys_and_settings_are_written_and_the_rest_is_a_command(tmp_path: Path) -> None:
    copy, keys = tmp_path / "copy", tmp_path / "keys"
    environment = {
        "ASKBACK_DATABASE_URL": "postgresql://ada:hidden@db.example/askback?sslmode=require&sslpassword=hidden",
        "ASKBACK_MASTER_KEYS": f"main:{'A' * 43}",
        "ASKBACK_RETENTION_DAYS": "30",
    }
    status, out, err = await askback("backup", copy, "--keys", keys, **environment)
    assert (status, err) == (0, "")
    dump = f"  pg_dump --format=custom --schema=askback --file={copy}/askback.dump 'postgresql://ada@db.example/askback?sslmode=require'"
    assert out.splitlines()[1:] == [dump, f"Wrote settings.json in {copy}; master keys in {keys}."]
    assert json.loads((copy / "settings.json").read_text())["settings"] == {"ASKBACK_RETENTION_DAYS": "30"}
    assert f"main:{'A' * 43}" in keys.read_text()
    status, _, err = await askback("restore", copy, "--data-dir", tmp_path / "new")
    assert (status, "pg_restore" in err) == (1, True)
