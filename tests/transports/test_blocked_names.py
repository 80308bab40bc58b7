"""Names of secrets that the operator blocks, beside those that are always blocked."""

from __future__ import annotations

from pathlib import Path

import pytest

from askback.server.app import create_app
from askback.server.database_address import SettingsError
from askback.server.settings import load
from tests.requirements import requirement
from tests.transports.conftest import Api, ManualClock

pytestmark = pytest.mark.anyio

SETTING = {"ASKBACK_BLOCKED_SECRET_NAMES": "HOST_KEY, AGOR_MASTER_SECRET"}


@requirement("E3")
async def test_a_name_that_the_operator_blocks_is_neither_asked_for_nor_stored(tmp_path: Path) -> None:
    app = create_app(load(SETTING, data_dir=tmp_path), clock=ManualClock())
    async with app.running():
        api = Api(app, app.services.clock)  # pyright: ignore[reportArgumentType]
        agent, person = await api.as_("requester"), await api.as_("responder")
        for name, status in (("AGOR_MASTER_SECRET", 422), ("HOST_KEY", 422), ("OTHER_KEY", 201)):
            body = {"kind": "secret", "thread_id": "t1", "secret": {"names": ["A_KEY", name], "reason": "r"}}
            reply = await agent.post("/v1/requests", json=body)
            stored_reply = await person.post(
                "/v1/secrets", json={"name": name, "value": "value-of-it", "scope": "global"}
            )
            assert (reply.status_code, stored_reply.status_code) == (status, status), (
                reply.text,
                stored_reply.text,
            )
            if status == 422:
                faults = [
                    *reply.json()["error"]["field_errors"],
                    *stored_reply.json()["error"]["field_errors"],
                ]
                assert [(fault["path"], fault["code"]) for fault in faults] == [
                    ("secret.names[1]", "secret_blocked"),
                    ("name", "secret_blocked"),
                ]
                assert "value-of-it" not in stored_reply.text


@pytest.mark.parametrize("text", ["lower", "A-B", "A B", "1A"])
def test_an_invalid_name_of_a_secret_is_no_setting(text: str) -> None:
    with pytest.raises(SettingsError, match="ASKBACK_BLOCKED_SECRET_NAMES"):
        load({"ASKBACK_BLOCKED_SECRET_NAMES": text})
