"""The tools for agents. Each returns a widget id immediately, and the agent then ends its turn."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AliasChoices, Field

from askback.compat.agor.widgets import TEXTS, read_widget
from askback.domain import modeltext
from askback.domain.model import Model
from askback.domain.secrets.request import SecretHelp
from askback.domain.validation.structure import parse
from askback.errors import Invalid, NotFound
from askback.ports.systems import Api, ApiCall, Json, JsonReply

PREFIX = "agor_widgets_request_"
_DISMISSED = (
    modeltext.TEXTS["secret.declined.dismissed"].replace("{brand}", "Agor").replace("{names}", "{question}")
)
CHOICE_TEXTS = {"answered": "[Agor] User chose: {labels}.", "declined": _DISMISSED}
"""The messages to the agent about a choice; those about secrets are native."""
Reason = Annotated[str, Field(max_length=500)]
Table = Sequence[tuple[str, str]]


class Tool(Model):
    """What every tool takes. Members have the names of the native request, and Agor's names as aliases.

    The docstring of a subclass is what a model reads about the tool.
    """

    paths: ClassVar[Table]
    """The names that the arguments use for paths of the native request."""
    auto_resume: bool = True

    def members(self) -> Json:
        """Return the arguments of this tool alone, by their native names."""
        return self.model_dump(exclude={"auto_resume"}, exclude_none=True)

    @abstractmethod
    def request(self) -> Json:
        """Return the native request."""


class Help(SecretHelp):
    """Agor's help for one variable."""

    input: Literal["password", "text", "textarea"] = Field("password", alias="input_type")


class EnvVars(Tool):
    """Ask the user for environment variables. The values never reach you, only their names."""

    paths = ((r"secret\.metadata", "variable_metadata"), (r"secret\.", ""))
    names: list[str] = Field(min_length=1, max_length=10)
    reason: Reason
    instructions: str | None = Field(None, max_length=2_000)
    default_scope: Literal["session", "global"] = "global"
    metadata: dict[str, Help] = Field(default_factory=dict, alias="variable_metadata")

    def request(self) -> Json:
        """Return a request for secrets."""
        return {"kind": "secret", "secret": self.members()}


class Oauth(Tool):
    """Ask the user to connect an account. Its tokens never reach you."""

    paths = ((r"action\.description", "reason"), (r"action\.title", "provider"), (r"action\.", ""))
    provider: str = Field(validation_alias=AliasChoices("provider", "mcpServerId"))
    description: Reason | None = Field(None, alias="reason")
    scopes: list[str] | None = None

    def request(self) -> Json:
        """Return a request to connect the account."""
        return {"kind": "action", "action": {"title": f"Connect {self.provider}", **self.members()}}


def _choice_paths(options: str, label: str, heading: str) -> Table:
    option = r"form\.fields\[0\]\.options(\[\d+\])?"
    return [
        (rf"{option}\.value", rf"{options}\1.id"),
        (rf"{option}\.label", rf"{options}\1.{label}"),
        (option, rf"{options}\1"),
        (r"form\.title|form\.fields\[0\]\.label", heading),
        (r"form\.description", "body"),
    ]


class Button(Model):
    """One option of a confirmation."""

    value: str = Field(alias="id")
    label: str
    style: Literal["default", "primary", "danger"] | None = None


class Confirmation(Tool):
    """Ask the user to choose one of two to five options."""

    paths = _choice_paths("options", "label", "title")
    title: str = Field(max_length=120)
    description: str | None = Field(None, max_length=2_000, alias="body")
    options: list[Button] = Field(min_length=2, max_length=5)

    def request(self) -> Json:
        """Return a form with buttons."""
        form = self.members()
        buttons = {"type": "select", "widget": "buttons", "options": form.pop("options")}
        return _choice({"id": "option_id", "label": self.title, **buttons}, **form)


class Picker(Tool):
    """A choice of one or, with `multiple`, of several."""

    id: ClassVar[str]
    label: Reason = Field(alias="reason")
    multiple: bool = False

    def request(self) -> Json:
        """Return a form with the options."""
        field = self.members()
        type_ = "multiselect" if field.pop("multiple") else "radio"
        return _choice({"id": self.id, "type": type_, **field})


class McpServer(Model):
    """One MCP server."""

    value: str = Field(alias="id")
    label: str = Field(alias="name")


class McpServers(Picker):
    """Ask the user to choose among MCP servers."""

    id = "server_ids"
    paths = _choice_paths("servers", "name", "reason")
    options: list[McpServer] = Field(alias="servers")


class Files(Picker):
    """Ask the user to choose among files."""

    id = "files"
    paths = _choice_paths("files", "name", "reason")
    options: list[str] = Field(alias="files")


TOOLS: Mapping[str, type[Tool]] = {
    "env_vars": EnvVars,
    "confirmation": Confirmation,
    "mcp_servers": McpServers,
    "files": Files,
    "oauth": Oauth,
}
"""The tools by the type of their widget."""


async def tool_call(call: ApiCall) -> JsonReply:
    """`POST /sessions/{session}/tools/{tool}`."""
    key = call.header("idempotency-key")
    return JsonReply(await run(call.api, call.path["session"], call.path["tool"], call.json(), key=key))


async def call_tool(call: ApiCall, tool: str, arguments: object, key: str | None) -> Json:
    """Call a tool over MCP, at `/mcp?session_id=`."""
    if not (session := call.query.get("session_id")):
        raise Invalid("This tool needs a session: add ?session_id= to the address of the server.")
    return await run(call.api, session, tool, arguments, key=key)


async def run(api: Api, session: str, tool: str, arguments: object, *, key: str | None = None) -> Json:
    """Call a tool; return the id of the widget and the outcome, and nothing else."""
    type_ = tool.removeprefix(PREFIX)
    if type_ not in TOOLS or type_ == tool:
        raise NotFound(TEXTS["unknown_type"].format(type=type_))
    parsed_question = parse(TOOLS[type_], arguments)
    terms = {"thread_id": session, "delivery": "resume", "auto_resume": parsed_question.auto_resume}
    paths = [*parsed_question.paths, ("thread_id", "session_id")]
    created = await api.call("create_request", {**parsed_question.request(), **terms}, key=key, paths=paths)
    state = read_widget(created).state
    return {"widget_id": created["id"], "status": "requested" if state == "pending" else state}


def _choice(field: Json, **form: Any) -> Json:
    form["fields"] = [{**field, "required": True}]
    return {"kind": "form", "form": form, "texts": CHOICE_TEXTS}
