"""REST: every HTTP operation, bound to its handler, and the web pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from askback.transports.endpoint import BoundOperation, HttpHandler
from askback.transports.rest import audit, files, monitoring, oauth, sessions
from askback.transports.rest.bind import bind
from askback.transports.rest.pages import PAGES, Site
from askback.wire.operation import NO_ROLE, Operation


def api(
    *,
    connections: Callable[[], Mapping[str, int]],
    watch_thread: HttpHandler,
    watch_inbox: HttpHandler,
    site: Site,
) -> list[BoundOperation]:
    """Return the operations; `connections` counts open connections by kind; the streams belong to another transport.

    `site` has the final page of connecting an account.
    """
    return bind(
        {
            "create_login_link": sessions.create_login_link,
            "create_session": sessions.create_session,
            "list_sessions": sessions.list_sessions,
            "end_sessions": sessions.end_sessions,
            "end_session": sessions.end_session,
            "get_session": sessions.get_session,
            "sign_out": sessions.sign_out,
            "sign_address": sessions.sign_address,
            "upload_file": files.upload_file,
            "upload_message_file": files.upload_message_file,
            "get_file": files.get_file,
            "get_file_preview": files.get_file_preview,
            "export_audit_log": audit.export_audit_log,
            "get_health": monitoring.get_health,
            "get_readiness": monitoring.Readiness(),
            "get_metrics": monitoring.metrics(connections),
            "get_openapi": monitoring.get_openapi,
            "start_oauth": oauth.start_oauth,
            "finish_oauth": oauth.finish_oauth(site),
            "watch_thread": watch_thread,
            "watch_inbox": watch_inbox,
        }
    )


def pages(site: Site) -> list[BoundOperation]:
    """Return the web pages and their assets."""
    handlers = {path: site.page(name) for path, name in PAGES.items()}
    handlers["/static/assets/{name}"] = site.asset
    return [
        BoundOperation(Operation("page", f"GET {path}", "", NO_ROLE, {}), handler)
        for path, handler in handlers.items()
    ]
