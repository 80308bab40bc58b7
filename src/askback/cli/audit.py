"""`askback audit`: the log of who decided what, checked for changes, and written out."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from askback import settings as settings_module
from askback.app import audit_logs
from askback.domain.audit import GENESIS, Broken, verify
from askback.settings import DEFAULT_TENANT

app = typer.Typer(add_completion=False, no_args_is_help=True)

Head = tuple[int, str]
DataDir = Annotated[Path | None, typer.Option(help="Folder of the database.")]


@app.callback()
def audit() -> None:
    """Look into the log of every decision: each entry is sealed with the one before it.

    The database is only read, also while a server writes to it.
    """


@app.command(name="verify")
def verify_(
    file: Annotated[
        Path | None,
        typer.Argument(help="An exported log (- is standard input); without it the database is checked."),
    ] = None,
    head: Annotated[
        str | None,
        typer.Option(
            help="An entry that was noted earlier and has to be there unchanged.", metavar="SEQ:HASH"
        ),
    ] = None,
    tenant: Annotated[
        str | None, typer.Option(help="Whose log in the database; without it that of each tenant.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Find an entry that was changed, removed or moved.

    The exit status is 1 when there is one. Whoever can write the file can write a new log as well: note the
    head elsewhere from time to time, and check against it with --head.
    """
    noted = None if head is None else _head(head)
    if file is not None:
        with _lines(file) as lines:
            good = _report(lines, noted=noted)
    else:
        if tenant is None and noted is not None:
            tenant = DEFAULT_TENANT
        good = _verify_database(data_dir, tenant=tenant, noted=noted)
    raise typer.Exit(0 if good else 1)


@app.command()
def export(
    tenant: Annotated[str, typer.Option(help="Whose log.")] = DEFAULT_TENANT,
    data_dir: DataDir = None,
) -> None:
    """Write the log as JSON lines.

    The oldest entry is first, each as it was sealed: askback audit verify can check them anywhere.
    """
    with audit_logs(settings_module.load(data_dir=data_dir)) as logs:
        for log in logs:
            if log.tenant == tenant:
                for entry in log.entries:
                    sys.stdout.write(entry + "\n")


def _verify_database(data_dir: Path | None, *, tenant: str | None, noted: Head | None) -> bool:
    good, seen = True, False
    with audit_logs(settings_module.load(data_dir=data_dir)) as logs:
        for log in logs:
            if tenant in {None, log.tenant}:
                name = "" if log.tenant == DEFAULT_TENANT else log.tenant
                good = _report(log.entries, head=log.head, noted=noted, name=name) and good
                seen = True
    return good if seen else _report((), noted=noted)


def _report(entries: Iterable[str], *, head: Head | None = None, noted: Head | None, name: str = "") -> bool:
    """Check one log and say what came of it; `head` is where it ends, `noted` an entry that it has to hold."""
    about = f"{name}: " if name else ""
    end = _checked(iter(entries), head=head, noted=noted or (0, GENESIS))
    if isinstance(end, Broken):
        print(f"{about}BROKEN at line {end.line}: {end.why}")
        return False
    seq, sealed = end
    print(f"{about}OK: {seq} entries, head {seq}:{sealed}")
    return True


def _checked(entries: Iterator[str], *, head: Head | None, noted: Head) -> Broken | Head:
    """Check up to the entry that was noted, then what has come since."""
    before = verify(islice(entries, noted[0]))
    if isinstance(before, Broken):
        return before
    if before != noted:
        return Broken(noted[0], f"Entry {noted[0]} is not the one that was noted.")
    end = verify(entries, head=head, after=noted)
    return replace(end, line=end.line + noted[0]) if isinstance(end, Broken) else end


def _head(text: str) -> Head:
    seq, colon, sealed = text.partition(":")
    if not (colon and seq.isascii() and seq.isdecimal() and sealed):
        raise typer.BadParameter("must be SEQ:HASH, as askback audit verify prints it", param_hint="--head")
    return int(seq), sealed


@contextmanager
def _lines(file: Path) -> Generator[Iterator[str]]:
    """Open a file of JSON lines; a line break inside of a text is written as an escape and is none."""
    try:
        opened = sys.stdin.buffer if str(file) == "-" else file.open("rb")
    except OSError as odd:
        raise typer.BadParameter(f"{file} cannot be read: {odd.strerror}", param_hint="FILE") from None
    with opened:
        yield (line.decode("utf-8", "replace") for line in opened)
