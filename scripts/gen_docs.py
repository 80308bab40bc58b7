"""Generate parts of the documentation from the code; `--check` only compares.

- the files that pages include (`<!-- file: examples/agent.py -->`)
- docs/reference/lifecycle.md, from the lifecycle table
- docs/reference/errors.md, from the tree of errors
- docs/reference/cli.md, from the commands' own help
- docs/reference/settings.md, from the settings' own text
- docs/reference/forms.md, from the models of a form
- docs/reference/reasons.md, from the catalogue of texts
- docs/reference/times.md, from the constants with the default times
- docs/decisions/README.md, from the titles of the decisions
"""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Before typer is imported: help texts must not depend on the terminal.
os.environ.update(COLUMNS="100", TERM="dumb", NO_COLOR="1", TYPER_USE_RICH="0", _TYPER_STANDARD_TRACEBACK="1")

import typer

from askback import errors, messages
from askback.cli.main import app
from askback.domain.lifecycle import CANCELLED_BY, NEXT_STATUS, REASONS, TERMINAL, Status
from askback.domain.limits import DEFAULTS, Limits
from askback.domain.modeltext import TEXTS
from askback.server import settings
from askback.wire.operations import OPERATIONS
from forms_page import forms_page
from times_page import times_page

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"
INCLUDED = re.compile(r"<!-- file: (\S+) -->\n```(\w+)\n.*?```", re.DOTALL)
GIVERS = ("requester", "admin", "server")
NOTE = "<!-- Written by scripts/gen_docs.py: `make gen`. -->\n\n"


def include_files(page: str) -> str:
    """Return a page with the current text of each included file."""
    return INCLUDED.sub(
        lambda m: f"<!-- file: {m[1]} -->\n```{m[2]}\n{(ROOT / m[1]).read_text(encoding='utf-8')}```", page
    )


def lifecycle() -> str:
    """The page about the lifecycle: a diagram, the table and the reasons."""
    steps = [f"    {a} --> {b}: {transition}" for (a, transition), b in NEXT_STATUS.items()]
    end_lines = [f"    {status} --> [*]" for status in Status if status in TERMINAL]
    rows = [f"| `{a}` | {transition} | `{b}` |" for (a, transition), b in NEXT_STATUS.items()]
    decline_reasons = ", ".join(f"`{reason}`" for reason in sorted(REASONS[Status.DECLINED]))
    cancelled = [
        f"| `{reason}` | {' | '.join('yes' if giver in givers else '' for giver in GIVERS)} "
        f"| {TEXTS[f'cancelled.{reason}']} |"
        for reason, givers in CANCELLED_BY.items()
    ]
    return "\n".join(
        [
            "# The lifecycle of a request\n",
            "Every legal transition of a request. The server refuses any other. If several happen at once, one wins.\n",
            "```mermaid\nstateDiagram-v2\n    [*] --> pending",
            *steps,
            *end_lines,
            "```\n",
            "| from | by | to |\n|---|---|---|",
            *rows,
            f"\nA request is `declined` as {decline_reasons}. It is `cancelled` with one of these reasons:\n",
            "| reason | requester | admin | server | what the agent reads |\n|---|---|---|---|---|",
            *cancelled,
            "\nA `declined`, `cancelled` or `expired` request never has an answer.\n",
        ]
    )


def refusals(cls: type[errors.Refused] = errors.Refused) -> Iterator[type[errors.Refused]]:
    """Every kind of refusal that the client raises, in the order of the tree."""
    for child in cls.__subclasses__():
        if child.__module__ == errors.__name__:
            yield child
            yield from refusals(child)


def error_page() -> str:
    """The page about errors: the tree and the meaning of each."""
    tree = (errors.__doc__ or "").partition("\n\n")[2].partition("\n\n`code`")[0]
    rows = [
        f"| `{cls.__name__}` | {cls.status} | `{cls.default_code}` | {(cls.__doc__ or '').splitlines()[0]} |"
        for cls in refusals()
    ]
    return "\n".join(
        [
            "# Errors\n",
            "The client raises these; the server sends them as JSON (see [the protocol](wire.md)).\n",
            f"```text\n{tree}\n```\n",
            "| class | status | usual code | |\n|---|---|---|---|",
            *rows,
            "\n`code` is for programs and does not change. `message` says how to fix the problem.\n",
        ]
    )


def commands(command: Any, path: str) -> Iterator[str]:
    """The help of a command and of the commands below it, as sections."""
    context = typer.Context(command, info_name=path, max_content_width=100, terminal_width=100)
    yield f"## `{path}`\n\n```text\n{command.get_help(context).rstrip()}\n```\n"
    if hasattr(command, "list_commands"):
        for name in command.list_commands(context):
            yield from commands(command.get_command(context, name), f"{path} {name}")


def cli() -> str:
    """The page about the commands: the output of `--help`."""
    return "# Commands\n\n" + "\n".join(commands(typer.main.get_command(app), "askback"))


def limit_rows() -> Iterator[str]:
    """The rows of the table of limits: name, default, and the text below it in the code."""
    (body,) = (
        item.body for item in ast.parse(inspect.getsource(Limits)).body if isinstance(item, ast.ClassDef)
    )
    for row, next_row in zip(body, [*body[1:], None], strict=True):
        if isinstance(row, ast.AnnAssign) and isinstance(row.target, ast.Name):
            if not (isinstance(next_row, ast.Expr) and isinstance(next_row.value, ast.Constant)):
                raise SystemExit(f"say below {row.target.id} in domain/limits.py what it limits")
            yield f"| `{row.target.id}` | {getattr(DEFAULTS, row.target.id)} | {next_row.value.value} |"


def settings_page() -> str:
    """The page about the variables: the table in the code."""
    table = re.findall(r"^    (ASKBACK_\w+) +(.+?)(?:  +(.+))?$", settings.__doc__ or "", re.MULTILINE)
    guide = "[Send people somewhere](../how-to/send-people-somewhere.md)"
    rows = [
        f"| `{name}` | {text.replace('Send people somewhere', guide)} | {value} |"
        for name, text, value in table
    ]
    return "\n".join(
        [
            "# Settings\n",
            "A server reads these variables. The options of `askback serve` override them;",
            "an unknown `ASKBACK_` variable is ignored with a warning. A server that a connected client starts in the",
            "background reads only `ASKBACK_PORT`",
            "([why](../decisions/0097-a-connected-client-starts-the-server.md)).\n",
            "| variable | | default |\n|---|---|---|",
            *rows,
            "\n## Limits\n",
            "`askback serve --limit NAME=VALUE` sets one of these limits, and so does `ASKBACK_LIMIT_NAME=VALUE`.",
            "Lengths are Unicode code points unless the name says bytes.",
            "`GET /v1/limits` shows the values of a server.\n",
            "| limit | default | |\n|---|---|---|",
            *limit_rows(),
            "\n## Clients\n",
            "The client and the commands that use it read these variables. Without the first three they look into",
            "`server.json` in `ASKBACK_DATA_DIR`, where a server of the same user leaves its address and tokens.\n",
            "| variable | |\n|---|---|",
            "| `ASKBACK_URL` | the address of the server |",
            "| `ASKBACK_TOKEN` | the token of the caller |",
            "| `ASKBACK_CREDENTIALS` | a file with both, as JSON: `token`, and `url` or `data_dir` |",
            "| `ASKBACK_THREAD` | the conversation in which `askback mcp` and `askback run` ask |",
            "| `ASKBACK_HOOK` | `off`: `askback hook` asks nobody; the adapter for the Claude Agent SDK sets it |",
            "| `ASKBACK_CHAT_MODEL` | the model of `askback chat` |\n",
        ]
    )


def reasons_page() -> str:
    """The page about the reasons of the policy: each code with its English text."""
    rows = [f"| `{code}` | {text.replace('|', '&#124;')} |" for code, text in reason_texts().items()]
    return "\n".join(
        [
            "# Reasons of the policy\n",
            "Why a call was asked, denied or allowed. A request carries each reason twice, in the same order: as an",
            "English sentence (`reasons`, `risk.reasons`) and as data (`reason_codes`, `risk_codes`):",
            '`{"code": "secret_place", "params": {"path": ".env"}}`. A parameter is a text or a reason itself.',
            "Codes do not change; new ones are added. For a code that you do not know, show the English sentence.\n",
            "| code | English |\n|---|---|",
            *rows,
            "",
        ]
    )


def reason_texts() -> dict[str, str]:
    """The English text of each code, by code."""
    catalogue: dict[str, str] = json.loads((Path(messages.__file__).parent / "en.json").read_text("utf-8"))
    texts = {
        key.removeprefix("reason."): text for key, text in catalogue.items() if key.startswith("reason.")
    }
    return dict(sorted(texts.items()))


def operations_page() -> str:
    """Return the table of operations: over HTTP, over the WebSocket, for whom."""
    rows = [
        "# Operations",
        "",
        "Every operation of the server. Its name is the `operationId` of the [OpenAPI document](openapi.json),",
        "which has the bodies and replies, the `op` of a [WebSocket](wire.md#websocket) frame, and the",
        "`attempted` of the audit log. Over the WebSocket, the parameters of the path and the query are members",
        "of the frame, and `body` is the body.",
        "",
        "| operation | HTTP | WebSocket | parameters | body | roles | |",
        "|---|---|---|---|---|---|---|",
    ]
    for item in OPERATIONS.values():
        parameters = ", ".join(
            [f"`{name}`" for name in item.path_parameters] + [f"`{p.name}`" for p in item.parameters]
        )
        body = " or ".join(f"`{name}`" for name in (item.body or "").split(" | ") if name)
        http = f"`{item.route}`" if "http" in item.transports else ""
        transports = "yes" if "websocket" in item.transports else ""
        roles = ", ".join(sorted(item.roles)) or "anybody"
        rows.append(
            f"| `{item.name}` | {http} | {transports} | {parameters} | {body} | {roles} | {item.summary} |"
        )
    return "\n".join(rows) + "\n"


def generated_pages() -> dict[Path, str]:
    """Each generated page with its current text."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    texts = {page: include_files(page.read_text(encoding="utf-8")) for page in pages}
    written = {
        "lifecycle": lifecycle(),
        "errors": error_page(),
        "cli": cli(),
        "settings": settings_page(),
        "forms": forms_page(),
        "reasons": reasons_page(),
        "operations": operations_page(),
        "times": times_page(),
    }
    for name, text in written.items():
        texts[REFERENCE / f"{name}.md"] = NOTE + text
    texts[ROOT / "docs" / "decisions" / "README.md"] = decisions()
    return texts


def decisions() -> str:
    """The list of the decisions, by their titles."""
    pages = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    titles = [(page.name, page.read_text(encoding="utf-8").partition("\n")[0]) for page in pages]
    rows = [
        f"| [{number.lstrip('# ')}]({name}) | {title} |"
        for name, (number, _, title) in ((name, line.partition(". ")) for name, line in titles)
    ]
    return "\n".join(
        [
            "# Decisions\n",
            NOTE.strip() + "\n",
            "Each page has the context, the decision and its consequences.",
            "A decision that changes gets a new page, and the old page links to its replacement.\n",
            "| | decision |\n|---|---|",
            *rows,
            "",
        ]
    )


def main() -> None:
    """Write the pages that differ, or with `--check` exit with an error that names them."""
    stale = {
        page: text
        for page, text in generated_pages().items()
        if not page.exists() or page.read_text(encoding="utf-8") != text
    }
    names = [page.relative_to(ROOT).as_posix() for page in stale]
    if "--check" in sys.argv[1:]:
        sys.exit(f"not current, run `make gen`: {', '.join(names)}" if names else 0)
    for page, text in stale.items():
        page.write_text(text, encoding="utf-8")
        print(f"wrote {page.relative_to(ROOT).as_posix()}")


if __name__ == "__main__":
    main()
