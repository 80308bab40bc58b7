"""The client: asks, waits, answers, follows. Agents and programs talk to a server through it alone."""

from askback.client.async_client import AsyncClient
from askback.client.channel_app import AppFailed
from askback.client.discovery import NoServer
from askback.client.modelform import NoFormFor
from askback.client.results import Outcome, Page
from askback.client.streaming import MessageStream
from askback.client.sync_client import Client

__all__ = [
    "AppFailed",
    "AsyncClient",
    "Client",
    "MessageStream",
    "NoFormFor",
    "NoServer",
    "Outcome",
    "Page",
]
