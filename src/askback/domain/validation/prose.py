"""Text that an agent wrote and a person will see: not blank, not too long, and without tricks."""

from __future__ import annotations

from askback.domain.faults import join
from askback.domain.validation.report import Report
from askback.domain.validation.texts import is_blank, is_deceptive, strings_in, typed_fault


class Prose:
    """Checks shown text; `suspicious` is false when a scan of the whole body found nothing to look for."""

    __slots__ = ("report", "suspicious")

    def __init__(self, report: Report, *, suspicious: bool) -> None:
        self.report = report
        self.suspicious = suspicious

    def line(self, path: str, name: str, text: str | None, most: int) -> None:
        """Check one line that must say something."""
        if text is None or (text and text[0].isalnum() and len(text) <= most and not self.suspicious):
            return
        self.at(join(path, name), text, most)

    def hint(self, path: str, name: str, text: str | None, most: int) -> None:
        """Check one line that may be empty."""
        if text is not None and (len(text) > most or self.suspicious):
            self._rest(join(path, name), text, most, lines=False)

    def lines(self, path: str, name: str, text: str | None, most: int) -> None:
        """Check a text of several lines that may be empty."""
        if text is not None and (len(text) > most or self.suspicious):
            self._rest(join(path, name), text, most, lines=True)

    def value(self, path: str, value: object, *, lines: bool) -> bool:
        """Check the text, or list of texts, that a control starts with; returns whether it is fine."""
        if not self.suspicious:
            return True
        faulty = [index for index, text in strings_in(value) if is_deceptive(text, lines=lines)]
        for index in faulty:
            self.report.add(path if index is None else join(path, index), "control_chars")
        return not faulty

    def at(self, path: str, text: str, most: int) -> None:
        """Check one line that must say something and has a path of its own."""
        if (not text or not text[0].isalnum()) and is_blank(text):
            self.report.add(path, "empty")
        else:
            self._rest(path, text, most, lines=False)

    def _rest(self, path: str, text: str, most: int, *, lines: bool) -> None:
        if len(text) > most:
            self.report.add(path, "too_long", max=most)
        elif self.suspicious and is_deceptive(text, lines=lines):
            self.report.add(path, "control_chars")


def check_line(path: str, text: str, most: int) -> None:
    """Refuse one line, such as an id that somebody else has chosen, by the rules for what is shown; raises `Faults`."""
    report = Report()
    Prose(report, suspicious=True).at(path, text, most)
    report.finish()


def report_note(report: Report, note: str | None, most: int) -> None:
    """Report a note that is too long or holds what nobody types; agents write them as well, for people to read."""
    if note is None:
        return
    if len(note) > most:
        report.add("note", "too_long", max=most)
    elif key := typed_fault(note, lines=True):
        report.add("note", key)
