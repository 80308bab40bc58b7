"""The kinds of values: each is a function that says what is wrong with a text, or returns None.

A table names a kind for each operand and for each option that takes a value. See `program_table.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from askback.domain.policy import paths
from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell import awk as awk_language
from askback.domain.policy.shell import jq as jq_language
from askback.domain.policy.shell import languages as lang
from askback.domain.policy.shell import program_values as values
from askback.domain.policy.shell.lexer import Argv

ValueKind = Callable[[str, Argv], Reason | None]
"""A check of a value; it also gets all arguments of the command."""

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[A-Za-z%]{1,3})?(?:[,:/-]\d+){0,3}")
_NAME = re.compile(r"@?[\w.+][\w.+*=@:,/-]*")
_LABEL = re.compile(r"[\w.+-]+(?::[\w.+-]+)*")
_SCRIPT = re.compile(
    r"(?:build|check|clean|compile|coverage|dev|docs|e2e|fix|format|generate|lint|preview|seed|serve|start|storybook"
    r"|test|typecheck|type-check|types|unit|validate|verify)|[\w-]+(?::[\w-]+)+"
)
_PACKAGE = re.compile(r"@?[A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)?(?:@[\w.^~<>=-]+)?")
_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.-]*(?:\[[\w,.-]+\])?(?:[=<>!~]=?[\w.*,<>=!~]+)?")
_SELECTOR = re.compile(r"[\w.!=,()/ -]+")
_ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".zip", ".gz")
_COLUMNS = re.compile(r"(?:custom-columns=)?[A-Za-z0-9_.:,\[\]*-]+")
_PATH_IN_DOCUMENT = re.compile(r"\.[\w.\[\]?-]*(?: *\| *(?:keys|length|type|\.[\w.\[\]?-]*))*")
_TARGET = re.compile(r"[A-Za-z0-9_][\w.:/%+-]*")
_PLAIN_CHARACTERS = re.compile(r"[\w@.,:/#*+ -]+")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
_BUILD_OUTPUT = re.compile(
    r"(?:\./)?(?:bin|build|dist|out)/(?:[\w-]+/)*[\w-]+(?:\.(?:exe|test|so|dll|dylib|a|wasm))?"
)
_FLAG_VALUE = frozenset({"true", "false", "0", "1", "yes", "no", "on", "off"})


def text(_value: str, _words: Argv) -> Reason | None:
    """Any text: it is only compared, printed or stored."""
    return None


def plugin_off(value: str, _words: Argv) -> Reason | None:
    """A plugin that is disabled: `no:cacheprovider`."""
    return None if re.fullmatch(r"no:[\w-]+", value) else Reason("loads_code", value=value)


def warning(value: str, _words: Argv) -> Reason | None:
    """A warning filter; a category with a dot in its name would be imported."""
    valid = re.fullmatch(r"(?:ignore|error|default|always|module|once)(?:::[A-Z]\w*)?", value)
    return None if valid else Reason("loads_code", value=value)


def new_file(value: str, words: Argv) -> Reason | None:
    """A file to write, move or delete: inside the folder, and none that decides what runs later."""
    objection = path(value, words)
    if (
        objection
        or paths.is_autorun_path(value)
        or paths.is_loaded_path(value)
        or value.rstrip("/") in {"", ".", "*"}
    ):
        return objection or Reason("steers_later", path=value)
    return None


def built(value: str, words: Argv) -> Reason | None:
    """A program in a build folder, and no source or configuration there."""
    objection = path(value, words)
    valid = value == "/dev/null" or (
        _BUILD_OUTPUT.fullmatch(value) and not objection and not paths.is_loaded_path(value)
    )
    return None if valid else objection or Reason("unknown_value", value=value)


def script(value: str, _words: Argv) -> Reason | None:
    """A script of the project whose name no program has, because such a program could run instead."""
    return None if _SCRIPT.fullmatch(value) else Reason("not_plain", value=value)


def script_operand(value: str, words: Argv) -> Reason | None:
    """An argument for a script of the project: a plain word, or a path inside the folder."""
    if _ASSIGNED.match(value) or not _PLAIN_CHARACTERS.fullmatch(value):
        return Reason("not_plain", value=value)
    return path(value, words)


def script_text(value: str, _words: Argv) -> Reason | None:
    """A text for a script of the project: old package managers pass it to a shell in double quotes."""
    return Reason("read_by_shell", value=value) if re.search(r"[$`\"\\\n]", value) else None


def number(value: str, _words: Argv) -> Reason | None:
    """A number, with a unit or a range: `5`, `-3`, `10m`, `1,5`."""
    return None if _NUMBER.fullmatch(value) else Reason("not_number", value=value)


def switch(value: str, _words: Argv) -> Reason | None:
    """A boolean in words."""
    return None if value.lower() in _FLAG_VALUE else Reason("not_boolean", value=value)


def file(value: str, _words: Argv) -> Reason | None:
    """A file that is only read, anywhere except where secrets are kept."""
    if paths.why_sensitive((value,)):
        return Reason("secret_place", path=value)
    return Reason("leads_out", path=value) if value.startswith("~") else None


def binary(value: str, words: Argv) -> Reason | None:
    """A file that is only read, for a program that reads more arguments from `@FILE`."""
    return Reason("names_file", value=value) if value.startswith("@") else file(value, words)


def path(value: str, words: Argv) -> Reason | None:
    """A path inside the folder that holds no secrets; no `@FILE`, which adds arguments for some programs."""
    if value.startswith("@"):
        return Reason("names_file", value=value)
    if paths.leaves_folder(value) or "\\" in value:
        return Reason("leads_out", path=value)
    return file(value, words)


def test(value: str, words: Argv) -> Reason | None:
    """A test to run: a path inside the folder, optionally with the test's name after `::`, `#` or `:LINE`."""
    if "://" in value:
        return Reason("leads_out", path=value)
    return path(re.split(r"::|#|\[|:", value, maxsplit=1)[0], words)


def module(value: str, words: Argv) -> Reason | None:
    """A package or a path of this project: `./...`, `app.models`, `src/app`."""
    if re.match(r"[\w.-]+\.[a-z]{2,}/", value):
        return Reason("leads_out", path=value)
    return path(value, words)


def name(value: str, _words: Argv) -> Reason | None:
    """A plain name, no path that leads out and no URL."""
    if not _NAME.fullmatch(value) or ".." in value or "::" in value or "://" in value:
        return Reason("not_plain", value=value)
    return None


def label(value: str, _words: Argv) -> Reason | None:
    """A single word of letters, digits, dots and hyphens."""
    return None if _LABEL.fullmatch(value) and value != ".." else Reason("not_plain", value=value)


def package(value: str, _words: Argv) -> Reason | None:
    """The name of a package in a registry, optionally with a version; no path, URL or repository."""
    return None if _PACKAGE.fullmatch(value) else Reason("not_package", value=value)


def requirement(value: str, _words: Argv) -> Reason | None:
    """A Python requirement by name; no path, URL or repository."""
    return None if _REQUIREMENT.fullmatch(value) else Reason("not_package", value=value)


def url(value: str, _words: Argv) -> Reason | None:
    """An http or https URL of an ordinary host."""
    return values.web_address(value)


def header(value: str, _words: Argv) -> Reason | None:
    """A header as text, not from a file."""
    return Reason("names_file", value=value) if value.startswith("@") else None


def archive(value: str, words: Argv) -> Reason | None:
    """An archive inside the folder, by its extension."""
    objection = path(value, words)
    return objection or (None if value.lower().endswith(_ARCHIVES) else Reason("not_archive", path=value))


def null(value: str, _words: Argv) -> Reason | None:
    """`/dev/null` or standard output."""
    return None if value in {"/dev/null", "-"} else Reason("writes_file", path=value)


def resource(value: str, _words: Argv) -> Reason | None:
    """A cluster resource, by type and name; no secrets."""
    kinds = {part.partition("/")[0].partition(".")[0].lower() for part in value.split(",")}
    if kinds & {"secret", "secrets"} or ".." in value or not re.fullmatch(r"\w[\w./,:-]*", value):
        return Reason("secret_place", path=value)
    return None


def columns(value: str, _words: Argv) -> Reason | None:
    """A list of plain columns."""
    return None if _COLUMNS.fullmatch(value) and "env" not in value else Reason("unknown_value", value=value)


def selector(value: str, _words: Argv) -> Reason | None:
    """A selector of labels: `app=web,tier!=db`."""
    return None if _SELECTOR.fullmatch(value) else Reason("unknown_value", value=value)


def build_filter(value: str, _words: Argv) -> Reason | None:
    """A target or a pattern of a task runner; no variable, because it may name a program."""
    if ".." in value or not _TARGET.fullmatch(value):
        return Reason("unknown_value", value=value)
    return None


def target(value: str, words: Argv) -> Reason | None:
    """A make target. Of variables, which may name a program, only those for verbose output are accepted."""
    return None if value in {"V=1", "V=0", "VERBOSE=1"} else build_filter(value, words)


def environment(value: str, _words: Argv) -> Reason | None:
    """The folder of a virtual environment."""
    valid = re.fullmatch(r"\.?v?env[\w.-]*", value) and value != ".env"
    return None if valid else Reason("unknown_value", value=value)


def container_file(value: str, words: Argv) -> Reason | None:
    """The folder that an image is built from; no URL or standard input."""
    return Reason("leads_out", path=value) if value == "-" or ":" in value else path(value, words)


def jq(value: str, words: Argv) -> Reason | None:
    """A jq filter that reads neither the environment nor another file."""
    return jq_language.why_not_allowed(value, names=words)


def template(value: str, _words: Argv) -> Reason | None:
    """A Go template that prints fields."""
    return None if lang.template(value) else Reason("unknown_value", value=value)


def awk(value: str, _words: Argv) -> Reason | None:
    """An awk program that computes and prints: no redirection, no pipe, no other program."""
    return awk_language.why_not_allowed(value)


def awk_variable(value: str, _words: Argv) -> Reason | None:
    """A variable for an awk program, `name=value`."""
    return None if _ASSIGNED.match(value) else Reason("unknown_value", value=value)


def yq(value: str, _words: Argv) -> Reason | None:
    """A plain path in a document: yq's language can read the environment and other files."""
    return None if _PATH_IN_DOCUMENT.fullmatch(value) else Reason("unknown_value", value=value)


def write_out(value: str, _words: Argv) -> Reason | None:
    """The format that curl prints after the response; it must not come from a file or write to one."""
    return Reason("names_file", value=value) if value.startswith("@") or "%output" in value else None


def awk_operand(value: str, words: Argv) -> Reason | None:
    """A file for awk; no variable, and no gawk device, which opens connections."""
    if value.startswith(("/inet", "/dev/")) or _ASSIGNED.match(value):
        return Reason("unknown_value", value=value)
    return file(value, words)


def sed(value: str, _words: Argv) -> Reason | None:
    """A sed script that prints and substitutes."""
    return lang.sed_script(value)


def endpoint(value: str, _words: Argv) -> Reason | None:
    """A path of an API on the configured host, which is only read."""
    if "graphql" in value or "://" in value or not re.fullmatch(r"/?[\w{}./?=&,:%+~@-]+", value):
        return Reason("unknown_value", value=value)
    return None


def clock(value: str, _words: Argv) -> Reason | None:
    """A format of `date`; any other operand sets the clock."""
    return lang.date_operands([value])


def processes(value: str, _words: Argv) -> Reason | None:
    """BSD letters of `ps` without `e`, which shows environments, and process numbers."""
    return lang.ps_operands([value])


def process_columns(value: str, _words: Argv) -> Reason | None:
    """Plain columns for `ps -o`."""
    return lang.ps_value("o", value)


def page(value: str, _words: Argv) -> Reason | None:
    """A manual page by its name: a path would be formatted by programs that the file names."""
    alphanumeric = value.replace("-", "").replace(".", "").replace("_", "")
    return None if alphanumeric.isalnum() and not value.startswith(".") else Reason("not_plain", value=value)


def listing(value: str, words: Argv) -> Reason | None:
    """A file for `less`; `+…` would be a command."""
    return Reason("unknown_value", value=value) if value.startswith("+") else file(value, words)


def _matching(pattern: str) -> ValueKind:
    """Make a kind for texts that a regular expression matches and that do not leave the folder."""

    def kind(value: str, _words: Argv) -> Reason | None:
        valid = re.fullmatch(pattern, value) and ".." not in value.replace("/...", "")
        return None if valid else Reason("unknown_value", value=value)

    return kind


PATTERNS: dict[str, ValueKind] = {
    "bucket": _matching(r"s3://[\w.-]+(?:/[\w./-]*)?"),
    "build-argument": _matching(r"[A-Za-z]\w*=[\w.-]*"),
    "build-target": _matching(r"-?(?://|:)?[\w.:-][\w.:/-]*"),
    "chart": _matching(r"(?:\./)?[\w-][\w./-]*"),
    "cloud-format": _matching(r"[\w(),.\[\]:*]+"),
    "filter": _matching(r"[\w:=,.*-]+"),
    "goal": _matching(r"(?!install|uninstall|deploy|publish)[\w.+-]+"),
    "gosetting": _matching(r"(?:GO|CGO_|CC|CXX|AR)[A-Z0-9_]*"),
    "github-header": _matching(r"(?:Accept|X-GitHub-Api-Version): ?[\w./+; =-]+"),
    "lint": _matching(r"[\w-]+(?:::[\w-]+)?"),
    "issue": _matching(r"#?\d+|(?![\w-]+\.[\w.-]+/[^/]+/)[A-Za-z][\w./-]*"),
    "repository": _matching(r"[\w.-]+/[\w.-]+"),
    "kubectl-output": _matching(r"wide|name|yaml|json|(?:jsonpath|custom-columns)=[^$\\]*"),
    "plan": _matching(r"(?:[\w-]+/)*(?:tfplan|[\w-]+\.(?:tfplan|plan|out))"),
    "report": _matching(
        r"(?:[\w-]+/)*(?:junit|report|results?|test-results|coverage|cover|cov)[\w-]*\.(?:xml|json|txt|out|lcov)"
    ),
    "resource-address": _matching(r"[\w.\[\]\"-]+"),
    "sort-columns": _matching(r"[+-]?%?[a-z_]+(?:,[+-]?%?[a-z_]+)*"),
    "test-logger": _matching(r"trx|console(?:;verbosity=(?:quiet|minimal|normal|detailed))?"),
    "triple": _matching(r"(?!.*\.json)[\w.-]+"),
    "unit": _matching(r"[\w@.:-]+"),
    "mode": _matching(r"[ugoa]*[+-=][rwxX]+|0?[0-6][0-5][0-5]|0?7[0-5][0-5]"),
}
"""The kinds that are one regular expression each."""


VALUE_KINDS: dict[str, ValueKind] = {
    **PATTERNS,
    "archive": archive,
    "awk": awk,
    "awk-file": awk_operand,
    "awk-variable": awk_variable,
    "binary": binary,
    "branch": values.git_branch,
    "built": built,
    "clock": clock,
    "columns": columns,
    "container-folder": container_file,
    "crate": package,
    "endpoint": endpoint,
    "environment": environment,
    "file": file,
    "gomodule": module,
    "gopackage": path,
    "header": header,
    "inspect-template": values.docker_template,
    "inspected": values.docker_object,
    "jq": jq,
    "label": label,
    "listing": listing,
    "module": module,
    "new-file": new_file,
    "name": name,
    "null": null,
    "number": number,
    "package": package,
    "page": page,
    "path": path,
    "plugin-off": plugin_off,
    "pretty": values.git_pretty,
    "process-columns": process_columns,
    "processes": processes,
    "ref": values.git_reference,
    "remote": values.git_remote,
    "requirement": requirement,
    "resource": resource,
    "script": script,
    "script-operand": script_operand,
    "script-text": script_text,
    "sed": sed,
    "selector": selector,
    "setting": values.git_setting,
    "switch": switch,
    "target": target,
    "template": template,
    "test": test,
    "text": text,
    "tracked": values.git_tracked,
    "url": url,
    "warning": warning,
    "write-out": write_out,
    "yq": yq,
}
"""The kinds that a table may name."""
