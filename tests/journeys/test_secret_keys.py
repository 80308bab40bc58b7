"""Group E: master keys and sealed texts: no key, a wrong one, a new one, and moved rows."""

from __future__ import annotations

import base64
import sqlite3
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import anyio
import pytest

from askback.errors import AskbackError
from askback.server.app import create_app
from askback.server.settings import load
from tests.journeys.keyhouse import KeyFolder, ring
from tests.journeys.people import Team, leased_values, refusal, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

SECRETS_OFF = (409, "secrets_off")
CANNOT_OPEN = {"code": "cannot_open", "message": "Secret decryption failed"}

PIN = {"id": "pin", "type": "text", "label": "PIN", "sensitive": True}
FORM = {"fields": [{"id": "q", "type": "text", "label": "Q"}]}


@pytest.fixture
def key_folder(tmp_path: Path) -> KeyFolder:
    return KeyFolder(tmp_path)


# --- without a key ----------------------------------------------------------------------------


@requirement("E14")
async def test_without_a_master_key_secrets_are_refused_and_the_rest_works(key_folder: KeyFolder) -> None:
    async with key_folder.team("off") as team:
        refused_reply = await team.agent.need("t", "A_KEY")
        assert refusal(refused_reply) == SECRETS_OFF
        assert "ASKBACK_MASTER_KEYS" in refused_reply.json()["error"]["message"]
        assert refusal(await team.ada.keep("A_KEY", "value")) == SECRETS_OFF
        assert await team.ada.list_secrets() == []
        assert refusal(await team.agent.lease("t", "A_KEY")) == (404, "not_granted")
        plain_request = request_of(await team.agent.ask("t", FORM))
        assert (await team.ada.answer(plain_request["id"], {"q": "a"})).status_code == 200
        call = request_of(await team.agent.bash("t", "make deploy"))
        assert (await team.ada.decide(call["id"], "approve")).status_code == 200
    assert not (key_folder.data / "master.key").exists()


@requirement("E14")
async def test_an_open_request_for_secrets_refuses_values_without_a_key(
    key_folder: KeyFolder,
) -> None:
    async with key_folder.team(ring("k1")) as team:
        request = request_of(await team.agent.need("t", "A_KEY"))
        await team.ada.keep("B_KEY", "value")
    async with key_folder.team("off") as team:
        assert refusal(await team.ada.hand_over(request["id"], {"A_KEY": "value"})) == SECRETS_OFF
        assert await team.ada.get(request["id"]) == request
        assert [item["name"] for item in await team.ada.list_secrets()] == ["B_KEY"]
        assert refusal(await team.admin.rotate())[0] == 409
        assert (await team.ada.erase((await team.ada.list_secrets())[0]["id"])).status_code == 204


@requirement("E14")
async def test_a_form_with_a_sensitive_field_is_refused_without_a_master_key(key_folder: KeyFolder) -> None:
    async with key_folder.team("off") as team:
        assert refusal(await team.agent.ask("t", {"fields": [PIN]})) == SECRETS_OFF


@requirement("E14")
async def test_a_sensitive_field_takes_no_value_without_a_master_key(key_folder: KeyFolder) -> None:
    async with key_folder.team(ring("k1")) as team:
        request = request_of(await team.agent.ask("t", {"fields": [PIN]}))
    async with key_folder.team("off") as team:
        assert refusal(await team.ada.answer(request["id"], {"pin": "4711"})) == SECRETS_OFF
        assert await team.ada.get(request["id"]) == request


@requirement("E14")
@pytest.mark.parametrize("keys", ["k1:c2hvcnQ=", "c2hvcnQ=", "k 1:" + "A" * 43, ","])
def test_unusable_keys_stop_the_server_with_a_sentence_that_does_not_show_them(
    tmp_path: Path, keys: str
) -> None:
    with pytest.raises(AskbackError, match="^ASKBACK_MASTER_KEYS") as exc_info:
        create_app(load({"ASKBACK_MASTER_KEYS": keys}, data_dir=tmp_path))
    assert "c2hvcnQ" not in "".join(traceback.format_exception(exc_info.value))


@requirement("E13")
async def test_a_server_without_a_configured_key_creates_one_and_opens_its_secrets_after_a_restart(
    key_folder: KeyFolder,
) -> None:
    async with key_folder.team(None) as team:
        await team.ada.keep("A_KEY", "value")
    assert (key_folder.data / "master.key").stat().st_mode & 0o777 == 0o600
    async with key_folder.team(None) as team:
        team_request = await team.agent.need("t", "A_KEY", default_scope="global")
        assert team_request.json()["status"] == "answered"
        assert leased_values(await team.agent.lease("t", "A_KEY")) == {"A_KEY": "value"}


# --- what was changed behind the server's back ------------------------------------------------


def swap_sealed_texts(one: str, other: str) -> Callable[[sqlite3.Connection], object]:
    """Swap the sealed texts of two names."""

    def change(database: sqlite3.Connection) -> None:
        texts = dict(database.execute("SELECT name, sealed FROM secrets").fetchall())
        for name, text in ((one, texts[other]), (other, texts[one])):
            database.execute("UPDATE secrets SET sealed = ? WHERE name = ?", (text, name))

    return change


def rewritten(change: Callable[[str], str]) -> Callable[[sqlite3.Connection], object]:
    """Change the sealed text of every row."""

    def rewrite(database: sqlite3.Connection) -> None:
        for rowid, text in database.execute("SELECT rowid, sealed FROM secrets").fetchall():
            database.execute("UPDATE secrets SET sealed = ? WHERE rowid = ?", (change(text), rowid))

    return rewrite


def flip_bit(text: str, part: int) -> str:
    """Change one bit in the middle of a part of a sealed text."""
    parts = text.split(".")
    raw = bytearray(base64.urlsafe_b64decode(parts[part] + "=" * (-len(parts[part]) % 4)))
    raw[len(raw) // 2] ^= 1
    parts[part] = base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
    return ".".join(parts)


def cut_tag(text: str) -> str:
    """Take one byte off the tag."""
    head, _, box = text.rpartition(".")
    raw = base64.urlsafe_b64decode(box + "=" * (-len(box) % 4))[:-1]
    return f"{head}.{base64.urlsafe_b64encode(raw).rstrip(b'=').decode()}"


def swap_data_keys(database: sqlite3.Connection) -> None:
    """Swap the wrapped data keys of two rows, but not the values."""
    (one, first), (other, second) = database.execute("SELECT rowid, sealed FROM secrets").fetchall()
    for rowid, own, foreign in ((one, first, second), (other, second, first)):
        parts = own.split(".")
        parts[2] = foreign.split(".")[2]
        database.execute("UPDATE secrets SET sealed = ? WHERE rowid = ?", (".".join(parts), rowid))


TAMPERED: dict[str, Callable[[sqlite3.Connection], object]] = {
    "swapped with another name": swap_sealed_texts("A_KEY", "B_KEY"),
    "a bit of the value": rewritten(lambda text: flip_bit(text, 3)),
    "a bit of the wrapped key": rewritten(lambda text: flip_bit(text, 2)),
    "a tag cut short": rewritten(cut_tag),
    "an unknown key id": rewritten(lambda text: text.replace(".k1.", ".k9.")),
    "another format": rewritten(lambda text: text.replace("ab1.", "ab2.")),
    "not sealed at all": rewritten(lambda text: "value of A_KEY"),
    "empty": rewritten(lambda text: ""),
    "moved to another scope": lambda d: d.execute("UPDATE secrets SET scope = 'project'"),
    "moved to another thread": lambda d: d.execute("UPDATE secrets SET subject = 'u'"),
    "moved to another owner": lambda d: d.execute("UPDATE secrets SET owner = 'ada'"),
    "another version": lambda d: d.execute("UPDATE secrets SET version = version + 1"),
    "the wrapped key of the other": swap_data_keys,
}


@requirement("E13", "E16")
async def test_every_defect_of_a_ciphertext_has_the_same_error(
    key_folder: KeyFolder, caplog: pytest.LogCaptureFixture
) -> None:
    async with key_folder.team(ring("k1")) as team:
        for name in ("A_KEY", "B_KEY"):
            await team.ada.keep(name, f"value of {name}")
        reply = await team.agent.need("t", "A_KEY", "B_KEY", default_scope="global")
        assert reply.json()["status"] == "answered"
        good = leased_values(await team.agent.lease("t", "A_KEY", "B_KEY"))
        caplog.clear()
        for case, change in TAMPERED.items():
            with change_rows(key_folder, change):
                reply = await team.agent.lease("t", "A_KEY")
                assert (reply.status_code, reply.json()) == (409, {"error": CANNOT_OPEN}), case
        assert caplog.messages == []
        assert leased_values(await team.agent.lease("t", "A_KEY", "B_KEY")) == good
    async with key_folder.team(ring("k2")) as team:
        await team.agent.need("t", "A_KEY", default_scope="global")
        reply = await team.agent.lease("t", "A_KEY")
        assert (reply.status_code, reply.json()) == (409, {"error": CANNOT_OPEN})


@contextmanager
def change_rows(key_folder: KeyFolder, change: Callable[[sqlite3.Connection], object]) -> Iterator[None]:
    """Change the rows of the secrets in the database, and restore them."""
    with closing(sqlite3.connect(key_folder.database)) as database:
        with database:
            before = database.execute("SELECT * FROM secrets").fetchall()
            change(database)
        yield
        with database:
            database.execute("DELETE FROM secrets")
            marks = ", ".join("?" * len(before[0]))
            database.executemany(f"INSERT INTO secrets VALUES ({marks})", before)


# --- a new key --------------------------------------------------------------------------------


@requirement("E15")
async def test_all_secrets_come_under_a_new_key_while_they_are_read_and_written(
    key_folder: KeyFolder,
) -> None:
    names = [f"KEY_{n}" for n in range(40)]
    async with key_folder.team(ring("old")) as team:
        for name in names:
            await team.ada.keep(name, f"{name} 0")
        assert key_folder.keys_in_use() == {"old"}
    async with key_folder.team(ring("new", "old")) as team:
        for part in range(0, len(names), 10):
            reply = await team.agent.need("t", *names[part : part + 10], default_scope="global")
            assert reply.json()["status"] == "answered"
        rotation_results = await rotate_under_load(team, names)
        assert (rotation_results.failures, rotation_results.reads > 0, len(rotation_results.written) > 0) == (
            [],
            True,
            True,
        )
        assert key_folder.keys_in_use() == {"new"}
        second_body = (await team.admin.rotate()).json()
        assert second_body == {"rewrapped": 0, "left": 0, "dropped": 0}
    async with key_folder.team(ring("new")) as team:
        for part in range(0, len(names), 10):
            await team.agent.need("t", *names[part : part + 10], default_scope="global")
        values = leased_values(await team.agent.lease("t", *names))
        assert values == {name: f"{name} {rotation_results.written.get(name, 0)}" for name in names}


class RotationResults:
    """The results of readers and writers during the rotation."""

    def __init__(self) -> None:
        self.failures: list[str] = []
        self.written: dict[str, int] = {}
        self.reads = 0


async def rotate_under_load(team: Team, names: list[str]) -> RotationResults:
    """Rotate three times while a reader and a writer run."""
    rotation_results, finished_event = RotationResults(), anyio.Event()

    async def read() -> None:
        while not finished_event.is_set():
            reply = await team.agent.lease("t", *names)
            rotation_results.reads += 1
            if reply.status_code != 200 or any(
                not value.startswith(f"{name} ") for name, value in leased_values(reply).items()
            ):
                rotation_results.failures.append(reply.text[:200])

    async def write() -> None:
        turn = 0
        while not finished_event.is_set():
            name, turn = names[turn % len(names)], turn + 1
            reply = await team.ada.keep(name, f"{name} {turn}")
            if reply.status_code != 201:
                rotation_results.failures.append(reply.text[:200])
            rotation_results.written[name] = turn

    async def rotate() -> None:
        for _ in range(3):
            reply = await team.admin.rotate()
            if reply.status_code != 200 or reply.json()["left"]:
                rotation_results.failures.append(reply.text[:200])
        finished_event.set()

    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            for item in (read, write, rotate):
                tasks.start_soon(item)
    return rotation_results


@requirement("E15")
async def test_ciphertexts_that_no_key_opens_are_counted_and_left_unchanged(key_folder: KeyFolder) -> None:
    async with key_folder.team(ring("lost")) as team:
        await team.ada.keep("A_KEY", "value")
    before = key_folder.sealed()
    async with key_folder.team(ring("new")) as team:
        await team.ada.keep("B_KEY", "value")
        assert (await team.admin.rotate()).json() == {"rewrapped": 0, "left": 1, "dropped": 0}
        assert key_folder.sealed()["A_KEY"] == before["A_KEY"]
    async with key_folder.team(ring("new", "lost")) as team:
        assert (await team.admin.rotate()).json() == {"rewrapped": 1, "left": 0, "dropped": 0}
        await team.agent.need("t", "A_KEY", default_scope="global")
        assert leased_values(await team.agent.lease("t", "A_KEY")) == {"A_KEY": "value"}


@requirement("E15", "E23")
async def test_a_value_under_probe_is_rewrapped_with_the_new_key(key_folder: KeyFolder) -> None:
    async with key_folder.team(ring("old")) as team:
        request = request_of(await team.agent.need("t", "A_KEY", probe=True))
        await team.ada.hand_over(request["id"], {"A_KEY": "value"})
        token = team.agent.token
    async with key_folder.team(ring("new", "old")) as team:
        assert (await team.admin.rotate()).json() == {"rewrapped": 1, "left": 0, "dropped": 0}
    async with key_folder.team(ring("new")) as team:
        team.agent.http.headers["Authorization"] = f"Bearer {token}"
        assert (await team.agent.accept(request["id"])).json()["status"] == "answered"
        assert leased_values(await team.agent.lease("t", "A_KEY")) == {"A_KEY": "value"}
