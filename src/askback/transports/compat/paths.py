"""The systems that are installed, and their paths."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from urllib.parse import unquote

from askback.compat.installed import find_system
from askback.errors import NotFound
from askback.ports.systems import Route, Socket, System
from askback.transports.compat.tools import tool_routes
from askback.transports.problems import MethodNotAllowed, no_such_path


class SystemPaths:
    """The paths of one system."""

    def __init__(self, system: System) -> None:
        self.system = system

    def route(self, method: str, path: str) -> tuple[Route, Mapping[str, str]]:
        """Return the route of a path and its parameters; raises `NotFound`, `MethodNotAllowed`."""
        allowed: list[str] = []
        for route in [*self.system.routes, *tool_routes(self.system)]:
            served, _, pattern = route.route.partition(" ")
            parameters = _match(pattern, path)
            if parameters is not None and served == method:
                return route, parameters
            if parameters is not None:
                allowed.append(served)
        if allowed:
            raise MethodNotAllowed(", ".join(sorted(allowed)))
        raise no_such_path()

    def socket(self, path: str) -> tuple[Socket, Mapping[str, str]]:
        """Return the WebSocket of a path and its parameters; raises `NotFound`."""
        for socket in self.system.sockets:
            parameters = _match(socket.path, path)
            if parameters is not None:
                return socket, parameters
        raise no_such_path()


def paths_of(name: str) -> SystemPaths:
    """Return the paths of a system; raises `NotFound`."""
    system = find_system(name)
    if system is None:
        raise NotFound("There is no such system here. See the documentation for those that there are.")
    return SystemPaths(system)


def _match(pattern: str, path: str) -> Mapping[str, str] | None:
    match = _compile(pattern).fullmatch(path)
    return None if match is None else {name: unquote(value) for name, value in match.groupdict().items()}


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(pattern)))
