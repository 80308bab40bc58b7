"""`askback ask`: ask a question from a shell script, and print the answer as one line of JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic_core import from_json
from rich.console import Console

from askback.cli.connection import ServerConnection, find, own_thread
from askback.cli.output import plain_console
from askback.cli.script import (
    EXIT,
    BadUsage,
    content,
    outcome_fields,
    reported_errors,
    run_or_cancel,
    wait_until_settled,
)
from askback.client.questions import confirmation, question
from askback.domain.faults import Faults
from askback.domain.fields import Form
from askback.domain.lifecycle import Status
from askback.domain.questiontext import quote
from askback.domain.request import InputRequest
from askback.domain.validation.ask import check_form
from askback.messages import render

EPILOG = """\
Exit status: 0 answered, 3 declined, 4 cancelled, 5 expired, 2 bad usage, 1 error.

Example: askback ask "Where shall it go?" --choice staging --choice production --timeout 600
"""


app = typer.Typer(add_completion=False)


@app.command(epilog=EPILOG)
def ask(
    prompt: Annotated[
        str | None,
        typer.Argument(help="The question. Without --choice or --confirm the answer is a line of text."),
    ] = None,
    choice: Annotated[list[str] | None, typer.Option(help="A choice; repeatable.")] = None,
    other: Annotated[bool, typer.Option("--other", help="Let the person type their own answer.")] = False,
    confirm: Annotated[bool, typer.Option("--confirm", help="Ask for Yes or No.")] = False,
    text: Annotated[bool, typer.Option("--text", help="Ask for a line of text (the default).")] = False,
    title: Annotated[str | None, typer.Option(help="A heading above the question.")] = None,
    timeout: Annotated[float | None, typer.Option(help="Expire the request after this many seconds.")] = None,
    thread: Annotated[
        str, typer.Option(help="The conversation to ask in. Default: shell.", show_default=False)
    ] = "",
    json_form: Annotated[
        Path | None,
        typer.Option(help="Ask a form, read as JSON from this file (- is standard input).", metavar="FILE"),
    ] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Use the server with this data folder.")] = None,
) -> None:
    """Ask a person a question and print the answer as a line of JSON.

    The question appears on the pages and in `askback inbox`. Ctrl-C cancels it.
    """
    hints = plain_console(stderr=True)
    with reported_errors(hints):
        form = form_of(
            prompt,
            choices=choice or [],
            other=other,
            confirm=confirm,
            text=text,
            title=title,
            file=json_form,
        )
        outcome_of_request = run_or_cancel(
            _ask(find("requester", data_dir=data_dir), form, thread or own_thread("shell"), timeout, hints)
        )
    print(quote(outcome(outcome_of_request, whole_form=json_form is not None)))
    raise typer.Exit(EXIT[outcome_of_request.status if outcome_of_request else Status.CANCELLED])


def form_of(
    prompt: str | None,
    *,
    choices: list[str],
    other: bool,
    confirm: bool,
    text: bool,
    title: str | None,
    file: Path | None,
) -> Form:
    """Turn the options into a form, or raise `BadUsage`."""
    if file is not None:
        if prompt or choices or other or confirm or text or title:
            raise BadUsage("--json-form is the whole question; leave the other options out.")
        return _read(file)
    if prompt is None or not prompt.strip():
        raise BadUsage('Say what to ask: askback ask "Which one?" --choice A --choice B')
    if text + confirm + bool(choices) > 1:
        raise BadUsage("Use one of --choice, --confirm and --text.")
    if other and not choices:
        raise BadUsage("--other goes with --choice; without choices the answer is free text anyway.")
    form = confirmation(prompt) if confirm else question(prompt, choices or None, allow_other=other)
    return form.model_copy(update={"title": title})


def outcome(request: InputRequest | None, *, whole_form: bool) -> dict[str, Any]:
    """Return the object to print; None for a question that was cancelled here."""
    fields = outcome_fields(request)
    if request is None or request.answer is None:
        return fields
    values, own_texts = request.answer.values, request.answer.other
    if whole_form:
        return {**fields, "values": values, "other": own_texts}
    return {**fields, "answer": values["answer"], "other": bool(own_texts)}


async def _ask(
    server: ServerConnection, form: Form, thread: str, timeout: float | None, hints: Console
) -> InputRequest:
    async with server.client() as client:
        request = await client.requests.create(form, thread_id=thread, agent="askback ask", timeout_s=timeout)
        return await wait_until_settled(client, request, server=server, hints=hints)


def _read(file: Path) -> Form:
    try:
        return check_form(from_json(content(file)))
    except Faults as error:
        lines = (f"{fault.path}: {render(fault, 'en')}" for fault in error.faults)
        raise BadUsage("This form cannot be asked.\n" + "\n".join(lines)) from None
    except ValueError:
        raise BadUsage(f"--json-form: {file} is not JSON.") from None
