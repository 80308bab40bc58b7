"""A person's program manages secrets: set, listed by name, erased, rewrapped with a new key."""

from __future__ import annotations

import pytest

from askback import AsyncClient, Forbidden, Invalid, NotFound, Secret
from tests.client.conftest import Connect
from tests.requirements import requirement

VALUE = "value-to-keep-1"


@requirement("E19")
async def test_secrets_are_listed_by_name_and_scope_and_never_by_value(
    person: AsyncClient, thread: str
) -> None:
    first_secret = await person.secrets.set("A_KEY", VALUE, scope="session", thread_id=thread)
    second_secret = await person.secrets.set("A_KEY", Secret(VALUE + "2"), scope="session", thread_id=thread)
    assert (first_secret.id, first_secret.version, second_secret.version) == (second_secret.id, 1, 2)
    [listed] = [secret for secret in await person.secrets.list() if secret.thread_id == thread]
    assert (listed.agents, listed.model_copy(update={"agents": second_secret.agents})) == ([], second_secret)
    assert (listed.name, listed.scope, listed.set_by.name) == ("A_KEY", "session", "responder")  # type: ignore[union-attr]
    assert VALUE not in repr(await person.secrets.list())


async def test_pages_of_stored_secrets_follow_each_other(person: AsyncClient, thread: str) -> None:
    requests = [
        await person.secrets.set(f"KEY_{n}", VALUE, scope="session", thread_id=thread) for n in range(3)
    ]
    findings: list[str] = []
    cursor = None
    while len(findings) < 3:
        page = await person.secrets.list(limit=1, cursor=cursor)
        findings += [secret.id for secret in page if secret.thread_id == thread]
        cursor = page.next_cursor
    assert findings == [secret.id for secret in reversed(requests)]


async def test_an_erased_secret_is_gone_and_cannot_be_erased_again(person: AsyncClient, thread: str) -> None:
    kept_secret = await person.secrets.set("A_KEY", VALUE, scope="session", thread_id=thread)
    await person.secrets.delete(kept_secret)
    assert kept_secret.id not in {secret.id for secret in await person.secrets.list()}
    with pytest.raises(NotFound):
        await person.secrets.delete(kept_secret.id)


async def test_a_name_or_a_place_that_cannot_be_is_refused(person: AsyncClient, thread: str) -> None:
    with pytest.raises(Invalid) as exc_info:
        await person.secrets.set("LD_PRELOAD", VALUE, scope="session", thread_id=thread)
    assert [fault["path"] for fault in exc_info.value.field_errors] == ["name"]
    with pytest.raises(Invalid) as nowhere:
        await person.secrets.set("A_KEY", VALUE, scope="session")
    assert [fault["path"] for fault in nowhere.value.field_errors] == ["thread_id"]


async def test_an_agent_neither_lists_nor_keeps_nor_erases(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    kept_secret = await person.secrets.set("A_KEY", VALUE, scope="session", thread_id=thread)
    with pytest.raises(Forbidden):
        await agent.secrets.list()
    with pytest.raises(Forbidden):
        await agent.secrets.set("A_KEY", VALUE, scope="session", thread_id=thread)
    with pytest.raises(Forbidden):
        await agent.secrets.delete(kept_secret)


async def test_an_admin_puts_all_secrets_under_the_first_key(connect: Connect, person: AsyncClient) -> None:
    with pytest.raises(Forbidden):
        await person.secrets.rotate()
    async with connect("admin") as admin:
        rotation = await admin.secrets.rotate()
    assert (rotation.rewrapped, rotation.left) == (0, 0)
