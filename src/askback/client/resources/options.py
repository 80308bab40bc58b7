"""Search options from a source on the server."""

from __future__ import annotations

from askback.client.methods import method
from askback.client.resources.base import Resource, id_of
from askback.domain.request import InputRequest
from askback.domain.sources import OptionPage


class SourceOptions(Resource):
    """`client.options`: the options of fields with `options_from`."""

    @method
    async def search(
        self,
        request: InputRequest | str,
        field: str,
        *,
        q: str | None = None,
        parent: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> OptionPage:
        """Search the options of a field, as a person who may answer; raises `Invalid` also where the source fails.

        `q` is the search text, `parent` the value of the option whose children to search.
        """
        reply = await self._http(
            "list_options",
            request_id=id_of(request),
            field=field,
            q=q,
            parent=parent,
            limit=limit,
            cursor=cursor,
        )
        return OptionPage.model_validate(reply)
