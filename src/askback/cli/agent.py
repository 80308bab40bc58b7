"""`askback agent`: list agents, stop one, and say which folders it may read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from askback.cli import rest
from askback.errors import AskbackError

app = typer.Typer(add_completion=False, no_args_is_help=True)

DataDir = Annotated[Path | None, typer.Option(help="Folder of the server.")]
Agent = Annotated[str, typer.Argument(help="The agent, by id or name.")]
Folder = Annotated[Path, typer.Argument(help="A folder on the agent's machine.")]


@app.callback()
def agent() -> None:
    """List agents, stop one, and say which folders it may read without asking."""


@app.command(name="list")
def list_(data_dir: DataDir = None) -> None:
    """List agents with the folders that each may read without asking."""

    async def work(api: rest.Api) -> list[dict[str, Any]]:
        return await api.pages("/v1/agents", "agents")

    for found in rest.run("admin", work, data_dir=data_dir):
        state = f"stopped {found['stopped_at'][:10]}" if found["stopped_at"] else "active"
        works = f"for {found['user']}" if found["user"] else ""
        print("  ".join(filter(None, [found["id"], found["name"], state, works])))
        for root in found["roots"]:
            print(f"    may read {root['path']}")


@app.command()
def stop(agent: Agent, data_dir: DataDir = None) -> None:
    """Revoke an agent's tokens, cancel its open requests and end its modes."""
    found = _on(agent, "POST", "/stop", data_dir=data_dir)
    print(f"Stopped {found['name']} ({found['id']}).")


@app.command()
def allow(agent: Agent, folder: Folder, data_dir: DataDir = None) -> None:
    """Let an agent read below a folder without asking."""
    path = str(folder.expanduser().absolute())
    found = _on(agent, "POST", "/roots", data_dir=data_dir, body={"path": path})
    print(f"{found['name']} may read {path} without asking.")


@app.command()
def disallow(agent: Agent, folder: Folder, data_dir: DataDir = None) -> None:
    """Revoke an agent's access to a folder."""
    path = str(folder.expanduser().absolute())
    found = _on(agent, "DELETE", "/roots", data_dir=data_dir, query={"path": path})
    print(f"{found['name']} has to ask before it reads {path}.")


def _on(
    name: str,
    method: str,
    what: str,
    *,
    data_dir: Path | None,
    body: dict[str, Any] | None = None,
    query: dict[str, str] | None = None,
) -> dict[str, Any]:
    async def work(api: rest.Api) -> dict[str, Any]:
        found = await agent_id(api, name)
        return await api.call(method, f"/v1/agents/{quote(found, safe='')}{what}", body, query)

    return rest.run("admin", work, data_dir=data_dir)


async def agent_id(api: rest.Api, name: str) -> str:
    """Return the id of the agent with this id or name; a name has to be that of one agent that was not stopped."""
    known = await api.pages("/v1/agents", "agents")
    if any(found["id"] == name for found in known):
        return name
    named = [found["id"] for found in known if found["name"] == name and not found["stopped_at"]]
    if len(named) == 1:
        return named[0]
    if not named:
        raise AskbackError(f"No agent has the name or id {name}. See `askback agent list`.")
    raise AskbackError(f"{len(named)} agents are called {name}. Give an id: {', '.join(named)}.")
