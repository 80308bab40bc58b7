"""Where a call may read without asking: below a root that a person granted, and never in askback's own data.

The agent's machine may be another one than the server's, so nothing is looked up: paths are resolved by their text.
A link that is in the tree already is followed by whatever opens it; to make one is asked.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from askback.domain.policy import paths

HARMLESS = frozenset({"-", "/dev/null"})
"""Operands that name no file: the standard input, and the device that is empty."""

_HOME = re.compile(
    r"(?:/(?:var/)?home(?:/[^/]+)?|/root|/users(?:/[^/]+)?|/export/home(?:/[^/]+)?)", re.IGNORECASE
)
_LEAST_DEPTH = 2
_EDGES = r"(?<![\w.-]){}(?![\w-])"


@dataclass(frozen=True, slots=True)
class Reach:
    """What bounds reading: granted folders, the folder of the call, and what the adapter knows of the tree.

    `roots` and `own` (the data folders of askback) are absolute paths. `folder` only resolves relative paths: it is
    absolute, or relative to a root, or None where nobody says. In the folders of `secret_free` the adapter found no
    file that looks like a secret.
    """

    roots: tuple[str, ...] = ()
    folder: str | None = None
    own: tuple[str, ...] = ()
    secret_free: tuple[str, ...] = ()

    def resolve(self, path: str) -> str | None:
        """Return a path without `.` and `..`, absolute when that can be known; None when it leads up from nowhere."""
        if path.startswith("~") or "\0" in path or "\\" in path:
            return None
        if path.startswith("/"):
            return normal(path)
        if self.folder is None:
            return None if ".." in path.split("/") else normal(path)
        if self.folder.startswith("~") or "\\" in self.folder:
            return None
        found = normal(posixpath.join(self.folder, path))
        return None if found == ".." or found.startswith("../") else found

    def into(self, folder: str) -> Reach:
        """Return what bounds reading after a change of the folder to one below, or to an absolute one."""
        return replace(self, folder=posixpath.join(self.folder or "", folder))

    def inside(self, path: str) -> bool:
        """Tell whether a path is a root or below one; a relative one counts as inside where the folder is not known."""
        if path in HARMLESS:
            return True
        found = self.resolve(path)
        if found is None:
            return False
        return not found.startswith("/") or any(below(found, root) for root in self.roots)

    def named(self, path: str) -> bool:
        """Tell whether a path names a folder of its own: no root, nothing above one, nothing hidden, no home."""
        found = self.resolve(path)
        if found is None:
            # A rule of a person may lead further: `../lib` is a name, `..` and `../..` are none.
            names = path.split("/")
            return path.startswith("../") and names[-1] not in {"", ".", ".."} and not _hidden(names)
        names = [name for name in found.split("/") if name]
        if not names or found == "." or _hidden(names):
            return False
        if not found.startswith("/"):
            return True
        if len(names) < _LEAST_DEPTH or _HOME.fullmatch(found):
            return False
        return not any(below(place, found) for place in (*self.roots, *self.own))

    @property
    def at_root(self) -> bool:
        """Whether the call runs in a root itself, as far as anybody says."""
        if self.folder is None:
            return True
        folder = normal(self.folder)
        return folder == "." or any(folder == normal(root) for root in self.roots)

    @property
    def posix(self) -> bool:
        """Whether the folder of the call shows that the machine has paths of POSIX: a person granted one above it."""
        found = self.resolve(".") or ""
        return found.startswith("/") and any(
            root.startswith("/") and below(found, root) for root in self.roots
        )

    def secret(self, path: str) -> bool:
        """Tell whether a path, as it is written or as it is resolved, is where secrets are kept."""
        return paths.secret_path(path) or paths.secret_path(self.resolve(path) or "")

    def no_secrets(self, path: str) -> bool:
        """Tell whether the adapter found no secret file in a folder or above it."""
        found = self.resolve(path)
        return (
            found is not None
            and found.startswith("/")
            and any(below(found, clean) for clean in self.secret_free)
        )

    def own_data(self, texts: Iterable[str]) -> str | None:
        """Return the first text that reaches into askback's own data folder; None when none does.

        A text is a path, or anything in which the folder's path stands: in any case, also behind a variable.
        """
        if not self.own:
            return None
        folders = [normal(folder).casefold() for folder in self.own]
        names = re.compile(
            "|".join(_EDGES.format(re.escape(name)) for folder in folders for name in _spelled(folder))
        )
        last = tuple(folder.rpartition("/")[2] for folder in folders)
        for text in texts:
            if not any(name in text.casefold() for name in last):
                continue  # whatever leads in, from outside, has the folder's own name in it
            found = (self.resolve(text) or "").casefold()
            if any(below(found, folder) for folder in folders) or names.search(
                text.casefold().replace("\\", "/")
            ):
                return text
        return None


def normal(path: str) -> str:
    """Return a path without `.`, `..`, doubled slashes and a slash at its end."""
    found = posixpath.normpath(path)
    return found[1:] if found.startswith("//") else found


def below(path: str, folder: str) -> bool:
    """Tell whether a normal path is a folder or in it."""
    folder = normal(folder)
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _hidden(names: Iterable[str]) -> bool:
    return any(name.startswith(".") and name not in {".", ".."} for name in names)


def _spelled(folder: str) -> tuple[str, ...]:
    """Return how a folder is written: whole, and by its last two names where a variable stands for the others."""
    names = folder.strip("/").split("/")
    return (folder, "/".join(names[-2:])) if len(names) > _LEAST_DEPTH else (folder,)
