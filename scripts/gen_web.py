"""Write the types of the web core from the Python models, or check that they are current.

python scripts/gen_web.py            writes web/src/core/generated/wire.ts
python scripts/gen_web.py --check    exits 1 if it differs

`wire.ts` has the types of the pages' bodies and replies, from the JSON Schemas of the models.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, TypeAdapter

from askback.domain import access, action, approval, fields, sources, view_model
from askback.domain.policy import settings
from askback.domain.secrets import request as secrets
from askback.wire import (
    admin_replies,
    bodies,
    events,
    file_replies,
    inbox,
    policy_replies,
    replies,
    rule_bodies,
)
from askback.wire.operations import OPERATIONS

WIRE = Path(__file__).parents[1] / "web" / "src" / "core" / "generated" / "wire.ts"
ROOTS: tuple[type[BaseModel], ...] = (
    replies.Error,
    replies.RequestPage,
    replies.BatchResults,
    replies.Subscription,
    replies.SavedScopes,
    replies.PostedMessage,
    replies.ThreadPage,
    replies.ThreadSnapshot,
    replies.LevelChange,
    admin_replies.CurrentSession,
    admin_replies.AgentPage,
    admin_replies.LimitsReply,
    admin_replies.SecretPage,
    admin_replies.ServerRecord,
    file_replies.FileList,
    replies.FileValue,
    admin_replies.NewSession,
    admin_replies.SessionList,
    admin_replies.TokenPage,
    admin_replies.Address,
    action.ActionAnswerBody,
    approval.DecisionBody,
    bodies.BatchBody,
    bodies.DeclineBody,
    bodies.PackageAnswerBody,
    replies.KindList,
    replies.WebhookList,
    replies.DeliveryPage,
    settings.PolicySettings,
    policy_replies.AuditEntries,
    policy_replies.AuditVerification,
    policy_replies.BuiltInRules,
    policy_replies.RuleImport,
    policy_replies.RulePage,
    policy_replies.RulePreview,
    policy_replies.RuleTrial,
    rule_bodies.RuleBody,
    sources.OptionPage,
    events.PersonalChange,
    inbox.PersonPage,
    inbox.ConversationPage,
    inbox.MarkdownTrees,
    inbox.ReminderList,
    inbox.CommentList,
)
"""The bodies and replies of the pages; the models inside them follow."""
NAMED_TYPES: dict[str, Any] = {
    "Field": fields.AnyField,
    "MessagePart": replies.MessagePart,
    "ThreadEvent": events.ThreadEvent,
    "Rich": view_model.Rich,
    "Level": access.LevelWord,
    "Scope": approval.Scope,
    "SecretScope": secrets.Scope,
    "ApprovalDecision": approval.ApprovalDecision,
    "FreeText": settings.FreeText,
}
"""Unions that are no models, under the names that the pages use for them."""
LOCAL_TEXT = "string | Record<string, string>"
"""A text in several languages: `elements/texts` chooses one before anything else reads it."""
ALWAYS_PRESENT = {(name, "options") for name in ("Select", "Radio", "Multiselect")}
"""Members that an agent may omit and the server fills in."""
HEADER = """\
/**
 * What the server sends and reads, made by scripts/gen_web.py from the models of the server.
 *
 * The server leaves out null and defaults: readers treat absent, null and undefined alike.
 */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
"""
REF = "#/$defs/"


class Types:
    """TypeScript types from JSON Schemas: of replies (`serialization`) or bodies (`validation`)."""

    def __init__(self, mode: Literal["serialization", "validation"] = "serialization") -> None:
        self.mode: Literal["serialization", "validation"] = mode
        self.named: dict[str, str] = {}
        self.written: dict[str, str] = {}

    def text(self) -> str:
        """Return the module of the pages."""
        self.add(NAMED_TYPES, ROOTS)
        names = " | ".join(
            json.dumps(item.name) for item in OPERATIONS.values() if "websocket" in item.transports
        )
        self.written["Operation"] = f"/** The `op` of a frame. */\nexport type Operation = {names};"
        return self.module(HEADER)

    def module(self, head: str) -> str:
        """Return all types in order, below a head."""
        return "\n".join([head, *(f"{self.written[name]}\n" for name in sorted(self.written))])

    def add(self, named: Mapping[str, Any], roots: Iterable[type[BaseModel]]) -> None:
        """Write unions under their names, models, and the models inside them."""
        unions = {name: TypeAdapter(item).json_schema(mode=self.mode) for name, item in named.items()}
        for name, schema in unions.items():
            self.named[self.members(schema)] = name
        for name, schema in unions.items():
            self.models(schema.get("$defs", {}))
            self.written[name] = f"export type {name} = {self.members(schema)};"
        for model in roots:
            schema = model.model_json_schema(mode=self.mode)
            self.models({**schema.get("$defs", {}), model.__name__: schema})

    def models(self, models: dict[str, Any]) -> None:
        """Write the models that are not written yet."""
        for name, schema in models.items():
            if name not in self.written and name != "JsonValue":
                self.written[name] = self.model(name, schema)

    def model(self, name: str, schema: dict[str, Any]) -> str:
        """Return the declaration of a model, or of an enum."""
        if "properties" not in schema:
            return f"export type {name} = {self.members(schema)};"
        lines = [
            f"  {key}: {self.expression(value)};"
            if key in schema.get("required", ()) or "const" in value or (name, key) in ALWAYS_PRESENT
            else f"  {key}?: {self.expression(value)} | undefined;"
            for key, value in schema["properties"].items()
        ]
        description = schema.get("description", "").partition("\n\n")[0].replace("\n", " ")
        return "\n".join([f"/** {description} */", f"export interface {name} {{", *lines, "}"])

    def expression(self, schema: dict[str, Any]) -> str:
        """Return the type of a value, by its name if it has one."""
        members = self.members(schema)
        if self.mode == "serialization":
            members = members.replace(LOCAL_TEXT, "string")
        if members.endswith(" | null") and members.removesuffix(" | null") in self.named:
            return f"{self.named[members.removesuffix(' | null')]} | null"
        return self.named.get(members, members)

    def members(self, schema: dict[str, Any]) -> str:
        """Return the type of a value, written out."""
        if "$ref" in schema:
            name = schema["$ref"].removeprefix(REF)
            return "Json" if name == "JsonValue" else name
        if any_of := schema.get("anyOf", schema.get("oneOf")):
            return " | ".join(dict.fromkeys(self.expression(option) for option in any_of))
        if "const" in schema:
            return json.dumps(schema["const"])
        if "enum" in schema:
            return " | ".join(map(json.dumps, schema["enum"]))
        match schema.get("type"):
            case "array":
                item = self.expression(schema["items"])
                return f"({item})[]" if " | " in item else f"{item}[]"
            case "object":
                values = schema.get("additionalProperties", {})
                return f"Record<string, {self.expression(values if isinstance(values, dict) else {})}>"
            case "integer" | "number":
                return "number"
            case "string" | "boolean" | "null" as primitive:
                return primitive
            case _:
                return "Json"


def main(argv: list[str]) -> int:
    """Write or check the file; return the exit status."""
    text = Types().text()
    if "--check" not in argv:
        WIRE.parent.mkdir(parents=True, exist_ok=True)
        WIRE.write_text(text, encoding="utf-8")
    elif not WIRE.exists() or WIRE.read_text(encoding="utf-8") != text:
        print("wire.ts is not current: run `python scripts/gen_web.py`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
