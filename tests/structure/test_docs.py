"""The pages are correct: snippets are files that run, links resolve, named tests exist."""

from __future__ import annotations

import re

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
    pages = {path.stem: path.read_text(encoding="utf-8") for path in files(".md", under=("docs/how-to/",))}
    lines = {
        name: sum(len(re.findall(r"^.*\S", code, re.MULTILINE)) for code in found)
        for name, text in pages.items()
        if (found := EXCERPT.findall(text))
    }
    assert len(lines) >= 7
    assert {name: count for name, count in lines.items() if count > 10} == {}


def test_every_relative_link_has_a_target() -> None:
    missing: list[tuple[str, str]] = []
    for page, text in PAGES.items():
        prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        targets = [link.partition("#")[0] for link in LINK.findall(prose) if "://" not in link]
        folder = (ROOT / page).parent
        missing += [(page, target) for target in targets if target and not (folder / target).exists()]
    assert missing == []


def test_every_test_that_a_page_names_exists() -> None:
    for page, text in PAGES.items():
        for name, function in NAMED_TEST.findall(text):
            assert (ROOT / name).is_file(), (page, name)
            source = (ROOT / name).read_text(encoding="utf-8")
            assert not function or f"def {function}(" in source, (page, function)


def test_every_decision_has_its_four_parts() -> None:
    pages = [path for path in files(".md", under=("docs/decisions/",)) if path.name[0].isdigit()]
    for path in pages:
        text = path.read_text(encoding="utf-8")
        assert all(part in text for part in ("Status:", "## Context", "## Decision", "## Consequences")), path


def test_every_page_of_the_docs_is_linked_from_their_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = [path for path in files(".md", under=("docs/",)) if "decisions" not in path.parts]
    links = [path.relative_to(ROOT / "docs").as_posix() for path in pages if path.name != "README.md"]
    assert [link for link in links if f"({link})" not in index] == []
