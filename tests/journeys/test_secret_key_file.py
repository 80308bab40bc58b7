"""Group E: a server with its master keys in a file: the file is lost, or the keys are rotated, for one tenant or all."""

from __future__ import annotations

import logging
from pathlib import Path

import anyio
import pytest

from tests.journeys.keyhouse import KeyFolder, ring
from tests.journeys.people import leased_values, refusal, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

SECRETS_OFF = (409, "secrets_off")
PIN = {"id": "pin", "type": "text", "label": "PIN", "sensitive": True}


@pytest.fixture
def key_folder(tmp_path: Path) -> KeyFolder:
    return KeyFolder(tmp_path)


# --- a file that is missing ----------------------------------------------------------------------


@requirement("E14")
async def test_a_lost_key_file_is_not_replaced_if_secrets_exist(
    key_folder: KeyFolder, caplog: pytest.LogCaptureFixture
) -> None:
    async with key_folder.team(None) as team:
        await team.ada.keep("A_KEY", "value")
    before, copy = key_folder.sealed(), key_folder.key_file.rename(key_folder.data / "copy")
    async with key_folder.team(None) as team:
        refused_reply = await team.agent.need("t", "B_KEY")
        assert refusal(refused_reply) == SECRETS_OFF
        message = refused_reply.json()["error"]["message"]
        assert "the key file" in message
        assert "is missing" in message
        assert str(key_folder.data) not in message
        assert refusal(await team.ada.keep("B_KEY", "value")) == SECRETS_OFF
        assert refusal(await team.admin.rotate()) == SECRETS_OFF
        assert [item["name"] for item in await team.ada.list_secrets()] == ["A_KEY"]
        plain_request = request_of(
            await team.agent.ask("t", {"fields": [{"id": "q", "type": "text", "label": "Q"}]})
        )
        assert (await team.ada.answer(plain_request["id"], {"q": "a"})).status_code == 200
    assert not key_folder.key_file.exists()
    [entries] = [record for record in caplog.records if "secrets are off" in record.message]
    assert (entries.levelno, str(key_folder.key_file) in entries.message) == (logging.ERROR, True)
    copy.rename(key_folder.key_file)
    async with key_folder.team(None) as team:
        await team.agent.need("t", "A_KEY", default_scope="global")
        assert leased_values(await team.agent.lease("t", "A_KEY")) == {"A_KEY": "value"}
    assert key_folder.sealed() == before


@requirement("E14")
@pytest.mark.parametrize("sealed_text_kind", ["a field", "a candidate"])
async def test_any_sealed_text_keeps_another_key_from_being_made(
    key_folder: KeyFolder, sealed_text_kind: str
) -> None:
    async with key_folder.team(None) as team:
        if sealed_text_kind == "a field":
            request = request_of(await team.agent.ask("t", {"fields": [PIN]}))
            await team.ada.answer(request["id"], {"pin": "4711"})
        else:
            request = request_of(await team.agent.need("t", "A_KEY", probe=True))
            await team.ada.hand_over(request["id"], {"A_KEY": "value"})
    key_folder.key_file.unlink()
    async with key_folder.team(None) as team:
        assert refusal(await team.agent.need("t", "B_KEY")) == SECRETS_OFF
    assert not key_folder.key_file.exists()


@requirement("E14")
async def test_a_lost_key_file_is_created_again_if_nothing_was_sealed(key_folder: KeyFolder) -> None:
    async with key_folder.team(None) as team:
        kept_body = (await team.ada.keep("A_KEY", "value")).json()
        await team.ada.erase(kept_body["id"])
    key_folder.key_file.unlink()
    async with key_folder.team(None) as team:
        assert (await team.ada.keep("A_KEY", "value")).status_code == 201
    assert len(key_folder.keys_in_file()) == 1


# --- another key ------------------------------------------------------------------------------


@requirement("E15")
async def test_the_operator_adds_a_new_key_and_the_old_one_is_retired(key_folder: KeyFolder) -> None:
    async with key_folder.team(None) as team, key_folder.person("operator") as operator:
        await team.ada.keep("A_KEY", "value")
        async with key_folder.person("responder", tenant="acme") as stranger:
            await stranger.keep("B_KEY", "other")
        old = key_folder.keys_in_file()
        assert (await operator.rotate()).json() == {"rewrapped": 2, "left": 0, "dropped": 1}
        [new] = key_folder.keys_in_file()
        assert [new] != old
        assert key_folder.keys_in_use() == {new}
        assert key_folder.key_file.stat().st_mode & 0o777 == 0o600
        await team.agent.need("t", "A_KEY", default_scope="global")
        assert leased_values(await team.agent.lease("t", "A_KEY")) == {"A_KEY": "value"}
        entries, _ = await team.admin.audit()
        members = [
            (entry["action"], entry["actor"]["role"])
            for entry in entries
            if entry["action"].startswith("secret.rotate")
        ]
        assert members == [("secret.rotate", "operator"), ("secret.rotated", "operator")]
    async with key_folder.team(None) as team:
        await team.agent.need("t", "A_KEY", default_scope="global")
        assert leased_values(await team.agent.lease("t", "A_KEY")) == {"A_KEY": "value"}


@requirement("E15")
async def test_the_old_key_stays_for_old_copies_where_that_is_wished(key_folder: KeyFolder) -> None:
    async with key_folder.team(None) as team, key_folder.person("operator") as operator:
        await team.ada.keep("A_KEY", "value")
        [old] = key_folder.keys_in_file()
        reply = await operator.rotate(keep_old=True)
        assert reply.json() == {"rewrapped": 1, "left": 0, "dropped": 0}
        assert key_folder.keys_in_file()[1:] == [old]
        assert key_folder.keys_in_use() == set(key_folder.keys_in_file()[:1])


@requirement("E15")
async def test_no_key_is_retired_while_a_secret_cannot_be_opened(key_folder: KeyFolder) -> None:
    async with key_folder.team(ring("lost")) as team:
        await team.ada.keep("A_KEY", "value")
    key_folder.key_file.write_text(ring("file"))
    key_folder.key_file.chmod(0o600)
    async with key_folder.team(None) as team, key_folder.person("operator") as operator:
        await team.ada.keep("B_KEY", "value")
        assert (await operator.rotate()).json() == {"rewrapped": 1, "left": 1, "dropped": 0}
        assert key_folder.keys_in_file()[1:] == ["file"]


@requirement("E15")
async def test_an_admin_rotates_the_secrets_of_the_tenant_and_touches_no_key(key_folder: KeyFolder) -> None:
    async with key_folder.team(None) as team:
        await team.ada.keep("A_KEY", "value")
        async with key_folder.person("responder", tenant="acme") as stranger:
            await stranger.keep("B_KEY", "other")
        [old] = key_folder.keys_in_file()
        new = ring("new")
        key_folder.key_file.write_text(f"{new}\n{key_folder.key_file.read_text()}")
    async with key_folder.team(None) as team, key_folder.person("admin", tenant="acme") as admin:
        assert (await admin.rotate()).json() == {"rewrapped": 1, "left": 0, "dropped": 0}
        sealed = key_folder.sealed()
        assert {name: text.split(".")[1] for name, text in sealed.items()} == {"A_KEY": old, "B_KEY": "new"}
        assert key_folder.keys_in_file() == ["new", old]
        entries, _ = await team.admin.audit()
        assert [entry for entry in entries if entry["action"].startswith("secret.rotate")] == []


@requirement("E15")
async def test_a_rotation_that_was_cut_off_is_begun_again_and_loses_nothing(key_folder: KeyFolder) -> None:
    names = [f"KEY_{n}" for n in range(5)]
    async with key_folder.team(None) as team, key_folder.person("operator") as operator:
        for name in names:
            await team.ada.keep(name, name)
        await operator.rotate(keep_old=True)
        await team.ada.keep("KEY_9", "KEY_9")
    # As if the process had died after the first of them: a text of each key.
    key_folder.key_file.write_text(f"{ring('third')}\n{key_folder.key_file.read_text()}")
    async with key_folder.team(None) as team, key_folder.person("operator") as operator:
        await team.ada.keep("KEY_8", "KEY_8")
        assert len(key_folder.keys_in_use()) == 2
        assert (await operator.rotate()).json()["left"] == 0
        assert [*key_folder.keys_in_use()] == key_folder.keys_in_file()
        names += ["KEY_8", "KEY_9"]
        await team.agent.need("t", *names, default_scope="global")
        assert leased_values(await team.agent.lease("t", *names)) == {name: name for name in names}


@requirement("E15")
async def test_a_key_file_is_exchanged_under_readers_and_writers_without_a_failed_read(
    key_folder: KeyFolder,
) -> None:
    names = [f"KEY_{n}" for n in range(8)]
    failures: list[str] = []
    finished_event = anyio.Event()
    async with key_folder.team(None) as team, key_folder.person("operator") as operator:
        for name in names:
            await team.ada.keep(name, name)
        await team.agent.need("t", *names, default_scope="global")

        async def read() -> None:
            while not finished_event.is_set():
                reply = await team.agent.lease("t", *names)
                if reply.status_code != 200:
                    failures.append(reply.text)

        async def write() -> None:
            turn = 0
            while not finished_event.is_set():
                turn += 1
                reply = await team.ada.keep(names[turn % len(names)], f"value {turn}")
                if reply.status_code != 201:
                    failures.append(reply.text)

        async def rotate() -> None:
            for _ in range(4):
                reply = await operator.rotate()
                if reply.status_code != 200 or reply.json()["dropped"] != 1:
                    failures.append(reply.text)
            finished_event.set()

        with anyio.fail_after(120):
            async with anyio.create_task_group() as tasks:
                for item in (read, write, rotate):
                    tasks.start_soon(item)
        assert failures == []
        assert [*key_folder.keys_in_use()] == key_folder.keys_in_file()
    async with key_folder.team(None) as team:
        await team.agent.need("t", *names, default_scope="global")
        assert (await team.agent.lease("t", *names)).status_code == 200


@requirement("E15")
async def test_two_rotations_at_once_lose_no_key(key_folder: KeyFolder) -> None:
    async with key_folder.team(None) as team, key_folder.person("operator") as operator:
        await team.ada.keep("A_KEY", "value")
        statuses: list[int] = []

        async def rotate() -> None:
            statuses.append((await operator.rotate()).status_code)

        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(rotate)
        assert statuses == [200] * 4
        assert [*key_folder.keys_in_use()] == key_folder.keys_in_file()
    async with key_folder.team(None) as team:
        await team.agent.need("t", "A_KEY", default_scope="global")
        assert leased_values(await team.agent.lease("t", "A_KEY")) == {"A_KEY": "value"}
