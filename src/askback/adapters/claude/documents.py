"""Read the steps of a `Lifecycle` from YAML."""

from __future__ import annotations

import inspect
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from askback.adapters.claude.steps import (
    CallFunction,
    Function,
    InjectContext,
    LifecycleError,
    SetVariable,
    Step,
)

SECTIONS = ("on_session_start", "on_before_agent")


def read_document(source: str | Path, functions: Mapping[str, Function]) -> list[list[Step]]:
    """Return the steps of each of `SECTIONS` in a file or in the text of one.

    An `action` is `set_variable` (`name`, `value`), `inject_context` (`template`, `source`) or the name of a function;
    `when` is its condition, and other keys are arguments of the function. Raises `LifecycleError` with the file and the
    place of the fault.
    """
    try:
        sections = _sections(source)
        return [_steps(name, sections.get(name), functions) for name in SECTIONS]
    except LifecycleError as error:
        if not isinstance(source, Path):
            raise
        raise LifecycleError(f"{source}: {error}") from error


def _sections(source: str | Path) -> dict[object, object]:
    import yaml

    try:
        text = source.read_text("utf-8") if isinstance(source, Path) else source
        stream = io.StringIO(text)
        stream.name = str(source) if isinstance(source, Path) else "the text"  # faults have it
        document: object = yaml.safe_load(stream)
    except (yaml.YAMLError, RecursionError) as error:
        raise LifecycleError(f"This is not YAML: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise LifecycleError(f"The file cannot be read: {error}") from error
    if isinstance(document, str) and document == source:
        raise LifecycleError(
            f"This is one word, not a document with {' and '.join(SECTIONS)}. To read a file, pass `Path({source!r})`."
        )
    if not isinstance(document, dict):
        raise LifecycleError(f"The document must be a mapping with {' and '.join(SECTIONS)}.")
    sections = cast("dict[object, object]", document)
    if unknown_sections := sections.keys() - set(SECTIONS):
        name = min(map(str, unknown_sections))
        raise LifecycleError(f"{name}: unknown section. Sections are {' and '.join(SECTIONS)}.")
    return sections


def _steps(section: str, steps: object, functions: Mapping[str, Function]) -> list[Step]:
    if not isinstance(steps or [], list):
        raise LifecycleError(f"{section}: must be a list of steps.")
    step_list = cast("list[object]", steps or [])
    return [_step(f"{section}[{index}]", item, functions) for index, item in enumerate(step_list)]


def _step(path: str, step: object, functions: Mapping[str, Function]) -> Step:
    if not isinstance(step, dict) or not all(isinstance(key, str) for key in cast("dict[object, Any]", step)):
        raise LifecycleError(f"{path}: must be a mapping with an `action`.")
    keys = dict(cast("dict[str, Any]", step))
    action, when = keys.pop("action", None), keys.pop("when", None)
    if not isinstance(when, str | None):
        raise LifecycleError(f"{path}.when: must be an expression in quotes.")
    if action is None:
        raise LifecycleError(
            f"{path}.action: is missing. It is set_variable, inject_context or the name of a function."
        )
    try:
        if action == "set_variable":
            return _set_variable(path, keys, when)
        if action == "inject_context":
            return _inject_context(path, keys, when, functions)
        return CallFunction(_function(f"{path}.action", action, keys, functions), keys, when=when)
    except LifecycleError as error:
        raise error if str(error).startswith(path) else LifecycleError(f"{path}: {error}") from error


def _set_variable(path: str, keys: dict[str, Any], when: str | None) -> Step:
    _check_keys(path, "set_variable", keys, needed=("name", "value"))
    if not isinstance(keys["name"], str) or not keys["name"]:
        raise LifecycleError(f"{path}.name: must be a text.")
    try:
        json.dumps(keys["value"], allow_nan=False)  # YAML also has dates
    except (TypeError, ValueError) as error:
        raise LifecycleError(f"{path}.value: must be a JSON value: {error}") from error
    return SetVariable(keys["name"], keys["value"], when=when)


def _inject_context(
    path: str, keys: dict[str, Any], when: str | None, functions: Mapping[str, Function]
) -> Step:
    _check_keys(path, "inject_context", keys, needed=("template",), others=keys if "source" in keys else ())
    template, source = keys.pop("template"), keys.pop("source", None)
    if not isinstance(template, str):
        raise LifecycleError(f"{path}.template: must be a text.")
    function = None if source is None else _function(f"{path}.source", source, keys, functions)
    return InjectContext(template, function, keys, when=when)


def _check_keys(
    path: str,
    action: str,
    keys: Mapping[str, Any],
    *,
    needed: Sequence[str],
    others: Mapping[str, Any] | Sequence[str] = (),
) -> None:
    """Raise `LifecycleError` if a key of an action is missing or unknown."""
    for name in needed:
        if name not in keys:
            raise LifecycleError(f"{path}.{name}: is missing; {action} needs it.")
    for name in keys:
        if name not in needed and name not in others:
            raise LifecycleError(f"{path}.{name}: unknown key of {action}. Its keys are {', '.join(needed)}.")


def _function(
    path: str, name: object, arguments: Mapping[str, Any], functions: Mapping[str, Function]
) -> Function:
    """Return a function of the program that takes these arguments."""
    if not isinstance(name, str) or name not in functions:
        known_names = ", ".join(sorted(functions)) or "none"
        raise LifecycleError(f"{path}: there is no function {name!r}. Known functions: {known_names}.")
    try:
        signature = inspect.signature(functions[name])
    except (TypeError, ValueError):  # it has none, as some functions in C
        return functions[name]
    try:
        signature.bind(None, **arguments)
    except TypeError as error:
        raise LifecycleError(f"{path}: the other keys do not fit the function {name}: {error}.") from error
    return functions[name]
