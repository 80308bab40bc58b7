"""`askback agent`: list agents, stop one, and say which folders it may read."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer

from askback.cli.local import all_pages, run_as
from askback.cli.options import report_empty
from askback.client import AgentRecord, AsyncClient
from askback.errors import AskbackError

app = typer.Typer(add_completion=False, no_args_is_help=True)

DataDir = Annotated[Path | None, typer.Option(help="Folder of the server.")]
Agent = Annotated[str, typer.Argument(help="The agent, by id or name.")]
Folder = Annotated[Path, typer.Argument(help="A folder on the agent's machine.")]


@app.callback()
def agent() -> None:
    """List agents, stop one, and set the folders it may read without asking."""


@app.command(name="list")
def list_(data_dir: DataDir = None) -> None:
    """List agents with the folders that each may read without asking."""
    agents = run_as("admin", _every_agent, data_dir=data_dir)
    report_empty(agents, "agents")
    for agent in agents:
        state = f"stopped {agent.stopped_at:%Y-%m-%d}" if agent.stopped_at else "active"
        owner = f"for {agent.user}" if agent.user else ""
        print("  ".join(filter(None, [agent.id, agent.name, state, owner])))
        for root in agent.roots:
            print(f"    may read {root.path}")


@app.command()
def stop(agent: Agent, data_dir: DataDir = None) -> None:
    """Revoke an agent's tokens, cancel its open requests and end its modes."""
    stopped_agent = _change(agent, lambda client, record: client.agents.stop(record), data_dir=data_dir)
    print(f"Stopped {stopped_agent.name} ({stopped_agent.id}).")


@app.command()
def allow(agent: Agent, folder: Folder, data_dir: DataDir = None) -> None:
    """Let an agent read below a folder without asking."""
    path = str(folder.expanduser().absolute())
    agent_record = _change(
        agent, lambda client, record: client.agents.grant_root(record, path), data_dir=data_dir
    )
    print(f"{agent_record.name} may read {path} without asking.")


@app.command()
def disallow(agent: Agent, folder: Folder, data_dir: DataDir = None) -> None:
    """Revoke an agent's access to a folder."""
    path = str(folder.expanduser().absolute())
    agent_record = _change(
        agent, lambda client, record: client.agents.revoke_root(record, path), data_dir=data_dir
    )
    print(f"{agent_record.name} has to ask before it reads {path}.")


def _change(
    name: str,
    change: Callable[[AsyncClient, str], Coroutine[Any, Any, AgentRecord]],
    *,
    data_dir: Path | None,
) -> AgentRecord:
    async def work(client: AsyncClient) -> AgentRecord:
        return await change(client, await agent_id(client, name))

    return run_as("admin", work, data_dir=data_dir)


async def agent_id(client: AsyncClient, name: str) -> str:
    """Return the id of the agent with this id or name; a name must belong to exactly one running agent."""
    agents = await _every_agent(client)
    if any(agent.id == name for agent in agents):
        return name
    agents_with_name = [agent.id for agent in agents if agent.name == name and not agent.stopped_at]
    if len(agents_with_name) == 1:
        return agents_with_name[0]
    if not agents_with_name:
        raise AskbackError(f"No agent has the name or id {name}. See `askback agent list`.")
    raise AskbackError(
        f"{len(agents_with_name)} agents are named {name}. Give an id: {', '.join(agents_with_name)}."
    )


async def _every_agent(client: AsyncClient) -> list[AgentRecord]:
    return await all_pages(lambda cursor: client.agents.list(limit=200, cursor=cursor))
