"""Commands on a Postgres database: their setup and output, which never shows the password."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import start, start_new_process
from tests.cli.scripts import complete
from tests.postgres_server import PostgresServer


@pytest.fixture
def url(postgres: PostgresServer) -> Iterator[str]:
    """The address of an empty database, with a password that Postgres does not ask for."""
    name = asyncio.run(postgres.new(template="template0"))
    yield postgres.database(name).url.replace("postgres@", "postgres:SECRET@")
    asyncio.run(postgres.drop(name))


def askback(url: str, data: Path, *arguments: str) -> tuple[int, str, str]:
    done = complete(start(*arguments, ASKBACK_DATABASE_URL=url, ASKBACK_DATA_DIR=str(data)))
    assert "SECRET" not in f"{done}"
    return done


def test_the_database_is_set_up_ahead_of_the_servers(url: str, tmp_path: Path) -> None:
    for _ in range(2):
        status, out, err = complete(
            start("db", "upgrade", "--database-url", url, ASKBACK_DATA_DIR=str(tmp_path))
        )
        assert (status, err) == (0, "")
        assert out.startswith("postgresql:///test_")
        assert out.endswith("is up to date.\n")


def test_the_audit_log_is_verified_and_exported(url: str, tmp_path: Path) -> None:
    for text in ("bash(make a)", "bash(make b)"):
        assert askback(url, tmp_path, "rules", "add", text)[0] == 0
    status, out, _ = askback(url, tmp_path, "audit", "export")
    assert status == 0
    entries = [json.loads(line) for line in out.splitlines()]
    assert [entry["rule"] for entry in entries if entry["action"] == "rule.add"] == [
        "bash(make a)",
        "bash(make b)",
    ]
    message_text = f"OK: {len(entries)} entries, head {len(entries)}:{entries[-1]['hash']}"
    assert askback(url, tmp_path, "audit", "verify") == (
        0,
        f"{message_text}, not sealed: there is no master key\n",
        "",
    )


def test_an_unreachable_database_is_reported_in_a_sentence(tmp_path: Path) -> None:
    url = "postgresql://ada:SECRET@127.0.0.1:9/askback"
    for command in (("serve", "--port", "0"), ("db", "upgrade"), ("audit", "verify")):
        status, _, err = askback(url, tmp_path, *command)
        assert status == 1
        assert "postgresql://127.0.0.1:9/askback" in err
        assert "Traceback" not in err


def test_without_asyncpg_the_extra_is_named(tmp_path: Path) -> None:
    (tmp_path / "asyncpg.py").write_text(
        "raise ModuleNotFoundError('No module named asyncpg', name='asyncpg')"
    )
    url = "postgresql://127.0.0.1/askback"
    process = start_new_process("db", "upgrade", "--database-url", url, PYTHONPATH=str(tmp_path))
    status, _, err = complete(process)
    assert (status, "askback[postgres]" in err, "Traceback" in err) == (1, True, False)
