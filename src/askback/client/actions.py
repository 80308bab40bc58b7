"""Ask a person to do something elsewhere, and wait until it is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from askback.client.forms import answer_or_raise, settled_outcome
from askback.client.frames import create_request
from askback.client.methods import method
from askback.client.options import RequestOptions, dump_options
from askback.client.resources.base import Resource
from askback.domain.action import ActionAsk
from askback.domain.request import Answer
from askback.messages.languages import LocalText


class Actions(Resource):
    """The methods of the client that ask a person to do something elsewhere."""

    @method
    async def action(
        self,
        title: LocalText,
        *,
        thread_id: str | None = None,
        url: str | None = None,
        provider: str | None = None,
        scopes: Sequence[str] | None = None,
        secret: str | None = None,
        description: LocalText | None = None,
        label: LocalText | None = None,
        idempotency_key: str | None = None,
        cancel_on_abort: bool = True,
        **options: Unpack[RequestOptions],
    ) -> Answer:
        """Ask a person to do something behind a link (`url`) or to connect an account at an OAuth `provider`.

        Returns the answer: its `outcome` is `done`, or `failed` with a `reason`. After connecting an account, `names`
        are the secrets with its tokens, to be leased with `secrets.lease`. Raises `Declined`, `Cancelled` or
        `Expired`, and `Invalid` with every fault.
        """
        ask = ActionAsk(
            title=title,
            description=description,
            label=label,
            url=url,
            provider=provider,
            scopes=None if scopes is None else list(scopes),
            secret=secret,
        )
        op = create_request(
            ask, thread_id=self._thread(thread_id), options=dump_options(options), key=idempotency_key
        )
        future = await self._link.ask(f'{op},"wait":true', withdraw=cancel_on_abort)
        return answer_or_raise(settled_outcome(await self._await_settled(future)))

    @method
    async def custom(
        self,
        kind: str,
        data: Mapping[str, Any],
        *,
        thread_id: str | None = None,
        idempotency_key: str | None = None,
        cancel_on_abort: bool = True,
        **options: Unpack[RequestOptions],
    ) -> Answer:
        """Ask with a kind that a package of the server adds; `data` is what the package defines.

        Returns the answer, with its `data` and the `text` for a model. Raises `Declined`, `Cancelled` or `Expired`, and
        `Invalid` with every fault.
        """
        body = dump_options(options)
        op = create_request(
            data,
            thread_id=self._thread(thread_id),
            options=body,
            key=idempotency_key,
            kind=kind,
            member="data",
        )
        future = await self._link.ask(f'{op},"wait":true', withdraw=cancel_on_abort)
        return answer_or_raise(settled_outcome(await self._await_settled(future)))
