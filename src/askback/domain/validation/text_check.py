"""Checks texts of agents that people will see: not blank, not too long, no deceptive characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from askback.domain.faults import join
from askback.domain.limits import DEFAULTS, Limits
from askback.domain.validation.report import Report, join_key
from askback.domain.validation.texts import (
    LANGUAGE_TAG,
    is_blank,
    is_deceptive,
    strings_in,
    typed_text_fault,
)
from askback.messages.languages import LocalText


class TextCheck:
    """Checks texts; `suspicious` is false if a scan of the whole body found no deceptive characters.

    Every language of a text has the same rules; its tag is a step of the path.
    """

    __slots__ = ("limits", "report", "suspicious")

    def __init__(self, report: Report, *, suspicious: bool, limits: Limits = DEFAULTS) -> None:
        self.report = report
        self.suspicious = suspicious
        self.limits = limits

    def line(self, path: str, name: str, text: LocalText | None, limit: int, *, lines: bool = False) -> None:
        """Check one line, or with `lines` several, that must not be blank."""
        if text is None:
            return
        if (
            isinstance(text, str)
            and text
            and text[0].isalnum()
            and len(text) <= limit
            and not self.suspicious
        ):
            return
        self.at(join(path, name), text, limit, lines=lines)

    def identifier(self, name: str, text: str | None) -> None:
        """Check an id of a path; clients read `.` and `..` there as steps, however they are encoded."""
        self.line("", name, text, self.limits.identifier)
        if text in {".", ".."}:
            self.report.add(name, "reserved_id.dots")

    def hint(self, path: str, name: str, text: LocalText | None, limit: int) -> None:
        """Check one line that may be empty."""
        self._optional(path, name, text, limit, lines=False)

    def lines(self, path: str, name: str, text: LocalText | None, limit: int) -> None:
        """Check a text of several lines that may be empty."""
        self._optional(path, name, text, limit, lines=True)

    def _optional(self, path: str, name: str, text: LocalText | None, limit: int, *, lines: bool) -> None:
        if text is None or (isinstance(text, str) and len(text) <= limit and not self.suspicious):
            return
        for text_path, item in self.spellings(join(path, name), text):
            self._check_characters(text_path, item, limit, lines=lines)

    def spellings(self, path: str, text: LocalText) -> Iterator[tuple[str, str]]:
        """Return a text, or each language of it, with its path; report what is wrong with the languages."""
        if isinstance(text, str):
            yield path, text
            return
        if not text:
            self.report.add(path, "wrong_type.string")
        if len(text) > self.limits.languages:
            self.report.add(path, "too_many", max=self.limits.languages)
            return
        checked_texts = set[str]()
        for tag, item in text.items():
            item_path = join_key(path, tag)
            if LANGUAGE_TAG.fullmatch(tag) is None:
                self.report.add(item_path, "invalid_locale")
            elif tag.lower() in checked_texts:
                self.report.add(item_path, "duplicate_value")
            checked_texts.add(tag.lower())
            yield item_path, item

    def value(self, path: str, value: object, *, lines: bool) -> bool:
        """Check the initial text, or list of texts, of a control; returns whether it is valid."""
        if not self.suspicious:
            return True
        deceptive_indexes = [index for index, text in strings_in(value) if is_deceptive(text, lines=lines)]
        for index in deceptive_indexes:
            self.report.add(path if index is None else join(path, index), "control_chars")
        return not deceptive_indexes

    def at(self, path: str, text: LocalText, limit: int, *, lines: bool = False) -> None:
        """Check a text at a separate path, which must not be blank."""
        for text_path, item in self.spellings(path, text):
            if (not item or not item[0].isalnum()) and is_blank(item):
                self.report.add(text_path, "empty")
            else:
                self._check_characters(text_path, item, limit, lines=lines)

    def _check_characters(self, path: str, text: str, limit: int, *, lines: bool) -> None:
        if len(text) > limit:
            self.report.add(path, "too_long", max=limit)
        elif self.suspicious and is_deceptive(text, lines=lines):
            self.report.add(path, "control_chars")


def check_languages(languages: object, report: Report, limits: Limits) -> Sequence[str]:
    """Return the languages of a reader, none by default; report invalid language tags."""
    if languages is None:
        return ()
    if not isinstance(languages, list):
        report.add("languages", "wrong_type.list")
        return ()
    tags = cast("list[object]", languages)
    if len(tags) > limits.languages:
        report.add("languages", "too_many", max=limits.languages)
    for index, tag in enumerate(tags[: limits.languages]):
        if not isinstance(tag, str):
            report.add(join("languages", index), "wrong_type.string")
        elif LANGUAGE_TAG.fullmatch(tag) is None:
            report.add(join("languages", index), "invalid_locale")
    return [tag for tag in tags if isinstance(tag, str)]


def check_line(path: str, text: str, limit: int) -> None:
    """Check one line that somebody else chose, such as an id, like a shown text; raises `Faults`."""
    report = Report()
    TextCheck(report, suspicious=True).at(path, text, limit)
    report.finish()


def check_identifier(name: str, text: str, limits: Limits) -> None:
    """Check the id of something new, which will be in paths; raises `Faults`."""
    report = Report()
    TextCheck(report, suspicious=True, limits=limits).identifier(name, text)
    report.finish()


def report_note(report: Report, note: str | None, limit: int) -> None:
    """Report a note that is too long or has control characters; agents write notes for people, too."""
    if note is None:
        return
    if len(note) > limit:
        report.add("note", "too_long", max=limit)
    elif key := typed_text_fault(note, lines=True):
        report.add("note", key)
