"""The folders that a call may read without asking: below a granted root, and never askback's own data.

The agent may run on another machine than the server, so nothing is looked up on disk: paths are resolved as texts.
Programs follow links that exist already; creating a link needs approval.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from askback.domain.policy import paths
from askback.domain.values import frozen

HARMLESS_PATHS = frozenset({"-", "/dev/null"})
"""Operands that name no file: standard input, and the empty device."""

_HOME = re.compile(
    r"(?:/(?:var/)?home(?:/[^/]+)?|/root|/users(?:/[^/]+)?|/export/home(?:/[^/]+)?)", re.IGNORECASE
)
_LEAST_DEPTH = 2
_EDGES = r"(?<![\w.-]){}(?![\w-])"


@frozen(slots=True)
class ReadScope:
    """The folders that a call may read: granted roots, the folder of the call, and facts from the adapter.

    `roots` and `own_paths` (askback's data folders) are absolute paths. `folder` only resolves relative paths: it
    is absolute, relative to a root, or None if unknown. The adapter found no file that looks like a secret in the
    folders of `secret_free`.
    """

    roots: tuple[str, ...] = ()
    folder: str | None = None
    own_paths: tuple[str, ...] = ()
    secret_free: tuple[str, ...] = ()

    def resolve(self, path: str) -> str | None:
        """Return a path without `.` and `..`, absolute if that is known; None if it goes above an unknown folder."""
        if path.startswith("~") or "\0" in path or "\\" in path:
            return None
        if path.startswith("/"):
            return normalize_path(path)
        if self.folder is None:
            return None if ".." in path.split("/") else normalize_path(path)
        if self.folder.startswith("~") or "\\" in self.folder:
            return None
        absolute_path = normalize_path(posixpath.join(self.folder, path))
        return None if absolute_path == ".." or absolute_path.startswith("../") else absolute_path

    def in_folder(self, folder: str) -> ReadScope:
        """Return the scope after a change to a folder below, or to an absolute one."""
        return replace(self, folder=posixpath.join(self.folder or "", folder))

    def contains(self, path: str) -> bool:
        """Return whether a path is a root or below one; a relative one counts as inside if the folder is unknown."""
        if path in HARMLESS_PATHS:
            return True
        absolute_path = self.resolve(path)
        if absolute_path is None:
            return False
        return not absolute_path.startswith("/") or any(is_below(absolute_path, root) for root in self.roots)

    def is_named_folder(self, path: str) -> bool:
        """Return whether a path names a specific folder: not a root, nothing above one, not hidden, not a home."""
        absolute_path = self.resolve(path)
        if absolute_path is None:
            # A rule of a person may lead further: `../lib` is a specific folder, `..` and `../..` are not.
            names = path.split("/")
            return path.startswith("../") and names[-1] not in {"", ".", ".."} and not _is_hidden(names)
        names = [name for name in absolute_path.split("/") if name]
        if not names or absolute_path == "." or _is_hidden(names):
            return False
        if not absolute_path.startswith("/"):
            return True
        if len(names) < _LEAST_DEPTH or _HOME.fullmatch(absolute_path):
            return False
        return not any(is_below(folder, absolute_path) for folder in (*self.roots, *self.own_paths))

    @property
    def is_at_root(self) -> bool:
        """Whether the call is known to run in a root itself."""
        if self.folder is None:
            return True
        folder = normalize_path(self.folder)
        return folder == "." or any(folder == normalize_path(root) for root in self.roots)

    @property
    def is_posix(self) -> bool:
        """Whether the machine has POSIX paths: the folder of the call is below a granted one that shows it."""
        absolute_path = self.resolve(".") or ""
        return absolute_path.startswith("/") and any(
            root.startswith("/") and is_below(absolute_path, root) for root in self.roots
        )

    def is_secret(self, path: str) -> bool:
        """Return whether a path, as written or as resolved, is a place for secrets."""
        absolute_path = self.resolve(path)
        return paths.is_secret_path(path) or (
            absolute_path is not None and absolute_path != path and paths.is_secret_path(absolute_path)
        )

    def is_secret_free(self, path: str) -> bool:
        """Return whether the adapter found no secret file in a folder or above it."""
        absolute_path = self.resolve(path)
        return (
            absolute_path is not None
            and absolute_path.startswith("/")
            and any(is_below(absolute_path, clean) for clean in self.secret_free)
        )

    def find_own_data(self, texts: Iterable[str]) -> str | None:
        """Return the first text that reaches into askback's own data folder; None if none does.

        A text is a path, or any text that contains the folder's path, in any case, also with a variable.
        """
        if not self.own_paths:
            return None
        folders, own_names, names = _folders_and_names(self.own_paths)
        for text in texts:
            if not own_names.search(text.casefold()):
                continue  # any path from outside contains the folder's own name
            absolute_path = (self.resolve(text) or "").casefold()
            if any(is_below(absolute_path, folder) for folder in folders) or names.search(
                text.casefold().replace("\\", "/")
            ):
                return text
        return None


def normalize_path(path: str) -> str:
    """Return a path without `.`, `..`, double slashes and a trailing slash."""
    normalized = posixpath.normpath(path)
    return normalized[1:] if normalized.startswith("//") else normalized


def is_below(path: str, folder: str) -> bool:
    """Return whether a normalized path is a folder or inside it."""
    folder = normalize_path(folder)
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _is_hidden(names: Iterable[str]) -> bool:
    return any(name.startswith(".") and name not in {".", ".."} for name in names)


@lru_cache(maxsize=8)
def _folders_and_names(
    own_paths: tuple[str, ...],
) -> tuple[tuple[str, ...], re.Pattern[str], re.Pattern[str]]:
    """Return folders as paths in lower case, the pattern of their own names, and that of their spellings in a text."""
    folders = tuple(normalize_path(folder).casefold() for folder in own_paths)
    own_names = "|".join(re.escape(folder.rpartition("/")[2]) for folder in folders)
    spellings = (name for folder in folders for name in _spellings(folder))
    return (
        folders,
        re.compile(own_names),
        re.compile("|".join(_EDGES.format(re.escape(name)) for name in spellings)),
    )


def _spellings(folder: str) -> tuple[str, ...]:
    """Return the spellings of a folder: in full, and its last two names for use after a variable."""
    names = folder.strip("/").split("/")
    return (folder, "/".join(names[-2:])) if len(names) > _LEAST_DEPTH else (folder,)
