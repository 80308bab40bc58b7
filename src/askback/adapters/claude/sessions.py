"""Find the settings of the user, and the sessions that Claude Code has stored on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

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
