"""Web addresses in arguments: ordinary hosts only, and never a cloud's metadata service in any notation."""

from __future__ import annotations

import ipaddress
import re

from askback.domain.policy.reasons import Reason

_URL = re.compile(
    r"(?:https?://)?(?P<host>[A-Za-z0-9._-]+|\[::1\])(?::\d{1,5})?(?:[/?#][^\s{}\[\]\\]*)?", re.IGNORECASE
)
_NUMERIC = re.compile(r"(?:0x[0-9a-f]*|\d+)", re.IGNORECASE)
_QUAD = re.compile(r"(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}")
_METADATA = re.compile(r"metadata|instance-data|169[.-]254|a9-?fea9fe|2852039166", re.IGNORECASE)
_SERVICES = ("169.254.0.0/16", "100.100.100.200/32", "192.0.0.192/32", "168.63.129.16/32")
_NETWORKS = tuple(ipaddress.ip_network(network) for network in _SERVICES)


def objection(address: str) -> Reason | None:
    """Say why an address is not an ordinary one; None for http and https addresses of ordinary hosts.

    A host that is a number has to be written as four decimals: `2852039166`, `0xA9FEA9FE` and `0251.0376.0251.0376`
    are the metadata service as well.
    """
    match = _URL.fullmatch(address)
    host = match["host"].rstrip(".") if match else ""
    if not host or "@" in address.partition("?")[0].split("#")[0].partition("//")[2].partition("/")[0]:
        return Reason("not_web_address", value=address)
    return Reason("metadata_service", value=address) if _unusual(host) else None


def _unusual(host: str) -> bool:
    if host == "[::1]":
        return False
    if _METADATA.search(host):
        return True
    if not _NUMERIC.fullmatch(host.rpartition(".")[2]):
        return False
    if not _QUAD.fullmatch(host):
        return True
    try:
        found = ipaddress.IPv4Address(host)
    except ValueError:
        return True
    return any(found in network for network in _NETWORKS)
