"""The limit of iHub's `ask_user`, in its words."""

from __future__ import annotations

import pytest

from askback import Form, RateLimited, Text
from askback.compat import ihub
from tests.client.conftest import in_process
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


@requirement("D8", "L1")
async def test_the_eleventh_question_is_refused_in_the_words_of_ask_user() -> None:
    async with in_process() as connect, connect("admin") as admin, connect("requester") as agent:
        await admin.set_policy(thread_id="t1", **ihub.policy())
        for number in range(10):
            await agent.create(Form(title=f"{number}", fields=[Text(id="a", label="A")]), thread_id="t1")
        await agent.approve("deploy", {}, thread_id="t1", timeout_s=1)
        with pytest.raises(RateLimited) as refused:
            await agent.create(Form(fields=[Text(id="a", label="A")]), thread_id="t1")
    assert ihub.limit_reached(refused.value) == {
        "error": True,
        "code": "CLARIFICATION_LIMIT_REACHED",
        "message": "Maximum clarification limit (10) reached for this conversation. "
        "Please proceed with the available information or make reasonable assumptions.",
    }
