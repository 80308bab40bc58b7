"""The forms of the sample agent.

Pure: the same answers always give the same forms. That matters for a restart: a question that is asked again with
its old idempotency key must have the same body.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from askback.demo.project.plan import SPDX, Plan
from askback.domain.fields import Date, Form, Multiselect, Radio, Select, Text, Textarea
from askback.domain.options import Option

NAME = "[a-z][a-z0-9-]{0,38}[a-z0-9]"
WRITE, CHANGE = "write", "change"
LANGUAGES = {"python": "Python", "javascript": "JavaScript", "rust": "Rust"}
EXTRAS = {
    "cli": "a command",
    "ci": "a CI workflow",
    "docker": "a Dockerfile",
    "editorconfig": "an .editorconfig",
}


def basics(previous_values: Mapping[str, Any]) -> Form:
    """Ask for the name and the language; `before` holds earlier answers to start from."""
    name = Text(
        id="name",
        label="Name",
        required=True,
        description="It becomes the name of the folder and of the package.",
        placeholder="hello-world",
        max_length=40,
        pattern=NAME,
        pattern_message="Use lower-case letters, digits and hyphens, beginning with a letter: hello-world.",
    )
    language = Radio(
        id="language",
        label="Language",
        required=True,
        options=[
            Option(
                value="python",
                label="Python",
                description="A package with unittest; needs nothing else.",
                recommended=True,
            ),
            Option(
                value="javascript",
                label="JavaScript",
                description="A package for Node 20 or newer with its own test runner.",
            ),
            Option(value="rust", label="Rust", description="A library crate with a test."),
        ],
    )
    return Form(
        title="What shall we build?",
        description="A small project with working code and its own test.",
        submit_label="Next",
        cancel_label="No, thanks",
        fields=[name, language],
        initial_values=_initial_values(previous_values, "name", "language"),
    )


def details(previous_values: Mapping[str, Any], *, today: date) -> Form:
    """Ask for all other details."""
    features = Multiselect(
        id="features",
        label="Extras",
        widget="checkboxes",
        options=[
            Option(value="cli", label="A command", description="Prints one line about the project."),
            Option(value="ci", label="A CI workflow", description="Runs the tests on every push."),
            Option(value="docker", label="A Dockerfile"),
            Option(value="editorconfig", label="An .editorconfig"),
        ],
        default=["cli"],
    )
    licence = Select(
        id="licence", label="Licence", required=True, allow_other=True, options=list(SPDX), default=SPDX[0]
    )
    start = Date(id="start", label="Start date", required=True, default=today.isoformat(), min="1970-01-01")
    description = Textarea(
        id="description",
        label="Short description",
        required=True,
        description="What is it for? It goes into the README.",
        min_length=3,
        max_length=300,
    )
    return Form(
        title="And the details?",
        submit_label="Next",
        cancel_label="No, thanks",
        fields=[features, licence, start, description],
        initial_values=_initial_values(previous_values, "features", "licence", "start", "description"),
    )


def agreement(plan: Plan) -> Form:
    """Show what will be written and ask for confirmation."""
    extras = ", ".join(label for value, label in EXTRAS.items() if value in plan.features) or "none"
    lines = [
        f"- **Project**: `{plan.name}`, {LANGUAGES[plan.language]}",
        f"- **Extras**: {extras}",
        f"- **Licence**: {_shorten(plan.licence)}",
        f"- **Start**: {plan.start.isoformat()}",
    ]
    choice = Select(
        id="go",
        label="Shall I write it?",
        required=True,
        widget="buttons",
        options=[
            Option(value=WRITE, label="Write it", style="primary"),
            Option(value=CHANGE, label="Change something"),
        ],
    )
    return Form(
        title="Ready to write", description="\n".join(lines), cancel_label="No, thanks", fields=[choice]
    )


def plan_of(values: Mapping[str, Any]) -> Plan:
    """Make a plan from the answers of both forms."""
    return Plan(
        name=values["name"],
        language=values["language"],
        features=frozenset(values.get("features", ())),
        licence=" ".join(values["licence"].split()),
        start=date.fromisoformat(values["start"]),
        description=values["description"],
    )


def _initial_values(previous_values: Mapping[str, Any], *names: str) -> dict[str, Any] | None:
    return {name: previous_values[name] for name in names if name in previous_values} or None


def _shorten(text: str) -> str:
    """Shorten a person's text to fit into a form, without characters that Markdown interprets."""
    plain_text = "".join(char if char.isalnum() or char in " .,-+" else " " for char in text)
    return plain_text[:60]
