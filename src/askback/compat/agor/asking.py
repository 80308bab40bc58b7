"""The tools for agents. Each returns a widget id at once; the agent then ends its turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, Field

from askback.compat.agor.errors import UNKNOWN_TYPE
from askback.compat.agor.widgets import state
from askback.compat.system import Answer, Api, Call, Json
from askback.domain.faults import Faults, rename_path
from askback.domain.model import Model
from askback.domain.modeltext import TEXTS
from askback.domain.questiontext import quote
from askback.domain.request import InputRequest
from askback.domain.secrets.request import SecretHelp
from askback.domain.validation.structure import parse
from askback.errors import NotFound

PREFIX = "agor_widgets_request_"
BRAND = "Agor"
CHOSEN = f"[{BRAND}] User chose: {{labels}}."
DISMISSED = TEXTS["secret.declined.dismissed"].replace("{brand}", BRAND)
Reason = Annotated[str, Field(max_length=500)]


class Help(SecretHelp):
    """Agor's help for one variable."""

    input: Literal["password", "text", "textarea"] = Field("password", alias="input_type")


class Tool(Model):
    """What every tool takes."""

    auto_resume: bool = True


class EnvVars(Tool):
    """`request_env_vars`: there is no place for a value."""

    names: list[str]
    reason: Reason
    instructions: str | None = None
    default_scope: Literal["session", "global"] = "global"
    variable_metadata: dict[str, Help] = Field(default_factory=dict[str, Help])

    def request(self) -> Json:
        """Return the native request."""
        secret = self.model_dump(exclude={"auto_resume", "variable_metadata"}, exclude_none=True)
        secret["metadata"] = {
            name: each.model_dump(exclude_none=True) for name, each in self.variable_metadata.items()
        }
        return {"kind": "secret", "secret": secret}


class ConfirmationOption(Model):
    """One button."""

    id: str
    label: str
    style: Literal["default", "primary", "danger"] | None = None


class Confirmation(Tool):
    """`request_confirmation`: a question with two to five buttons."""

    title: str = Field(max_length=120)
    body: str = Field("", max_length=2_000)
    options: list[ConfirmationOption] = Field(min_length=2, max_length=5)

    def request(self) -> Json:
        """Return the native request."""
        options = [_option(each.id, each.label, style=each.style) for each in self.options]
        field = {"id": "option_id", "type": "select", "widget": "buttons", "label": self.title}
        form = {"title": self.title, "description": self.body or None}
        return _choice({**form, "fields": [{**field, "required": True, "options": options}]}, self.title)


class Server(Model):
    """One MCP server."""

    id: str
    name: str


class McpServers(Tool):
    """`request_mcp_servers`: a choice of MCP servers."""

    reason: Reason
    servers: list[Server]
    multiple: bool = False

    def request(self) -> Json:
        """Return the native request."""
        return _pick("server_ids", self, [_option(each.id, each.name) for each in self.servers])


class Files(Tool):
    """`request_files`: a choice of files by their paths."""

    reason: Reason
    files: list[str]
    multiple: bool = False

    def request(self) -> Json:
        """Return the native request."""
        return _pick("files", self, [_option(each, each) for each in self.files])


class Oauth(Tool):
    """`request_oauth`: an account at an OAuth provider of the server, which Agor names by an MCP server."""

    provider: str = Field(validation_alias=AliasChoices("provider", "mcpServerId"))
    reason: Reason | None = None
    scopes: list[str] | None = None

    def request(self) -> Json:
        """Return the native request."""
        action = {"provider": self.provider, "description": self.reason, "scopes": self.scopes}
        return {"kind": "action", "action": {"title": f"Connect {self.provider}", **action}}


TOOLS: Mapping[str, tuple[type[EnvVars | Confirmation | McpServers | Files | Oauth], str]] = {
    "env_vars": (
        EnvVars,
        "Ask the user for environment variables. The values never reach you, only their names.",
    ),
    "confirmation": (Confirmation, "Ask the user to choose one of two to five options."),
    "mcp_servers": (McpServers, "Ask the user to choose among MCP servers."),
    "files": (Files, "Ask the user to choose among files."),
    "oauth": (Oauth, "Ask the user to connect an account. Its tokens never reach you."),
}
"""The tools by the type of their widget, with what a model reads about them."""

_ITEMS = r"form\.fields\[0\]\.options(\[\d+\])?"
_PATHS: Mapping[str, Sequence[tuple[str, str]]] = {
    "env_vars": [(r"secret\.metadata", "variable_metadata"), (r"secret\.", "")],
    "confirmation": [
        (rf"{_ITEMS}\.value", r"options\1.id"),
        (_ITEMS, r"options\1"),
        (r"form\.title|form\.fields\[0\]\.label", "title"),
        (r"form\.description", "body"),
    ],
    "mcp_servers": [
        (rf"{_ITEMS}\.value", r"servers\1.id"),
        (rf"{_ITEMS}\.label", r"servers\1.name"),
        (_ITEMS, r"servers\1"),
        (r"form\.fields\[0\]\.label", "reason"),
    ],
    "files": [(rf"{_ITEMS}(\.value|\.label)?", r"files\1"), (r"form\.fields\[0\]\.label", "reason")],
    "oauth": [(r"action\.description", "reason"), (r"action\.title", "provider"), (r"action\.", "")],
}
"""For each type, places in the native request and what the arguments call them."""


async def tool_call(call: Call) -> Answer:
    """`POST /sessions/{session}/tools/{tool}`."""
    key = call.header("idempotency-key")
    return Answer(await run(call.api, call.path["session"], call.path["tool"], call.json(), key=key))


async def run(api: Api, session: str, tool: str, arguments: object, *, key: str | None = None) -> Json:
    """Call a tool; return the id of the widget and what became of it, and nothing else."""
    type_ = tool.removeprefix(PREFIX)
    if type_ not in TOOLS or type_ == tool:
        raise NotFound(UNKNOWN_TYPE.format(type=type_))
    asked = parse(TOOLS[type_][0], arguments)
    terms = {"thread_id": session, "delivery": "resume", "auto_resume": asked.auto_resume}
    try:
        created = await api.call("create_request", {**asked.request(), **terms}, key=key)
    except Faults as refused:
        raise refused.with_paths(lambda path: rename_path(path, _PATHS[type_])) from None
    status = state(InputRequest.model_validate(created))
    return {"widget_id": created["id"], "status": "requested" if status == "pending" else status}


def _pick(id_: str, asked: McpServers | Files, options: Sequence[Json]) -> Json:
    type_ = "multiselect" if asked.multiple else "radio"
    field = {"id": id_, "type": type_, "label": asked.reason, "required": True, "options": options}
    return _choice({"fields": [field]}, asked.reason)


def _choice(form: Json, what: str) -> Json:
    texts = {"answered": CHOSEN, "declined": DISMISSED.replace("{names}", quote(what))}
    return {"kind": "form", "form": form, "texts": texts}


def _option(value: str, label: str, **more: Any) -> Json:
    return {"value": value, "label": label, **more}
