"""The OpenAPI 3.1 document, made from the table of operations and its models."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from askback.domain import action, approval, request, sources, view_model
from askback.domain.lifecycle import Status
from askback.domain.limits import DEFAULTS, MAX_KEY
from askback.domain.policy import settings
from askback.wire import (
    admin_replies,
    bodies,
    events,
    file_replies,
    inbox,
    policy_replies,
    replies,
    rule_bodies,
    thread_bodies,
    verdicts,
)
from askback.wire.operation import BYTES, HTML, LINES, PLAIN, PNG, STREAM, UNBOUNDED, Operation, Parameter
from askback.wire.operations import OPERATIONS
from askback.wire.replies import Error

API_VERSION = "1"
_MEDIA = {
    STREAM: "Server-sent events; see wire.md.",
    PLAIN: "Metrics in the Prometheus text format.",
    HTML: "A page for the person.",
    BYTES: "The file, as an attachment.",
    PNG: "A small, redrawn image.",
    LINES: "Lines of JSON, as an attachment.",
}
_REF = "#/components/schemas/{model}"
_REFUSALS = {
    401: "No credential, or an unknown one.",
    403: "The role does not allow this, or the Origin is not allowed.",
    404: "Not found, or you don't have access.",
    409: "Conflict: already settled, another revision or call, or not confirmed; may include the request.",
    410: "The request or the approval has expired; may include the request.",
    413: "The body is too large.",
    422: "The request is invalid; `field_errors` lists every fault.",
    429: "Too many calls; `retry_after` says how many seconds to wait.",
    503: "The store cannot be reached or written now; nothing was stored.",
}
_MODELS = (
    request, view_model, approval, action, sources, bodies, rule_bodies, verdicts, thread_bodies, replies,
    admin_replies, policy_replies, file_replies, events, settings, inbox,
)  # fmt: skip
_TYPES: Mapping[str, Mapping[str, Any]] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
    "statuses": {"type": "string", "enum": list(Status)},
}


def model(name: str) -> type[BaseModel]:
    """Return the model for a name in the table of operations."""
    return next(getattr(module, name) for module in _MODELS if hasattr(module, name))


def models(names: str) -> Sequence[type[BaseModel]]:
    """Return the models of `A | B`."""
    return [model(name) for name in names.split(" | ")]


def document() -> dict[str, Any]:
    """Describe every operation of HTTP."""
    http_operations = [item for item in OPERATIONS.values() if "http" in item.transports]
    _, schemas = models_json_schema(
        [
            (model, "validation")
            for model in dict.fromkeys((Error, *chain.from_iterable(map(_models, http_operations))))
        ],
        ref_template=_REF,
    )
    paths: dict[str, dict[str, Any]] = {}
    for operation in http_operations:
        paths.setdefault(template(operation), {})[operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "askback",
            "version": API_VERSION,
            "description": "The human-input layer for AI agents. See wire.md for events and the WebSocket.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"token": []}, {"cookie": [], "session": []}],
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "responses": {
                str(status): {"description": text, "content": _json({"$ref": _REF.format(model="Error")})}
                for status, text in _REFUSALS.items()
            },
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "askback_session_<server id>"},
                "session": {"type": "apiKey", "in": "header", "name": "X-Askback-Session"},
            },
        },
    }


def text() -> str:
    """Return the text of the document, as committed and served."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


def _operation(operation: Operation) -> dict[str, Any]:
    document: dict[str, Any] = {"operationId": operation.name, "summary": operation.summary}
    if operation.roles:
        document["description"] = f"For {' and '.join(sorted(operation.roles))}."
    if parameters := [*_path(operation), *_query(operation), *_key(operation)]:
        document["parameters"] = parameters
    if operation.body == BYTES:
        document["requestBody"] = {"required": True, "content": {BYTES: {"schema": {}}}}
    elif operation.body is not None:
        document["requestBody"] = {"required": True, "content": _json(_schema(models(operation.body)))}
    if operation.public:
        document["security"] = []
    document["responses"] = {
        str(status): _success_response(status, reply) for status, reply in sorted(operation.replies.items())
    } | {str(status): {"$ref": f"#/components/responses/{status}"} for status in operation.refusals}
    return document


def template(operation: Operation) -> str:
    """Return the published path: `/v1/requests/{id}`."""
    return re.sub(r"\{\w+_id\}", "{id}", operation.path)


def _path(operation: Operation) -> Iterable[dict[str, Any]]:
    for name in re.findall(r"\{(\w+)\}", template(operation)):
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _query(operation: Operation) -> Iterable[dict[str, Any]]:
    for parameter in operation.parameters:
        if "http" in parameter.transports:
            yield {
                "name": parameter.name,
                "in": "query",
                "description": parameter.description,
                "schema": _parameter(parameter),
            }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    schema = dict(_TYPES[parameter.type])
    if parameter.type in ("integer", "number"):
        schema["minimum"] = parameter.minimum
        maximum = parameter.maximum
        if maximum != UNBOUNDED:
            schema["maximum"] = getattr(DEFAULTS, maximum) if isinstance(maximum, str) else maximum
    if parameter.pattern:
        schema["pattern"] = f"^{parameter.pattern}$"
    if parameter.default is not None:
        schema["default"] = parameter.default
    return schema


def _key(operation: Operation) -> Iterable[dict[str, Any]]:
    if operation.idempotent:
        schema = {"type": "string", "minLength": 1, "maxLength": MAX_KEY}
        status_text = "The same key with the same body returns the result of the first call."
        yield {"name": "Idempotency-Key", "in": "header", "description": status_text, "schema": schema}


def _success_response(status: int, reply: str | None) -> dict[str, Any]:
    status_text = {200: "OK.", 201: "Created.", 204: "No content.", 400: "Refused."}[status]
    if reply is None:
        return {"description": status_text}
    if reply in _MEDIA:
        return {"description": _MEDIA[reply], "content": {reply: {"schema": {"type": "string"}}}}
    return {"description": status_text, "content": _json(_schema([model(reply)]))}


def _models(operation: Operation) -> Iterable[type[BaseModel]]:
    named = [reply for reply in operation.replies.values() if reply is not None and reply not in _MEDIA]
    return [*map(model, named), *(models(operation.body) if operation.body not in (None, BYTES) else ())]


def _json(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _schema(kinds: Sequence[type[BaseModel]]) -> Mapping[str, Any]:
    references = [{"$ref": _REF.format(model=kind.__name__)} for kind in kinds]
    return references[0] if len(references) == 1 else {"anyOf": references}
