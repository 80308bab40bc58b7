"""Kinds that packages add: asked, checked, answered; and requests whose package has gone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from askback.delivery.in_process_bus import InProcessBus
from askback.domain.modeltext import model_text
from askback.domain.request import InputRequest
from askback.server import plugins
from askback.server.app import create_app
from tests.requirements import requirement
from tests.temporary_store import TemporaryStore
from tests.transports.conftest import Api, ManualClock
from tests.transports.rating import rating

pytestmark = pytest.mark.anyio


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    clock, bus = ManualClock(), InProcessBus()
    app = create_app(store=TemporaryStore(on_commit=bus.publish), bus=bus, clock=clock, kinds=[rating])
    async with app.running():
        yield Api(app, clock)


async def post(api: Api, who: str, path: str, body: Any) -> Any:
    return await (await api.as_(who)).post(path, json=body)


async def ask(api: Api, **data: Any) -> Any:
    body = {"kind": "rating", "thread_id": "t1", "data": {"subject": "the soup", **data}}
    return await post(api, "requester", "/v1/requests", body)


async def test_a_kind_of_a_package_is_asked_checked_and_answered(api: Api) -> None:
    created_reply = await ask(api)
    request = created_reply.json()
    assert (created_reply.status_code, request["kind"], request["summary"]) == (
        201,
        "rating",
        "Rate the soup",
    )
    path = f"/v1/requests/{request['id']}/answer"
    for data, fault_path in (
        ({"stars": 6}, "data.stars"),
        ({"stars": "5"}, "data.stars"),
        ({}, "data.stars"),
        (5, "data"),
    ):
        refusal = await post(api, "responder", path, {"revision": 1, "data": data})
        assert (refusal.status_code, refusal.json()["error"]["field_errors"][0]["path"]) == (422, fault_path)
    reply = await post(api, "responder", path, {"revision": 1, "data": {"stars": 4}})
    text = "The person gave the soup 4 of 5 stars."
    assert reply.json()["answer"] == {"data": {"stars": 4}, "text": text}
    assert model_text(InputRequest.model_validate(reply.json())) == text
    body = (await (await api.as_("responder")).get("/v1/requests", params={"kind": "package"})).json()
    assert [item["id"] for item in body["requests"]] == [request["id"]]
    assert (await (await api.as_("responder")).get("/v1/requests")).json()["requests"] == body["requests"]
    kinds = (await (await api.as_("requester")).get("/v1/kinds")).json()
    assert kinds == {"kinds": [{"name": "rating", "element": "/acme/rating.js"}]}


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"kind": "rating", "data": {}}, "data.subject"),
        ({"kind": "rating", "data": {"subject": ""}}, "data.subject"),
        ({"kind": "rating", "data": {"subject": "x", "more": 1}}, "data.more"),
        ({"kind": "rating", "data": {"subject": "x\u202e"}}, "data"),
        ({"kind": "rating", "data": []}, "data"),
        ({"kind": "rating"}, "data"),
        ({"kind": "rating", "data": {"subject": "x"}, "form": {}}, "form"),
        ({"kind": "package", "data": {"subject": "x"}}, "kind"),
        ({"kind": "unheard", "data": {"subject": "x"}}, "kind"),
    ],
)
async def test_bad_data_of_a_kind_is_refused_with_its_place(api: Api, body: Any, place: str) -> None:
    refusal = await post(api, "requester", "/v1/requests", {"thread_id": "t1", **body})
    assert refusal.status_code == 422, refusal.text
    assert place in [error["path"] for error in refusal.json()["error"]["field_errors"]]
    assert (await (await api.as_("requester")).get("/v1/requests")).json()["requests"] == []


async def test_a_package_that_fails_changes_nothing_and_its_error_is_not_shown(api: Api) -> None:
    request = (await ask(api, subject="a bug")).json()
    body = {"revision": 1, "data": {"stars": 1}}
    failed = await post(api, "responder", f"/v1/requests/{request['id']}/answer", body)
    assert (failed.status_code, failed.json()["error"]["code"]) == (409, "kind_failed")
    assert "canary" not in failed.text


@requirement("M10")
async def test_a_request_whose_package_has_gone_says_so_and_can_be_dismissed(api: Api) -> None:
    request = (await ask(api)).json()
    api.app.services.kinds.clear()  # type: ignore[attr-defined]  # as after a restart without the package
    path = f"/v1/requests/{request['id']}"
    refusal = await post(api, "responder", f"{path}/answer", {"revision": 1, "data": {"stars": 4}})
    error = refusal.json()["error"]
    assert (refusal.status_code, error["code"]) == (409, "kind_not_registered")
    assert error["message"].startswith("No package on this server adds the kind 'rating'.")
    declined = await post(api, "responder", f"{path}/decline", {"reason": "dismissed"})
    assert (declined.status_code, declined.json()["status"]) == (200, "declined")
    model_message = model_text(
        InputRequest.model_validate((await (await api.as_("requester")).get(path)).json())
    )
    assert model_message.startswith('The person did not answer "Rate the soup".')


async def test_a_kind_may_not_take_a_name_or_an_element_that_is_not_its_own() -> None:
    for wrong_value in (
        {"name": "form"},
        {"name": "package"},
        {"name": "A B"},
        {"element": "https://evil.example/x.js"},
        {"element": "//evil.example/x.js"},
    ):
        with pytest.raises(ValueError, match=r"cannot be a kind|path of the server"):
            replace(rating, **wrong_value)


async def test_kinds_of_installed_packages_are_found_by_their_entry_points(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def found(value: str) -> None:
        point = EntryPoint("rating", value, plugins.KINDS)
        monkeypatch.setattr(plugins, "_entry_points", lambda _group: [point])

    found("tests.transports.rating:rating")
    assert plugins.registered_kinds(()) == {"rating": rating}
    with pytest.raises(plugins.PluginUnusable, match="Two packages add the kind rating"):
        plugins.registered_kinds([replace(rating)])
    for value, says in (
        ("tests.transports.rating:Ask", "is not a KindExtension"),
        ("nowhere:x", "cannot be loaded"),
    ):
        found(value)
        with pytest.raises(plugins.PluginUnusable, match=says):
            plugins.registered_kinds(())
