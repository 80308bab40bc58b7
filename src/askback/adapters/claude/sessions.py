"""Find the settings of the user, and the sessions that Claude Code has stored on this machine."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from claude_agent_sdk import ClaudeAgentOptions, project_key_for_directory


def transcript_of(options: ClaudeAgentOptions, session_id: str) -> Path | None:
    """Return the transcript of a session, in whichever folder it was; None if it is not on this machine."""
    if options.session_store is not None:
        return None
    return next((config_folder(options) / "projects").glob(f"*/{session_id}.jsonl"), None)


def session_with_call(options: ClaudeAgentOptions, call_id: str) -> str | None:
    """Return the id of the session of the folder whose transcript has a tool call, the newest first."""
    folder = config_folder(options) / "projects" / project_key_for_directory(options.cwd)
    words = f'"id":"{call_id}"'.encode()
    return next((item.stem for item in _newest_first(folder) if words in item.read_bytes()), None)


def _newest_first(folder: Path) -> Iterator[Path]:
    yield from sorted(folder.glob("*.jsonl"), key=lambda item: item.stat().st_mtime, reverse=True)


def config_folder(options: ClaudeAgentOptions) -> Path:
    """Return the folder of the user's settings and of all transcripts, as the CLI finds it."""
    environment = {**os.environ, **options.env}
    folder = environment.get("CLAUDE_CONFIG_DIR")
    return Path(folder) if folder else Path(environment.get("HOME") or Path.home()) / ".claude"


def is_trusted(options: ClaudeAgentOptions, folder: Path) -> bool:
    """Return whether a person has told Claude Code to trust a folder, or one above it in the same repository.

    `claude` asks that at its first start in a folder, and a session of the SDK never does: it runs the hooks, the MCP
    servers and the helper commands that the settings of the folder name.
    """
    projects = _trust_records(options)
    resolved = folder.resolve()
    for item in (resolved, *resolved.parents):
        record = projects.get(str(item))
        if isinstance(record, dict) and cast("dict[str, Any]", record).get("hasTrustDialogAccepted") is True:
            return True
        if (item / ".git").exists():
            return False
    return False


def _trust_records(options: ClaudeAgentOptions) -> dict[str, Any]:
    """Return what Claude Code has stored about folders, by path; empty if it cannot be read."""
    environment = {**os.environ, **options.env}
    home = environment.get("CLAUDE_CONFIG_DIR") or environment.get("HOME") or Path.home()
    try:
        projects = json.loads((Path(home) / ".claude.json").read_text("utf-8"))["projects"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return cast("dict[str, Any]", projects) if isinstance(projects, dict) else {}
