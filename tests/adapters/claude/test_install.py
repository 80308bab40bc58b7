"""`askback install` and `uninstall`: what they change, and that nothing stays."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from askback import Approval, AsyncClient, Unauthorized
from askback.cli.clients.record import draft_of
from tests.adapters.claude.conftest import Askback
from tests.adapters.conftest import Server

KILLED = """
import os, runpy, signal
from askback.cli import install
install.replace_file = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
runpy.run_module("askback", run_name="__main__")
"""
"""A command that is killed when it has a token and would write it."""

FORM = {"fields": [{"id": "q", "type": "text", "label": "Which?"}]}


async def test_uninstall_restores_byte_for_byte_and_revokes_the_token(
    askback: Askback, project: Path, server: Server
) -> None:
    folder = project.parent / "claude"
    folder.mkdir()
    (folder / "settings.json").write_bytes(b'{"theme":  "dark",\r\n\t"hooks": {"PermissionRequest": []}}')
    before = {path: path.read_bytes() for path in folder.iterdir()}
    finished_askback = askback("install", "claude-code", "--yes", "--root", str(project))
    assert finished_askback.returncode == 0, finished_askback.stderr
    assert "askback hook" in finished_askback.stdout
    credentials = server._data / "clients" / "claude-code.json"
    assert credentials.stat().st_mode & 0o777 == 0o600
    token = json.loads(credentials.read_text())["token"]
    assert not [path for path in folder.iterdir() if token in path.read_text()]
    async with AsyncClient(server.url, token, thread_id="uninstalled") as agent_client:
        open_requests = [
            await agent_client.requests.create(FORM),
            await agent_client.requests.create(Approval(tool="deploy", input={})),
        ]
    async with server.client("admin") as admin:
        (agent,) = [item for item in await admin.agents.list() if item.name == "claude-code"]
        assert str(project) in [root.path for root in agent.roots]
        assert "already installed" in askback("install", "claude-code", "--yes").stderr
        finished_askback = askback("uninstall", "claude-code", "--yes")
        assert finished_askback.returncode == 0, finished_askback.stderr
        assert {path: path.read_bytes() for path in folder.iterdir()} == before
        assert not credentials.exists()
        assert str(project) not in [root.path for root in (await admin.agents.get(agent.id)).roots]
        for request in open_requests:
            ended_request = await admin.requests.get(request.id)
            assert (ended_request.status, ended_request.reason) == ("cancelled", "admin")
    async with AsyncClient(server.url, token) as revoked_async_client:
        with pytest.raises(Unauthorized):
            await revoked_async_client.requests.list()


async def test_uninstall_leaves_what_the_agent_asks_elsewhere(askback: Askback, server: Server) -> None:
    askback("install", "cursor", "--yes")
    async with server.client("admin") as admin:
        other = await admin.tokens.create(agent="cursor")
        async with AsyncClient(server.url, other.token.reveal(), thread_id="other machine") as agent_client:
            request = await agent_client.requests.create(FORM)
            askback("uninstall", "cursor", "--yes")
            assert (await agent_client.requests.get(request.id)).status == "pending"
        await admin.tokens.revoke(other)


def test_uninstall_removes_only_our_part_from_a_changed_file(askback: Askback, project: Path) -> None:
    state = project.parent / "claude" / ".claude.json"
    state.parent.mkdir()
    state.write_text('{"mcpServers": {"own": {"command": "own"}}}')
    askback("install", "claude-code", "--yes")
    changed = json.loads(state.read_text())
    assert set(changed["mcpServers"]) == {"own", "askback"}
    state.write_text(json.dumps({**changed, "numStartups": 3}))
    assert askback("uninstall", "claude-code", "--yes").returncode == 0
    assert json.loads(state.read_text()) == {"mcpServers": {"own": {"command": "own"}}, "numStartups": 3}
    assert not (state.parent / "settings.json").exists()


def test_uninstall_removes_a_renamed_entry_and_says_if_there_is_none(askback: Askback, project: Path) -> None:
    path = project.parent / ".cursor" / "mcp.json"
    for new_text, said in (('"people": {', '-    "people"'), (None, "no longer has an askback entry")):
        assert askback("install", "cursor", "--yes").returncode == 0
        text = (
            path.read_text().replace('"askback": {', new_text) if new_text else '{"mcpServers": {"own": {}}}'
        )
        path.write_text(f"// mine\n{text}")
        finished_askback = askback("uninstall", "cursor", "--yes")
        assert (finished_askback.returncode, said in finished_askback.stdout) == (0, True)
        assert path.read_text() == ("// mine\n{}\n" if new_text else f"// mine\n{text}")


@pytest.mark.parametrize(
    ("client", "file", "keys"),
    [
        ("cursor", ".cursor/mcp.json", ["mcpServers"]),
        ("vscode", ".config/Code/User/mcp.json", ["servers"]),
        ("codex", ".codex/config.toml", ["mcp_servers"]),
        ("gemini", ".gemini/settings.json", ["mcpServers"]),
    ],
)
def test_other_clients_get_the_mcp_server(
    client: str, file: str, keys: list[str], askback: Askback, project: Path
) -> None:
    path = project.parent / file
    assert askback("install", client, "--yes").returncode == 0
    read: Any = tomllib.loads if path.suffix == ".toml" else json.loads
    server = read(path.read_text())[keys[0]]["askback"]
    assert server["args"] == ["-E", "-P", "-m", "askback", "mcp"]
    assert Path(server["env"]["ASKBACK_CREDENTIALS"]).stat().st_mode & 0o777 == 0o600
    assert askback("uninstall", client, "--yes").returncode == 0
    assert not path.parent.exists()


@pytest.mark.parametrize("answer", ["n\n", ""])
def test_nothing_changes_before_a_yes(answer: str, askback: Askback, project: Path) -> None:
    finished_askback = askback("install", "claude-code", input=answer)
    assert finished_askback.returncode == 1
    assert "+    " in finished_askback.stdout
    assert not (project.parent / "claude").exists()


@pytest.mark.parametrize(
    ("client", "file", "text", "mode", "message"),
    [
        ("cursor", ".cursor/mcp.json", '{"a" 1}', 0o644, "cannot be edited: line 1"),
        ("codex", ".codex/config.toml", "[mcp_servers.askback]\ncommand = 'x'", 0o644, "already"),
        ("gemini", ".gemini/settings.json", "{}", 0o444, "is read-only"),
        ("cursor", ".cursor/mcp.json", b"\xff", 0o644, "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_changed_is_left_alone(
    client: str, file: str, text: str | bytes, mode: int, message: str, askback: Askback, project: Path
) -> None:
    path, content = project.parent / file, text if isinstance(text, bytes) else text.encode()
    path.parent.mkdir()
    path.write_bytes(content)
    path.chmod(mode)
    finished_askback = askback("install", client, "--yes")
    assert (finished_askback.returncode, message in finished_askback.stderr) == (1, True), (
        finished_askback.stderr
    )
    assert path.read_bytes() == content
    assert "is not installed here" in askback("uninstall", client, "--yes").stderr


def test_a_place_where_no_file_can_be_is_refused_before_anything_changes(
    askback: Askback, project: Path
) -> None:
    folder = project.parent / ".cursor"
    folder.write_text("a file")
    assert f"{folder} is not a folder" in askback("install", "cursor", "--yes").stderr
    folder.unlink()
    folder.mkdir()
    (folder / "mcp.json").symlink_to("mcp.json")
    assert (
        f"{folder}/mcp.json cannot be read: the link leads to itself"
        in askback("install", "cursor", "--yes").stderr
    )
    assert "is not installed here" in askback("uninstall", "cursor", "--yes").stderr


async def test_nothing_is_revoked_or_made_where_a_folder_is_protected(
    askback: Askback, project: Path, server: Server
) -> None:
    configuration, records = project.parent / ".cursor", server._data / "clients"
    records.mkdir(exist_ok=True)
    records.chmod(0o500)
    refused = askback("install", "cursor", "--yes")
    assert f"{records} is read-only. askback keeps the token" in refused.stderr
    assert not configuration.exists()
    records.chmod(0o700)
    assert askback("install", "cursor", "--yes").returncode == 0
    for folder in (configuration, records):
        folder.chmod(0o500)
        refused = askback("uninstall", "cursor", "--yes")
        assert (refused.returncode, f"{folder} is read-only" in refused.stderr) == (1, True)
        folder.chmod(0o700)
    async with server.client("admin") as admin:
        (cursor,) = [agent for agent in await admin.agents.list() if agent.name == "cursor"]
        tokens = await admin.tokens.list(agent=cursor.id)
    assert sum(token.revoked_at is None for token in tokens) == 1
    assert askback("uninstall", "cursor", "--yes").returncode == 0
    assert not configuration.exists()


def test_a_file_with_comments_that_is_a_link_is_changed_and_restored(askback: Askback, project: Path) -> None:
    original_file, link = project.parent / "dotfiles.json", project.parent / ".cursor" / "mcp.json"
    link.parent.mkdir()
    text = b'{\r\n\t// mine\r\n\t"mcpServers": {"own": {}}, // why\r\n}'
    original_file.write_bytes(text)
    link.symlink_to(original_file)
    assert askback("install", "cursor", "--yes").returncode == 0
    assert link.is_symlink()
    changed = original_file.read_bytes()
    assert b'"own": {}, "askback": {"command"' in changed
    original_file.write_bytes(changed.replace(b"// mine", b"// edited"))
    assert askback("uninstall", "cursor", "--yes").returncode == 0
    assert original_file.read_bytes() == text.replace(b"// mine", b"// edited")


def test_a_broken_file_is_named_and_the_rest_is_undone(
    askback: Askback, project: Path, server: Server
) -> None:
    path = project.parent / ".cursor" / "mcp.json"
    askback("install", "cursor", "--yes")
    path.write_text(path.read_text()[:-3])
    finished_askback = askback("uninstall", "cursor", "--yes")
    assert (
        finished_askback.returncode,
        f"{path} is as it was, with what askback added" in finished_askback.stderr,
    ) == (1, True)
    assert not (server._data / "clients" / "cursor.json").exists()


def test_the_hook_decides_nothing_without_a_server(askback: Askback, tmp_path: Path) -> None:
    credentials = tmp_path / "credentials.json"
    credentials.write_text(json.dumps({"token": "t", "url": "http://127.0.0.1:9"}))
    hook_input = {"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    for sent in (json.dumps(hook_input), "{", "[]", "{}"):
        finished_askback = askback("hook", "--credentials", str(credentials), input=sent)
        assert (finished_askback.returncode, finished_askback.stdout) == (0, "")
        assert finished_askback.stderr.startswith("askback was not asked: ")


def test_an_installation_that_was_killed_is_undone_without_a_trace(askback: Askback, project: Path) -> None:
    parent = project.parent
    askback("install", "cursor", "--yes")
    file = parent / ".cursor" / "mcp.json"
    file.rename(draft_of(file))  # as if it was killed before the last step
    assert askback("uninstall", "cursor", "--yes").returncode == 0
    assert not (parent / ".cursor").exists()


@pytest.mark.parametrize("crash_point", ["uninstall", "install"])
async def test_the_token_of_an_installation_that_was_killed_before_it_knew_the_token_is_revoked(
    crash_point: str, askback: Askback, environment: dict[str, str], project: Path, server: Server
) -> None:
    words = (sys.executable, "-c", KILLED, "install", "cursor", "--yes", "--root", str(project))
    killed = subprocess.run(words, env=environment, cwd=project, capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    async with server.client("admin") as admin:
        (cursor,) = [agent for agent in await admin.agents.list() if agent.name == "cursor"]
        (orphan,) = [token for token in await admin.tokens.list(agent=cursor.id) if token.revoked_at is None]
        assert askback(crash_point, "cursor", "--yes").returncode == 0
        valid = [token for token in await admin.tokens.list(agent=cursor.id) if token.revoked_at is None]
        assert (orphan not in valid, len(valid)) == (True, crash_point == "install")
        assert str(project) not in [root.path for root in (await admin.agents.get(cursor.id)).roots]
        askback("uninstall", "cursor", "--yes")
    assert not (project.parent / ".cursor").exists()
    assert not list((server._data / "clients").iterdir())
