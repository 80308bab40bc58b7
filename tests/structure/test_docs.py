"""The pages are correct: snippets are files that run, links resolve, named tests exist."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import get_args

import typer
from typer.core import TyperGroup

from askback.cli.main import app
from askback.domain.access import AccessLevel
from askback.domain.policy.decision_table import ASK_MODES, LEVELS, table_decision
from askback.domain.policy.engine import MODES
from askback.wire import operations
from askback.wire.events import ThreadEvent
from askback.wire.operation import Operation
from tests.structure.tree import ROOT, files, relative

PAGES = {relative(path): path.read_text(encoding="utf-8") for path in files(".md")}
FENCE = re.compile(r"(?:<!-- (file|excerpt): (\S+) -->\n)?```(python|ts)\n(.*?)```", re.DOTALL)
EXCERPT = re.compile(r"<!-- excerpt: examples/frameworks/\w+\.py -->\n```python\n(.*?)```", re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
NAMED_TEST = re.compile(r"`(tests/[\w/.-]+\.py)(?:::(\w+))?`")


def test_every_snippet_of_code_is_a_file() -> None:
    for page, text in PAGES.items():
        for kind, name, language, snippet in FENCE.findall(text):
            if language == "ts" and not name:
                continue  # a sketch of a place of the application
            assert name, f"say in {page} which file this is, or is an excerpt of:\n{snippet}"
            source = (ROOT / name).read_text(encoding="utf-8")
            assert source == snippet if kind == "file" else snippet in source, page


def test_a_framework_takes_at_most_ten_lines() -> None:
    pages = {path.stem: path.read_text(encoding="utf-8") for path in files(".md", folders=("docs/how-to/",))}
    lines = {
        name: sum(len(re.findall(r"^.*\S", code, re.MULTILINE)) for code in found)
        for name, text in pages.items()
        if (found := EXCERPT.findall(text))
    }
    assert len(lines) >= 7
    assert {name: count for name, count in lines.items() if count > 10} == {}


def prose(text: str) -> str:
    """Return a page without its blocks of code."""
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


def anchors(text: str) -> Iterator[str]:
    """Return the anchors of the headings of a page, as GitHub makes them."""
    for heading in re.findall(r"^#+ (.+)$", prose(text), re.MULTILINE):
        title = LINK.sub(lambda link: link[0][1:].partition("]")[0], heading)
        yield re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def test_every_relative_link_has_a_target() -> None:
    missing: list[tuple[str, str]] = []
    for page, text in PAGES.items():
        for link in LINK.findall(prose(text)):
            path, _, anchor = link.partition("#")
            if "://" in path or path.startswith("mailto:"):
                continue
            target = ROOT / page if not path else (ROOT / page).parent / path
            there = target.exists()
            if there and anchor and target.suffix == ".md":
                there = anchor in anchors(target.read_text(encoding="utf-8"))
            missing += [] if there else [(page, link)]
    assert missing == []


def test_the_row_of_the_contributing_page_is_an_operation() -> None:
    (row,) = re.findall(r"```text\n(Operation\(.*?\)),\n```", PAGES["CONTRIBUTING.md"], re.DOTALL)
    operation = eval(row, dict(vars(operations)))  # noqa: S307 - our own page
    assert isinstance(operation, Operation)
    assert (operation.path_parameters, [each.name for each in operation.parameters]) == (
        ("thread_id",),
        ["limit", "cursor"],
    )


def test_every_test_that_a_page_names_exists() -> None:
    for page, text in PAGES.items():
        for name, function in NAMED_TEST.findall(text):
            assert (ROOT / name).is_file(), (page, name)
            source = (ROOT / name).read_text(encoding="utf-8")
            assert not function or f"def {function}(" in source, (page, function)


def test_every_decision_has_its_four_parts() -> None:
    pages = [path for path in files(".md", folders=("docs/decisions/",)) if path.name[0].isdigit()]
    for path in pages:
        text = path.read_text(encoding="utf-8")
        assert all(part in text for part in ("Status:", "## Context", "## Decision", "## Consequences")), path


def test_the_index_of_the_docs_names_every_page_by_its_title() -> None:
    links = re.findall(r"^- \[(.+)\]\((.+\.md)\)$", PAGES["docs/README.md"], re.MULTILINE)
    pages = [name for name in PAGES if re.match(r"docs/(?!decisions/)\w.*/", name)]
    titles = {name.removeprefix("docs/"): re.search(r"^# (.+)$", PAGES[name], re.MULTILINE) for name in pages}
    assert {path: label for label, path in links if path != "decisions/README.md"} == {
        path: title and title[1] for path, title in titles.items()
    }


def test_the_readme_of_the_web_folder_names_every_folder_of_the_elements() -> None:
    paths = files(".ts", folders=("web/src/elements/",))
    table = PAGES["web/README.md"].partition("The folders of `src/elements`")[2].partition("| command |")[0]
    listed = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    assert listed == sorted({path.parent.name for path in paths} - {"elements"})


def test_the_page_about_installing_lists_every_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    listed = re.findall(r"^\| `([\w-]+)` \|", PAGES["docs/how-to/install.md"], re.MULTILINE)
    assert sorted(listed) == sorted(extras)


def test_the_protocol_page_has_every_code_of_a_refusal() -> None:
    folders = ("src/askback/service", "src/askback/transports", "src/askback/server", "src/askback/errors.py")
    source = "\n".join(path.read_text("utf-8") for path in files(".py", folders=folders))
    codes = set(re.findall(r"(?:code=|default_code = |\"code\": )\"([a-z_]+)\"", source))
    assert len(codes) > 50
    table = PAGES["docs/reference/wire.md"].partition("## Errors")[2].partition("## Events")[0]
    assert sorted(code for code in codes if f"`{code}`" not in table) == []


def test_the_protocol_page_has_every_event() -> None:
    text = PAGES["docs/reference/wire.md"].partition("## Events")[2].partition("## WebSocket")[0]
    listed = {
        f"{kind}.{name}"
        for kind, names in re.findall(
            r"`(request|message|thread|run)\.([a-z_|]+)`", text.partition("reader ignores")[0]
        )
        for name in names.split("|")
    }
    types = {
        name
        for event in get_args(get_args(ThreadEvent)[0])
        for name in get_args(event.model_fields["type"].annotation)
    }
    assert listed == types


def test_the_page_about_the_policy_has_the_tables_of_the_code() -> None:
    page = PAGES["docs/explanation/policy.md"]
    cells = r"\| (allow|ask|deny) " * 4
    rows = re.findall(rf"^\| `([a-z]+)` \| (?:any|`([a-z-]+)`) {cells}\|$", page, re.MULTILINE)
    shown = {(level, ask): row for level, mode, *row in rows for ask in ([mode] if mode else ASK_MODES)}
    calls = ((True, False), (True, True), (False, False), (False, True))
    assert shown == {
        (level, ask): [
            table_decision(level, ask, listed=listed, dangerous=danger) for listed, danger in calls
        ]
        for level in LEVELS
        for ask in ASK_MODES
    }
    modes = page.partition("### Modes")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", modes, re.MULTILINE) == list(MODES)


def test_the_page_about_threads_has_every_level_of_access() -> None:
    text = PAGES["docs/reference/threads.md"].partition("## Access to a thread")[2]
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == [level.wire_name for level in AccessLevel]


def test_the_page_about_embedding_names_what_the_elements_offer() -> None:
    page = PAGES["docs/how-to/embed-requests.md"]
    elements = ROOT / "web/src/elements"
    sources = "".join((elements / name).read_text("utf-8") for name in ("request.ts", "thread.ts"))
    names = {
        *re.findall(r"@(?:attr|fires) ([\w-]+)", sources),
        *re.findall(r"--askback-[\w-]+", (elements / "tokens.css.ts").read_text("utf-8")),
        *re.findall(r"[a-z]+", re.findall(r"@csspart ([a-z, ]+) - ", sources)[0]),
    }
    assert len(names) > 25
    assert sorted(name for name in names if f"`{name}`" not in page) == []


def test_the_readme_names_every_command() -> None:
    commands = typer.main.get_command(app)
    assert isinstance(commands, TyperGroup)
    text = PAGES["README.md"].partition("## Commands")[2].partition("## Not there yet")[0]
    assert [name for name in commands.commands if not re.search(rf"`(askback )?{name}\b", text)] == []


def test_every_message_of_the_page_about_troubles_is_printed_by_the_code() -> None:
    rows = re.findall(r"^\| (`.+?) \| ", PAGES["docs/how-to/troubleshoot.md"], re.MULTILINE)
    messages = [code or plain for row in rows for code, plain in re.findall(r"``(.+?)``|`(.+?)`", row)]
    assert len(messages) > 40
    assert [message for message in messages if not any(message in text for text in printed_texts())] == []


@cache
def printed_texts() -> list[str]:
    """Return every text of the code and of the English catalogue, with `…` in place of what is filled in."""
    catalogue: dict[str, str] = json.loads((ROOT / "src/askback/messages/en.json").read_text("utf-8"))
    texts = [re.sub(r"\{\w+\}", "…", text) for text in catalogue.values()]
    for path in files(".py", folders=("src/askback/",)):
        for node in ast.walk(ast.parse(path.read_bytes())):
            match node:
                case ast.JoinedStr(values=values):
                    texts.append(
                        "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in values)
                    )
                case ast.Constant(value=str() as text):
                    texts.append(re.sub(r"\{\w+\}|%\.?\d*[sdf]", "…", text))
                case _:
                    pass
    return texts
