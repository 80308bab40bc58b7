"""The environment of a Claude CLI in tests."""

from __future__ import annotations

from pathlib import Path


def cli_environment(model_url: str, path: Path) -> dict[str, str]:
    """Return variables for a CLI that talks to the fake model only and keeps its files below `home`."""
    return {
        "ANTHROPIC_BASE_URL": model_url,
        "ANTHROPIC_API_KEY": "no-key",
        "HOME": str(path),  # its shell reads no profile of the person who runs the tests
        "CLAUDE_CONFIG_DIR": str(path / "claude"),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "IS_SANDBOX": "1",
        "MCP_CONNECTION_NONBLOCKING": "0",  # on a busy machine a server starts slowly
        "MCP_TIMEOUT": "120000",
    }
