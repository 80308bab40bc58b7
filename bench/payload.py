"""The question and answer of every benchmark: about 1 kB of JSON, five fields."""

from __future__ import annotations

from askback import Boolean, Form, Multiselect, Number, Option, Select, Text

ANSWER = {
    "env": "staging",
    "replicas": 3,
    "features": ["dark", "search"],
    "email": "ada@example.org",
    "confirm": True,
}


def questionnaire(i: int) -> Form:
    """About 1 kB of JSON: a realistic question."""
    return Form(
        title="Deployment details",
        description=f"I need a few details before I deploy build {i}.",
        submit_label="Deploy",
        initial_values={"replicas": 2, "env": "staging"},
        fields=[
            Select(
                id="env",
                label="Environment",
                required=True,
                options=[
                    Option(label="Staging (safe)", value="staging"),
                    Option(label="Production", value="prod"),
                    Option(label="Preview per branch", value="preview"),
                ],
            ),
            Number(id="replicas", label="Replicas", min=1, max=20, step=1, required=True),
            Multiselect(
                id="features",
                label="Feature flags",
                options=[
                    Option(label="New checkout", value="checkout"),
                    Option(label="Dark mode", value="dark"),
                    Option(label="Beta search", value="search"),
                ],
            ),
            Text(
                id="email",
                label="Notify",
                pattern="[^@]+@[^@]+",
                max_length=120,
                placeholder="you@example.org",
                description="Who gets the report once the deployment is done.",
            ),
            Boolean(id="confirm", label="Run the migrations first", required=True),
        ],
    )
