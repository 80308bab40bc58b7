"""The example runs unchanged."""

from __future__ import annotations

from tests.adapters.conftest import Server
from tests.adapters.examples import output_of


async def test_the_example_deploys_the_approved_version(server: Server) -> None:
    out = await output_of("ag_ui", server, "release", version="2.0", decision="approve")
    assert "Deploying 2.0 to production." in out
