"""The file scans of a server: webhooks of the settings, functions of installed packages, and that of the caller."""

from __future__ import annotations

from askback.delivery.calls import SignedCall
from askback.delivery.file_scans import WebhookFileScan
from askback.domain.webhooks import decode_secret
from askback.ports.clock import Clock, Ids
from askback.ports.filescan import FileScan
from askback.ports.webhooks import WebhookClient
from askback.server.plugins import PluginUnusable, installed_file_scans
from askback.server.settings import Settings


def build_file_scans(
    settings: Settings, custom: FileScan | None, *, client: WebhookClient, clock: Clock, ids: Ids
) -> dict[str, FileScan]:
    """Return the scans by name, all of which a file has to pass. Raises `PluginUnusable`."""
    scans = {**installed_file_scans(), **({"file_scan": custom} if custom else {})}
    key = decode_secret(settings.file_scan_secret or "") or b""
    for name, url in settings.file_scans:
        if name in scans:
            raise PluginUnusable(f"Two file scans are named {name}. Rename the one in ASKBACK_FILE_SCANS.")
        scans[name] = WebhookFileScan(
            SignedCall(url, key=key, client=client, clock=clock), clock=clock, ids=ids
        )
    return scans
