"""The OpenAPI document: current, complete, and what is served."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from askback import openapi
from askback.app import create_app
from tests.requirements import requirement
from tests.transports.conftest import Api

COMMITTED = Path(__file__).parents[2] / "docs" / "reference" / "openapi.json"


def test_the_committed_document_is_current() -> None:
    assert COMMITTED.read_text("utf-8") == openapi.text(create_app().operations), "run `make gen`"


@requirement("G1")
def test_every_route_for_programs_is_in_the_document() -> None:
    document = json.loads(COMMITTED.read_text("utf-8"))
    described = {(method.upper(), path) for path, item in document["paths"].items() for method in item}
    served = {(o.method, o.path) for o in create_app().operations}
    pages = {
        ("GET", p)
        for p in ("/", "/t/{thread_id}", "/r/{request_id}", "/gallery", "/login", "/static/{name:path}")
    }
    assert described == served - pages


def test_every_reference_in_the_document_leads_somewhere() -> None:
    document = json.loads(COMMITTED.read_text("utf-8"))
    schemas = document["components"]["schemas"]
    found = set(_references(document))
    assert found
    assert {ref.removeprefix("#/components/schemas/") for ref in found} <= schemas.keys()


@pytest.mark.anyio
async def test_the_server_gives_out_the_same_document_to_anyone(api: Api) -> None:
    served = await api.client().get("/openapi.json")
    assert (served.status_code, served.text) == (200, COMMITTED.read_text("utf-8"))


def _references(part: Any) -> list[str]:
    if isinstance(part, dict):
        here = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
        return here + [ref for value in part.values() for ref in _references(value)]
    return [ref for value in part for ref in _references(value)] if isinstance(part, list) else []
