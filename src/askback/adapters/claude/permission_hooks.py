"""Find PermissionRequest hooks: one of them would decide about a call while askback asks a person.

Claude Code starts such hooks together with `can_use_tool`, and the first decision counts. It reads them from the
options, from settings, from plugins, and from the front matter of sub-agents, commands and skills, also in a folder
that nobody trusts. Claude Code 2.1.332 also takes over a hook that is written into settings while a session runs.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, cast

from claude_agent_sdk import ClaudeAgentOptions

from askback.adapters.claude.sessions import config_folder
from askback.client.program import starts_askback
from askback.errors import AskbackError

EVENT = "PermissionRequest"
DISABLE = "disableAllHooks"
_SOURCES = ("user", "project", "local")
_COMPONENTS = ("agents", "commands", "skills")
"""Folders of files whose front matter may have hooks, which count while such a file is used."""

_MANAGED_FOLDERS = {
    "darwin": "/Library/Application Support/ClaudeCode",
    "win32": r"C:\Program Files\ClaudeCode",
}

_PROBLEM = "{place} has a PermissionRequest hook, which would decide about calls while askback asks a person: remove it"
_OR_DISABLE = (
    ", or pass `settings='{\"disableAllHooks\": true}'`, which disables all hooks that are not in the options"
)


class UnusableOptions(AskbackError, ValueError):
    """With these options calls could run that askback has not approved; the message says which, and what to do."""


class PermissionHooks:
    """The places of a session that may have PermissionRequest hooks."""

    def __init__(self, options: ClaudeAgentOptions, folder: Path) -> None:
        """`folder` is the one in which the session starts."""
        self._options = options
        self.folder = folder
        self._config_folder = config_folder(options)
        self._sources = _setting_sources(options)
        self._read_files = dict[Path, tuple[tuple[int, int], Any]]()
        """The settings of each file, with its time of change and size."""

    def check(self) -> None:
        """Raise `UnusableOptions` if there is such a hook."""
        if problems := list(self.problems()):
            raise UnusableOptions(" ".join(problems))

    def problems(self) -> Iterator[str]:
        """Yield a sentence for each place that has such a hook."""
        if (self._options.hooks or {}).get(cast("Any", EVENT)):
            yield f"{_PROBLEM.format(place='`hooks`')}."
        yield from self.changed_problems()
        yield from self.component_problems()

    def changed_problems(self) -> Iterator[str]:
        """Yield a sentence for each place in settings, which may have changed since the start."""
        for file in _managed_files():
            if _has_hook(self._settings(file)):
                yield f"{_PROBLEM.format(place=file)}."
        if self._are_disabled():
            return
        for place, settings in self._given_settings():
            if _has_hook(settings):
                yield f"{_PROBLEM.format(place=place)}."
        for source, file in self._files():
            if _has_hook(self._settings(file), own=source == "user"):
                yield f"{_PROBLEM.format(place=file)}{_OR_DISABLE}."

    def component_problems(self) -> Iterator[str]:
        """Yield a sentence for each sub-agent, command, skill and plugin with such a hook."""
        if self._are_disabled():
            return
        plugins = list(self._plugins())
        files = chain.from_iterable(_components(root) for root in [*self._roots(), *plugins])
        hook_files = (root / "hooks" / "hooks.json" for root in plugins)
        manifests = (root / ".claude-plugin" / "plugin.json" for root in plugins)
        settings = chain(
            ((file, _front_matter(file)) for file in files),
            ((file, self._settings(file)) for file in chain(hook_files, manifests)),
        )
        for place in dict.fromkeys(file for file, content in settings if _has_hook(content)):
            yield f"{_PROBLEM.format(place=place)}{_OR_DISABLE}."

    def _are_disabled(self) -> bool:
        return any(
            isinstance(settings, dict) and cast("dict[str, Any]", settings).get(DISABLE) is True
            for _, settings in self._given_settings()
        )

    def _given_settings(self) -> Iterator[tuple[str, object]]:
        """Yield the settings in the options, each a file or its text."""
        given = {
            "`settings`": self._options.settings,
            "`extra_args`": self._options.extra_args.get("settings"),
        }
        for place, text in given.items():
            if text and text.lstrip().startswith("{"):
                yield place, _parsed(text)
            elif text:
                yield place, self._settings(self.folder / text)

    def _files(self) -> Iterator[tuple[str, Path]]:
        names = {
            "user": self._config_folder / "settings.json",
            "project": self.folder / ".claude" / "settings.json",
            "local": self.folder / ".claude" / "settings.local.json",
        }
        return ((source, file) for source, file in names.items() if source in self._sources)

    def _settings(self, file: Path) -> object:
        """Return the settings of a file, read again if it has changed; None without one."""
        try:
            found = file.stat()
            state = (found.st_mtime_ns, found.st_size)
            if file not in self._read_files or self._read_files[file][0] != state:
                self._read_files[file] = state, _parsed(file.read_text("utf-8", errors="replace"))
        except OSError:
            return None
        return self._read_files[file][1]

    def _roots(self) -> Iterator[Path]:
        """Yield the folders that have sub-agents, commands and skills of the user and of the project."""
        if "user" in self._sources:
            yield self._config_folder
        if "project" not in self._sources:
            return
        yield from (Path(self.folder, item) / ".claude" for item in self._options.add_dirs)
        for folder in (self.folder, *self.folder.absolute().parents):
            if folder / ".claude" != self._config_folder:
                yield folder / ".claude"

    def _plugins(self) -> Iterator[Path]:
        """Yield the folders of plugins: those of the options, and the installed ones that are enabled."""
        yield from (self.folder / item["path"] for item in self._options.plugins)
        all_settings = [settings for _, settings in self._given_settings()]
        all_settings += [self._settings(file) for _, file in self._files()]
        enabled = {
            name for item in all_settings for name, on in _members(item, "enabledPlugins").items() if on
        }
        installed = self._settings(self._config_folder / "plugins" / "installed_plugins.json")
        for name, copies in _members(installed, "plugins").items():
            if name in enabled and isinstance(copies, list):
                for copy in cast("list[object]", copies):
                    yield Path(str(_member(copy, "installPath")))


def _has_hook(settings: object, *, own: bool = False) -> bool:
    """Return whether settings have such a hook. With `own`, the one of `askback install` does not count."""
    if isinstance(settings, str):  # it is damaged for us, but perhaps not for Claude Code
        return EVENT in settings
    matchers = _members(settings, "hooks").get(EVENT)
    if not (own and isinstance(matchers, list)):
        return bool(matchers)
    hooks = [_member(matcher, "hooks") for matcher in cast("list[object]", matchers)]
    return not all(
        isinstance(group, list) and all(_is_own(hook) for hook in cast("list[object]", group))
        for group in hooks
    )


def _is_own(hook: object) -> bool:
    """Return whether a hook is the one of `askback install`, which makes no decision in these sessions."""
    command = str(_member(hook, "command"))
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return shlex.join(words) == command and "-P" in words[1:3] and starts_askback(words, "hook")


def _components(root: Path) -> Iterable[Path]:
    folders = [root / name for name in _COMPONENTS]
    # The second pattern also finds what is linked.
    return chain.from_iterable(chain(item.rglob("*.md"), item.glob("*/*.md")) for item in folders)


def _front_matter(file: Path) -> object:
    """Return what the front matter of a file says; its text if it cannot be read, None without one."""
    import yaml

    try:
        text = file.read_text("utf-8-sig", errors="replace").replace("\r\n", "\n")
    except OSError:
        return None
    matter, end, _ = text.removeprefix("---\n").partition("\n---")
    if not (text.startswith("---\n") and end) or ("hooks" not in matter and "\\" not in matter):
        return None
    try:
        return yaml.safe_load(matter)
    except (yaml.YAMLError, ValueError, RecursionError):
        return matter


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _managed_files() -> Iterator[Path]:
    folder = Path(_MANAGED_FOLDERS.get(sys.platform, "/etc/claude-code"))
    yield folder / "managed-settings.json"
    if (folder / "managed-settings.d").is_dir():
        yield from sorted((folder / "managed-settings.d").glob("*.json"))


def _setting_sources(options: ClaudeAgentOptions) -> Sequence[str]:
    flag = options.extra_args.get("setting-sources")
    if flag is not None:
        return flag.split(",")
    return _SOURCES if options.setting_sources is None else options.setting_sources


def _member(value: object, key: str) -> object:
    return cast("dict[str, Any]", value).get(key) if isinstance(value, dict) else None


def _members(value: object, key: str) -> dict[str, Any]:
    member = _member(value, key)
    return cast("dict[str, Any]", member) if isinstance(member, dict) else {}
