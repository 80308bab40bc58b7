"""Limits that the operator sets when the server starts."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import start
from tests.cli.scripts import complete
from tests.cli.test_serve import caller, run_server
from tests.requirements import requirement


@requirement("L3")
def test_limits_of_the_command_line_are_listed_and_enforced(tmp_path: Path) -> None:
    with (
        run_server(tmp_path, "--limit", "label=3", ASKBACK_LIMIT_TITLE="2") as (_, ready),
        caller(ready, "requester") as http,
    ):
        limits = http.get("/v1/limits").json()
        assert (limits["label"], limits["title"]) == (3, 2)
        form = {"title": "abc", "fields": [{"id": "a", "type": "text", "label": "abcd"}]}
        reply = http.post("/v1/requests", json={"kind": "form", "thread_id": "t", "form": form})
        assert [error["path"] for error in reply.json()["error"]["field_errors"]] == [
            "form.title",
            "form.fields[0].label",
        ]


def test_a_limit_that_cannot_be_set_stops_the_start(tmp_path: Path) -> None:
    with start("serve", "--data-dir", str(tmp_path), "--limit", "labels=3") as process:
        output = complete(process)
    assert process.returncode == 1
    assert "--limit: 'labels' is not a limit. Did you mean label?" in str(output)
    assert list(tmp_path.iterdir()) == []
