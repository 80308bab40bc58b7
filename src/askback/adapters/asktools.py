"""The tools by which a model asks a person, as native tools of a framework."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from askback.adapters.arguments import (
    AskUser,
    RequestApproval,
    RequestEnvVars,
    description_of,
    form_for,
    wrong_arguments,
)
from askback.adapters.asking import PausePoint, approve_once, ask_once
from askback.client.async_client import AsyncClient
from askback.client.secrets_result import SecretsResult
from askback.domain.decision import Decision
from askback.domain.faults import Faults
from askback.domain.model import Model
from askback.domain.modeltext import model_text
from askback.domain.request import InputRequest
from askback.domain.secrets.request import SecretAsk
from askback.domain.validation.structure import parse
from askback.errors import Conflict, Invalid
from askback.messages import DEFAULT_LOCALE, render


@dataclass(frozen=True, slots=True)
class AskResult:
    """What a tool returns: the sentence for the model, and the request, None if nobody was asked."""

    text: str
    request: InputRequest | None = None

    @property
    def pending(self) -> bool:
        """Whether nobody has answered yet."""
        return self.request is not None and not self.request.settled


AskOutcome = Decision | InputRequest | AskResult


def is_open(outcome: AskOutcome) -> bool:
    """Return whether nobody has answered yet."""
    if isinstance(outcome, Decision):
        return outcome.status == "pending"
    return outcome.pending if isinstance(outcome, AskResult) else not outcome.settled


@dataclass(frozen=True, slots=True)
class AskTool:
    """A tool for models: its name, the model of its arguments, and what it does."""

    name: str
    arguments: type[Model]
    run: Callable[[AsyncClient, Any, PausePoint, bool], Awaitable[AskResult]]

    @property
    def description(self) -> str:
        """The description for the model."""
        return description_of(self.arguments)

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        schema = self.arguments.model_json_schema()
        return {key: value for key, value in schema.items() if key not in {"title", "description"}}

    async def call(
        self, client: AsyncClient, arguments: Mapping[str, Any], point: PausePoint, *, wait: bool = True
    ) -> AskResult:
        """Run the tool. Invalid arguments give a text for the model, not an exception."""
        try:
            return await self.run(client, parse(self.arguments, arguments), point, wait)
        except Faults as exception:
            faults = [(fault.path, render(fault, DEFAULT_LOCALE)) for fault in exception.faults]
        except Invalid as exception:
            faults = [(str(error["path"]), str(error["message"])) for error in exception.field_errors]
        return AskResult(wrong_arguments(faults))


async def _ask_user(client: AsyncClient, arguments: AskUser, point: PausePoint, wait: bool) -> AskResult:
    request = await ask_once(client, form_for(arguments).form, point, wait=wait)
    return AskResult(model_text(request), request)


async def _request_approval(
    client: AsyncClient, arguments: RequestApproval, point: PausePoint, wait: bool
) -> AskResult:
    decision = await approve_once(
        client, arguments.tool, arguments.input, point, wait=wait, allow_edit=True, reason=arguments.reason
    )
    return AskResult(decision.text, decision.request)


async def _request_env_vars(
    client: AsyncClient, arguments: RequestEnvVars, point: PausePoint, wait: bool
) -> AskResult:
    secret_ask = SecretAsk.model_validate(arguments.model_dump(exclude_none=True))
    try:
        request = await ask_once(client, secret_ask, point, wait=wait)
    except Conflict as error:
        if error.code != "secrets_off":
            raise
        return AskResult(SecretsResult.secrets_off(arguments.names).text)
    return AskResult(model_text(request), request)


ASK_USER = AskTool("ask_user", AskUser, _ask_user)
REQUEST_APPROVAL = AskTool("request_approval", RequestApproval, _request_approval)
REQUEST_ENV_VARS = AskTool("request_env_vars", RequestEnvVars, _request_env_vars)
ASK_TOOLS: Mapping[str, AskTool] = {
    item.name: item for item in (ASK_USER, REQUEST_APPROVAL, REQUEST_ENV_VARS)
}
