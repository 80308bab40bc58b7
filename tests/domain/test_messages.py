"""The texts are complete in both languages and rendered alike in both programming languages."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from askback import messages
from askback.domain.faults import fault
from askback.messages import negotiate_locale, number_text, render, translate

ROOT = Path(messages.__file__).parents[1]
CATALOGUES = {
    locale: json.loads((Path(messages.__file__).parent / f"{locale}.json").read_text(encoding="utf-8"))
    for locale in messages.LOCALES
}
PLACEHOLDER = re.compile(r"\{[a-z_]+\}")


def test_both_languages_have_the_same_keys_and_placeholders() -> None:
    en, de = CATALOGUES["en"], CATALOGUES["de"]
    assert list(en) == list(de)
    assert {k: sorted(PLACEHOLDER.findall(v)) for k, v in en.items()} == {
        k: sorted(PLACEHOLDER.findall(v)) for k, v in de.items()
    }


def test_each_plural_text_has_a_singular_text() -> None:
    for catalogue in CATALOGUES.values():
        assert {key for key in catalogue if key.endswith(".one")} <= {f"{key}.one" for key in catalogue}
    assert (translate("fault.too_short", "en", min=1), translate("fault.too_short", "en", min=2)) == (
        "Must be at least 1 character.",
        "Must be at least 2 characters.",
    )
    assert translate("ui.rules.count", "de", count=1) == "1 Regel"


_ADDS = re.compile(r"\b(?:fault|add|_invalid|_refuse)\(\s*[^)\s]")


def literal_fault_keys() -> set[str]:
    """Return the keys that the source passes to `fault`, `.add` and the like as literals."""
    keys: set[str] = set()
    texts = [file.read_text(encoding="utf-8") for file in ROOT.rglob("*.py")]
    for text in texts:
        # To parse every file takes four times as long.
        for node in ast.walk(ast.parse(text)) if _ADDS.search(text) else ():
            if not isinstance(node, ast.Call):
                continue
            match node.func:
                case ast.Name(id="_invalid" | "_refuse"):
                    start_index = 0
                case ast.Name(id="fault" | "add") | ast.Attribute(attr="add" | "_invalid" | "_refuse"):
                    start_index = 1
                case _:
                    continue
            match node.args[start_index : start_index + 1]:
                case [ast.Constant(value=str(key))]:
                    keys.add(key)
                case _:
                    pass
    return keys


def test_every_fault_that_the_source_names_has_its_text() -> None:
    keys = literal_fault_keys()
    assert len(keys) > 40
    assert {key for key in keys if f"fault.{key}" not in CATALOGUES["en"]} == set()


def test_filled_in_values_are_not_searched_for_placeholders() -> None:
    custom = fault("values.a", "invalid_rule", reason="Use {min} {message}.")
    assert render(custom, "en") == "Use {min} {message}."


def test_its_own_message_replaces_the_sentence() -> None:
    own = fault("values.a", "below_min", min=3, message={"en": "Three, {min}.", "de": "Drei."})
    assert (render(own, "en"), render(own, "de")) == ("Three, {min}.", "Drei.")


def test_an_unknown_locale_reads_english() -> None:
    assert translate("fault.required_missing", "fr") == "This field is required."


@pytest.mark.parametrize(
    ("header", "locale"),
    [(None, "en"), ("", "en"), ("de", "de"), ("de-AT,de;q=0.9,en;q=0.8", "de"), ("fr,en;q=0.5,de;q=0.4", "en"), ("fr, DE ; q=0.2", "de"), ("de;q=0,en;q=0.1", "en"), ("*", "en"), ("*;q=0.1,de", "de"), ("de;q=x", "en"), (";;;,,,", "en"), ("zh", "en"), ("x" * 5000, "en")],
)  # fmt: skip
def test_the_header_chooses_the_language(header: str | None, locale: str) -> None:
    assert negotiate_locale(header) == locale


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (-0.0, "0"), (5, "5"), (5.0, "5"), (-1.5, "-1.5"), (0.1, "0.1"), (1e-6, "0.000001"), (1e-7, "1e-7"), (1.25e-9, "1.25e-9"), (1e16, "10000000000000000"), (123456789012345680000.0, "123456789012345680000"), (1e21, "1e+21"), (-1.5e300, "-1.5e+300"), (5e-324, "5e-324"), (2**53 - 1, "9007199254740991"), (10**25, "1e+25")],
)  # fmt: skip
def test_numbers_are_written_as_javascript_writes_them(number: float, text: str) -> None:
    assert number_text(number) == text
