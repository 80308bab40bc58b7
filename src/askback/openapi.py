"""The OpenAPI 3.1 document, made from the table of operations and the Pydantic models."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from askback.transports.endpoint import Operation
from askback.transports.rest.shapes import AnyOf
from askback.transports.rest.table import PLAIN, STREAM

API_VERSION = "1"
_MEDIA = {STREAM: "Server-sent events; see wire.md.", PLAIN: "Metrics in the Prometheus text format."}
_REF = "#/components/schemas/{model}"
_REFUSALS = {
    401: "No credential, or an unknown one.",
    403: "The role does not allow this, or the Origin is not allowed.",
    404: "Not found, or you don't have access.",
    409: "Conflict: already settled, another revision or call, or not confirmed; may include the request.",
    410: "The request or the approval has expired; may include the request.",
    413: "The body is too large.",
    422: "The request is invalid; `field_errors` lists every fault.",
    503: "The store cannot be written now; nothing was stored.",
}
_ERROR: dict[str, Any] = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "field_errors": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["path", "code", "message"],
                        "properties": {name: {"type": "string"} for name in ("path", "code", "message")},
                    },
                },
                "request": {"$ref": _REF.format(model="InputRequest")},
                "retry_after": {"type": "integer", "description": "Seconds, as in `Retry-After`."},
            },
        }
    },
}


def document(operations: Sequence[Operation]) -> dict[str, Any]:
    """Describe the operations whose paths are for programs; pages are not in it."""
    listed = [operation for operation in operations if operation.summary]
    models = {model: _model_name(model) for operation in listed for model in _models(operation)}
    _, schemas = models_json_schema([(model, "validation") for model in models], ref_template=_REF)
    paths: dict[str, dict[str, Any]] = {}
    for operation in listed:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation)
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
            "schemas": {**schemas.get("$defs", {}), "Error": _ERROR},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "askback_session_<server id>"},
                "session": {"type": "apiKey", "in": "header", "name": "X-Askback-Session"},
            },
        },
    }


def text(operations: Sequence[Operation]) -> str:
    """Return the document as it is committed and served."""
    return json.dumps(document(operations), indent=1, ensure_ascii=False) + "\n"


def _operation(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = {"operationId": operation.name, "summary": operation.summary}
    if operation.roles:
        found["description"] = f"For {' and '.join(operation.roles)}."
    if parameters := [*_path(operation.path), *_query(operation), *_key(operation)]:
        found["parameters"] = parameters
    if operation.body is not None:
        found["requestBody"] = {"required": True, "content": _json(_schema(operation.body))}
    if operation.public:
        found["security"] = []
    found["responses"] = {
        str(status): _ok(status, schema) for status, schema in sorted(operation.ok.items())
    } | {
        str(status): {
            "description": _REFUSALS[status],
            "content": _json({"$ref": _REF.format(model="Error")}),
        }
        for status in _refusals(operation)
    }
    return found


def _path(path: str) -> Iterable[dict[str, Any]]:
    for name in re.findall(r"\{(\w+)", path):
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _query(operation: Operation) -> Iterable[dict[str, Any]]:
    for query in operation.query:
        yield {"name": query.name, "in": "query", "description": query.description, "schema": query.schema}


def _key(operation: Operation) -> Iterable[dict[str, Any]]:
    if operation.idempotent:
        schema = {"type": "string", "minLength": 1, "maxLength": 255}
        said = "The same key with the same body returns the result of the first call."
        yield {"name": "Idempotency-Key", "in": "header", "description": said, "schema": schema}


def _refusals(operation: Operation) -> Iterable[int]:
    if operation.public:
        return ()
    changes = operation.method == "POST"
    settles = operation.path.startswith("/v1/requests/{id}/")
    conflicts = settles or operation.path in {"/v1/policy", "/v1/rules/{id}"}
    found = {
        401: True,
        403: changes or bool(operation.roles),
        404: "{" in operation.path,
        409: conflicts and operation.method != "GET",
        410: settles,
        413: changes,
        422: changes or bool(operation.query),
        503: changes,
    }
    return [status for status, applies in found.items() if applies]


def _ok(status: int, schema: Any) -> dict[str, Any]:
    said = {200: "OK.", 201: "Created.", 204: "No content.", 303: "Redirect."}[status]
    if schema is None:
        return {"description": said}
    if isinstance(schema, str):
        return {"description": _MEDIA[schema], "content": {schema: {"schema": {"type": "string"}}}}
    return {"description": said, "content": _json(_schema(schema))}


def _json(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _schema(kind: Any) -> Mapping[str, Any]:
    if isinstance(kind, AnyOf):
        return {"anyOf": [_schema(model) for model in kind.models]}
    return {"$ref": _REF.format(model=_model_name(kind))} if isinstance(kind, type) else kind


def _models(operation: Operation) -> Iterable[type[BaseModel]]:
    for kind in (operation.body, *operation.ok.values()):
        for model in kind.models if isinstance(kind, AnyOf) else (kind,):
            if isinstance(model, type) and issubclass(model, BaseModel):
                yield model


def _model_name(model: type) -> str:
    return model.__name__
