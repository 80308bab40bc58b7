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
_HEAD_PATTERN = re.compile(r"(\d{1,18}):([0-9a-f]{64})", re.ASCII)
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
            help="An earlier entry that must still be in the log, unchanged; or a file with its printed line.",
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
    noted_head = None if head is None else _parse_head(head)
    if file is not None:
        with _open_lines(file) as lines:
            is_intact = _print_result("", *_check_file(lines, noted_head=noted_head))
    else:
        if tenant is None and noted_head is not None:
            tenant = DEFAULT_TENANT
        is_intact = _verify_database(data_dir, tenant=tenant, noted_head=noted_head)
    raise typer.Exit(0 if is_intact else 1)


@app.command()
def export(
    tenant: Annotated[str, typer.Option(help="The tenant whose log is exported.")] = DEFAULT_TENANT,
    data_dir: DataDir = None,
) -> None:
    """Write the log as JSON lines.

    The entries are as they were sealed, oldest first: `askback audit verify` can check them anywhere. The end of the
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
    """Seal the log as it is, after you have found out why its seal does not match.

    The log records that it was sealed again, and from which entry on. Stop the server first, unless it is on Postgres.
    """
    settings = settings_module.load(data_dir=data_dir)
    settings.require_database()
    heads = anyio.run(_seal_logs, settings, tenant)
    for name, status in heads:
        print(f"Sealed the log of {name}; it was: {status}.")
    if not heads:
        print("Nothing to do: every log is sealed.")


async def _seal_logs(settings: Settings, tenant: str | None) -> list[tuple[str, str]]:
    application = create_app(settings)
    async with application.running(serves=False):
        if application.services.seals is None or application.services.seals.key_id is None:
            raise StoreUnusable("This server has no master key, so there is nothing to seal with.")
        return [(name, status.value) for name, status in await seal_as_is(application.services, tenant)]


def _verify_database(data_dir: Path | None, *, tenant: str | None, noted_head: Head | None) -> bool:
    settings = settings_module.load(data_dir=data_dir)
    is_intact, has_logs = True, False
    with audit_logs(settings) as logs:
        for log in logs:
            seals = audit_seals(settings)
            if tenant in {None, log.tenant}:
                is_intact = (
                    _print_result(log.tenant, *_check_log(log, seals, noted_head=noted_head)) and is_intact
                )
                has_logs = True
    if tenant is not None and not has_logs:
        return _print_result("", False, f"BROKEN: There is no log of the tenant {tenant}.")
    return is_intact if has_logs else _print_result("", *_check_chain((), noted_head=noted_head))


def _print_result(tenant: str, is_valid: bool, text: str) -> bool:
    tenant_prefix = "" if tenant in {"", DEFAULT_TENANT} else f"{tenant}: "
    print(f"{tenant_prefix}{text}")
    return is_valid


def _check_log(log: TenantLog, seals: AuditSeals | None, *, noted_head: Head | None) -> tuple[bool, str]:
    """Check one log of the database and its seal; return whether it is valid, and the text to print."""
    if log.recorded_head is None:
        is_intact, text = _check_chain(log.entries, head=log.head, noted_head=noted_head)
        missing_log_text = (
            "BROKEN: There is no log, although this tenant has tokens or threads. Somebody has deleted it."
        )
        return False, missing_log_text if is_intact else text
    head_seal = read_seal(log.recorded_head.seal or "")
    recorder = _HashRecorder(log.entries, head_seal.seq if head_seal else 0)
    is_intact, text = _check_chain(iter(recorder), head=log.head, noted_head=noted_head)
    if not is_intact:
        return is_intact, text
    if seals is None:
        status = SealStatus.UNKNOWN_KEY if log.recorded_head.seal else SealStatus.UNSEALED
    else:
        status = seals.judge(log.recorded_head, sealed=recorder.hash)
    if status is SealStatus.SEALED:
        return True, f"{text}, sealed" + (
            f" from entry {head_seal.unsealed + 1} on" if head_seal and head_seal.unsealed else ""
        )
    if status is SealStatus.UNSEALED and seals is None:
        return True, f"{text}, not sealed: there is no master key"
    kind = "BROKEN" if status is SealStatus.WRONG else "NOT SEALED"
    return (
        False,
        f"{kind}: The chain holds up to {log.head[0]}:{log.head[1]}, but {explain(log.recorded_head, status)}.",
    )


class _HashRecorder:
    """An iterator over entries that records the hash of one of them."""

    def __init__(self, entries: Iterator[str], position: int) -> None:
        self._entries = entries
        self._recorded_seq = position
        self.hash: str | None = None if position else GENESIS

    def __iter__(self) -> Iterator[str]:
        for seq, entry in enumerate(self._entries, 1):
            if seq == self._recorded_seq:
                self.hash = entry_hash(entry)
            yield entry


def _check_file(entries: Iterator[str], *, noted_head: Head | None) -> tuple[bool, str]:
    """Check an exported log. An empty one is refused: every server logs its first token."""
    first_entry = next(entries, None)
    if first_entry is None:
        return False, "BROKEN: The file is empty. A log has an entry for each token."
    return _check_chain(chain((first_entry,), entries), noted_head=noted_head)


def _check_chain(
    entries: Iterable[str], *, head: Head | None = None, noted_head: Head | None
) -> tuple[bool, str]:
    """Check a chain up to `head`; it must contain the entry `noted`."""
    end = _check_from_noted(iter(entries), head=head, noted_head=noted_head or (0, GENESIS))
    if isinstance(end, ChainBreak):
        return False, f"BROKEN at line {end.line}: {end.why}"
    seq, sealed = end
    return True, f"OK: {seq} entries, head {seq}:{sealed}"


def _check_from_noted(entries: Iterator[str], *, head: Head | None, noted_head: Head) -> ChainBreak | Head:
    """Check up to the noted entry, and then the entries after it."""
    verified = verify_chain(islice(entries, noted_head[0]))
    if isinstance(verified, ChainBreak):
        return verified
    if verified != noted_head:
        return ChainBreak(noted_head[0], f"Entry {noted_head[0]} is not the one that was noted.")
    end = verify_chain(entries, head=head, after=noted_head)
    return replace(end, line=end.line + noted_head[0]) if isinstance(end, ChainBreak) else end


def _parse_head(text: str) -> Head:
    """Read SEQ:HASH, or the last such line of a file."""
    head = _HEAD_PATTERN.fullmatch(text)
    if head is None and (file := Path(text)).is_file():
        with _open_lines(file) as lines:
            head = next((match for line in reversed([*lines]) if (match := _HEAD_PATTERN.search(line))), None)
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
        binary_file = sys.stdin.buffer if str(file) == "-" else file.open("rb")
    except OSError as error:
        raise typer.BadParameter(f"{file} cannot be read: {error.strerror}", param_hint="FILE") from None
    with binary_file:
        yield (line.decode("utf-8", "replace") for line in binary_file)
