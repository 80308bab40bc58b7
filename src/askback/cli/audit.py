"""`askback audit`: verify, export and seal the log of all decisions."""

from __future__ import annotations

import re
import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Annotated

import anyio
import typer

from askback.domain.audit import GENESIS, ChainBreak, SealStatus, entry_hash, read_seal, verify_chain
from askback.errors import StoreUnusable
from askback.server import settings as settings_module
from askback.server.app import audit_logs, audit_seals, create_app
from askback.server.settings import DEFAULT_TENANT, Settings
from askback.service.audit.seal import explain, seal_as_is
from askback.storage.auditlog import TenantLog
from askback.vault.auditseal import AuditSeals

app = typer.Typer(add_completion=False, no_args_is_help=True)

Head = tuple[int, str]
_HEAD = re.compile(r"(\d{1,18}):([0-9a-f]{64})", re.ASCII)
DataDir = Annotated[Path | None, typer.Option(help="Folder of the database.")]


@app.callback()
def audit() -> None:
    """Verify or export the audit log: each entry has the hash of the one before, and the last one is sealed.

    `verify` and `export` only read the database, even while a server writes to it.
    """


@app.command(name="verify")
def verify_(
    file: Annotated[
        Path | None,
        typer.Argument(help="An exported log (- is standard input). Default: the database."),
    ] = None,
    head: Annotated[
        str | None,
        typer.Option(
            help="An entry noted earlier, which must be in the log unchanged, or a file with the printed line.",
            metavar="SEQ:HASH|FILE",
        ),
    ] = None,
    tenant: Annotated[
        str | None, typer.Option(help="The tenant whose log is read. Default: every tenant.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Find an entry that was changed, removed or moved, and check the seal on the last one.

    Exit status 1: there is such an entry, or the log is not sealed although there is a master key. An older copy of the
    whole database has a valid seal: store the printed line elsewhere, and check against it with --head.
    """
    noted = None if head is None else _parse_head(head)
    if file is not None:
        with _open_lines(file) as lines:
            good = _print_result("", *_check_file(lines, noted=noted))
    else:
        if tenant is None and noted is not None:
            tenant = DEFAULT_TENANT
        good = _verify_database(data_dir, tenant=tenant, noted=noted)
    raise typer.Exit(0 if good else 1)


@app.command()
def export(
    tenant: Annotated[str, typer.Option(help="The tenant whose log is exported.")] = DEFAULT_TENANT,
    data_dir: DataDir = None,
) -> None:
    """Write the log as JSON lines.

    The oldest entry is first, each as it was sealed: askback audit verify can check them anywhere. The end of the
    log is printed to standard error, for askback audit verify --head.
    """
    with audit_logs(settings_module.load(data_dir=data_dir)) as logs:
        for log in logs:
            if log.tenant == tenant:
                for entry in log.entries:
                    sys.stdout.write(entry + "\n")
                typer.echo(f"head {log.head[0]}:{log.head[1]}", err=True)


@app.command()
def seal(
    tenant: Annotated[
        str | None, typer.Option(help="The tenant whose log is sealed. Default: every tenant.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Seal the log as it is, once you have found out why its seal is wrong.

    The log records that it was sealed again, and from which entry on. Stop the server first, unless it is on Postgres.
    """
    settings = settings_module.load(data_dir=data_dir)
    settings.require_database()
    heads = anyio.run(_seal_logs, settings, tenant)
    for name, why in heads:
        print(f"Sealed the log of {name}; it was: {why}.")
    if not heads:
        print("Nothing to do: every log is sealed.")


async def _seal_logs(settings: Settings, tenant: str | None) -> list[tuple[str, str]]:
    application = create_app(settings)
    async with application.running(serves=False):
        if application.services.seals is None or application.services.seals.key_id is None:
            raise StoreUnusable("This server has no master key, so there is nothing to seal with.")
        return [(name, why.value) for name, why in await seal_as_is(application.services, tenant)]


def _verify_database(data_dir: Path | None, *, tenant: str | None, noted: Head | None) -> bool:
    settings = settings_module.load(data_dir=data_dir)
    good, seen = True, False
    with audit_logs(settings) as logs:
        for log in logs:
            seals = audit_seals(settings)
            if tenant in {None, log.tenant}:
                good = _print_result(log.tenant, *_check_log(log, seals, noted=noted)) and good
                seen = True
    if tenant is not None and not seen:
        return _print_result("", False, f"BROKEN: There is no log of the tenant {tenant}.")
    return good if seen else _print_result("", *_check_chain((), noted=noted))


def _print_result(tenant: str, is_valid: bool, text: str) -> bool:
    about = "" if tenant in {"", DEFAULT_TENANT} else f"{tenant}: "
    print(f"{about}{text}")
    return is_valid


def _check_log(log: TenantLog, seals: AuditSeals | None, *, noted: Head | None) -> tuple[bool, str]:
    """Check one log of the database and its seal; return whether it is valid, and the text to print."""
    if log.noted is None:
        good, text = _check_chain(log.entries, head=log.head, noted=noted)
        lost = "BROKEN: There is no log, although this tenant has tokens or threads. Somebody has deleted it."
        return False, lost if good else text
    head_seal = read_seal(log.noted.seal or "")
    recorder = _HashRecorder(log.entries, head_seal.seq if head_seal else 0)
    good, text = _check_chain(iter(recorder), head=log.head, noted=noted)
    if not good:
        return good, text
    if seals is None:
        standing = SealStatus.UNKNOWN_KEY if log.noted.seal else SealStatus.UNSEALED
    else:
        standing = seals.judge(log.noted, sealed=recorder.hash)
    if standing is SealStatus.SEALED:
        return True, f"{text}, sealed" + (
            f" from entry {head_seal.unsealed + 1} on" if head_seal and head_seal.unsealed else ""
        )
    if standing is SealStatus.UNSEALED and seals is None:
        return True, f"{text}, not sealed: there is no master key"
    kind = "BROKEN" if standing is SealStatus.WRONG else "NOT SEALED"
    return (
        False,
        f"{kind}: The chain holds up to {log.head[0]}:{log.head[1]}, but {explain(log.noted, standing)}.",
    )


class _HashRecorder:
    """An iterator over entries that records the hash of one of them."""

    def __init__(self, entries: Iterator[str], at: int) -> None:
        self._entries = entries
        self._at = at
        self.hash: str | None = None if at else GENESIS

    def __iter__(self) -> Iterator[str]:
        for seq, entry in enumerate(self._entries, 1):
            if seq == self._at:
                self.hash = entry_hash(entry)
            yield entry


def _check_file(entries: Iterator[str], *, noted: Head | None) -> tuple[bool, str]:
    """Check an exported log. An empty one is refused: every server logs its first token."""
    first = next(entries, None)
    if first is None:
        return False, "BROKEN: The file is empty. A log has an entry for each token."
    return _check_chain(chain((first,), entries), noted=noted)


def _check_chain(entries: Iterable[str], *, head: Head | None = None, noted: Head | None) -> tuple[bool, str]:
    """Check a chain up to `head`; it must contain the entry `noted`."""
    end = _check_from_noted(iter(entries), head=head, noted=noted or (0, GENESIS))
    if isinstance(end, ChainBreak):
        return False, f"BROKEN at line {end.line}: {end.why}"
    seq, sealed = end
    return True, f"OK: {seq} entries, head {seq}:{sealed}"


def _check_from_noted(entries: Iterator[str], *, head: Head | None, noted: Head) -> ChainBreak | Head:
    """Check up to the noted entry, and then the entries after it."""
    before = verify_chain(islice(entries, noted[0]))
    if isinstance(before, ChainBreak):
        return before
    if before != noted:
        return ChainBreak(noted[0], f"Entry {noted[0]} is not the one that was noted.")
    end = verify_chain(entries, head=head, after=noted)
    return replace(end, line=end.line + noted[0]) if isinstance(end, ChainBreak) else end


def _parse_head(text: str) -> Head:
    """Read SEQ:HASH, or the last such line of a file."""
    head = _HEAD.fullmatch(text)
    if head is None and (file := Path(text)).is_file():
        with _open_lines(file) as lines:
            head = next((match for line in reversed([*lines]) if (match := _HEAD.search(line))), None)
    if head is None:
        raise typer.BadParameter(
            "must be SEQ:HASH, as askback audit verify prints it, or a file that has that",
            param_hint="--head",
        )
    return int(head[1]), head[2]


@contextmanager
def _open_lines(file: Path) -> Generator[Iterator[str]]:
    """Open a file of JSON lines."""
    try:
        opened = sys.stdin.buffer if str(file) == "-" else file.open("rb")
    except OSError as odd:
        raise typer.BadParameter(f"{file} cannot be read: {odd.strerror}", param_hint="FILE") from None
    with opened:
        yield (line.decode("utf-8", "replace") for line in opened)
