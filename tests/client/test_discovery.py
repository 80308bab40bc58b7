"""A client finds its server, or says how to start one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askback.client import NoServer
from askback.client.discovery import ServerLocation, find


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("ASKBACK_URL", "ASKBACK_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ASKBACK_DATA_DIR", str(tmp_path))
    return tmp_path


def leave(folder: Path) -> None:
    left = {"url": "http://127.0.0.1:1", "requester_token": "left", "responder_token": "no"}
    (folder / "server.json").write_text(json.dumps(left))


def test_arguments_win_over_the_environment_and_that_over_the_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    leave(folder)
    assert find() == ServerLocation("http://127.0.0.1:1", "left")
    monkeypatch.setenv("ASKBACK_URL", "http://env:2/")
    monkeypatch.setenv("ASKBACK_TOKEN", "env")
    assert find() == ServerLocation("http://env:2", "env")
    assert find("https://arg:3", "arg") == ServerLocation("https://arg:3", "arg")


@pytest.mark.parametrize("content", [None, "", "{", "[]", '{"data_dir": "/srv"}'])
def test_a_file_of_credentials_without_a_token_is_nobody_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
):
    leave(folder)
    monkeypatch.setenv("ASKBACK_TOKEN", "env")
    monkeypatch.setenv("ASKBACK_CREDENTIALS", str(folder / "agent.json"))
    if content is not None:
        (folder / "agent.json").write_text(content)
    with pytest.raises(NoServer, match=r"The credentials file .*agent\.json, .* is missing or has no token"):
        find()
    assert find("http://arg:3", "arg") == ServerLocation("http://arg:3", "arg")


def test_a_token_of_one_server_is_not_sent_to_another(folder: Path):
    leave(folder)
    assert find("http://127.0.0.1:1").token == "left"
    with pytest.raises(NoServer, match="ASKBACK_TOKEN"):
        find("http://elsewhere:1")


@pytest.mark.parametrize("content", [None, "", "[1]", '{"url": 5}'])
def test_without_a_server_it_says_what_to_run(folder: Path, content: str | None):
    if content is not None:
        (folder / "server.json").write_text(content)
    with pytest.raises(NoServer, match="askback serve"):
        find()


@pytest.mark.parametrize(
    "url", ["localhost:8787", "ftp://x", "http://", "http:/x", "http://[::1", "http://x#y"]
)
def test_an_address_that_is_none_is_refused(url: str):
    with pytest.raises(NoServer, match="http://"):
        find(url, "token")
