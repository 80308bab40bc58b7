"""The entry point: `askback <command>`. A command's module is imported when the command is called."""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from askback.errors import AskbackError

COMMANDS = {
    "demo": "Run a demo: an agent sets up a small project with you.",
    "serve": "Run the server.",
    "ask": "Ask a person from a shell script.",
    "approve": "Ask whether a tool call may run.",
    "run": "Run a command with secrets in its environment.",
    "inbox": "Answer requests in the terminal.",
    "chat": "Talk with an agent on a page.",
    "mcp": "Serve askback's tools to an MCP client.",
    "install": "Connect Claude Code, Cursor, VS Code, Codex or Gemini CLI.",
    "uninstall": "Disconnect a client, and restore its configuration.",
    "stop": "Stop the server that a connected client has started.",
    "hook": "Answer a permission prompt of Claude Code.",
    "rules": "Manage the rules for what may run without asking.",
    "policy": "Show or change the default policy.",
    "secrets": "Manage secrets.",
    "webhook": "Manage webhooks.",
    "thread": "Archive, export or delete conversations.",
    "audit": "Verify or export the audit log.",
    "login": "Print a new sign-in link for a browser.",
    "session": "List and end browser sessions.",
    "token": "Create, list and revoke tokens of agents and people.",
    "agent": "List agents, stop one, or set the folders it may read.",
    "backup": "Copy the database and the master keys.",
    "restore": "Restore a backup into a new folder.",
    "db": "Manage the database.",
}
"""The commands, each with its line of `askback --help`; module `cli/<command>.py` has an `app`."""


class Commands(TyperGroup):
    """A group that knows its commands by name only, so that `askback serve` does not load the others."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the signature is typer's
        """Return the names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - as above
        """Import one command; None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        command_app = _module(cmd_name).app
        command_app.rich_markup_mode = app.rich_markup_mode  # as markup, `[secret:NAME]` would be lost
        command = typer.main.get_command(command_app)
        command.name = cmd_name
        command.short_help = COMMANDS[cmd_name]
        return command

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help from the table, so that `--help` does not import all commands."""
        commands_by_name: dict[str, Any] = {
            name: TyperCommand(name, short_help=line) for name, line in COMMANDS.items()
        }
        TyperGroup(
            commands=commands_by_name,
            help=self.help,
            params=self.params,
            rich_markup_mode=self.rich_markup_mode,
        ).format_help(ctx, formatter)


POSIX = frozenset({"fcntl", "resource", "termios"})
"""Modules of Python that Windows lacks."""


def _module(command: str) -> Any:
    """Import the module of a command. Raises `AskbackError` if the system lacks a module that it needs."""
    gc.disable()  # an import creates little garbage, and collections would take a fifth of its time
    try:
        return import_module(f"askback.cli.{command}")
    except ModuleNotFoundError as error:
        if error.name not in POSIX:
            raise
        raise AskbackError(
            f"`askback {command}` needs Linux or macOS. On Windows, run it in WSL; the Python client works on Windows."
        ) from None
    finally:
        gc.freeze()  # otherwise the next allocation would scan all that was imported
        gc.enable()


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


def _show_version(is_set: bool) -> None:
    if is_set:
        from importlib.metadata import version

        print(f"askback {version('askback')}")
        raise typer.Exit


@app.callback()
def askback(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Ask people from agents and scripts, and serve the pages where they answer."""


def main() -> None:
    """Run the command line; a refusal, an unusable file or an unreadable argument prints one line, status 1."""
    try:
        app()
    except UnicodeEncodeError:
        print("askback: An argument is not valid UTF-8.", file=sys.stderr)
        raise SystemExit(1) from None
    except OSError as error:
        file_prefix = f"{error.filename}: " if error.filename else ""
        print(f"askback: {file_prefix}{error.strerror or error}", file=sys.stderr)
        raise SystemExit(1) from None
    except AskbackError as error:
        print(f"askback: {error}", file=sys.stderr)
        raise SystemExit(1) from None
