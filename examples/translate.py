"""A form as an MCP elicitation and as an A2UI surface, and what comes back from them."""

from askback import Form, Number, Select
from askback.compat.a2ui import read_action, write_surface
from askback.compat.mcp_elicitation import read_answer, write_elicitation

FORM = Form(
    title="Report",
    fields=[
        Select(id="format", label="Format", options=["PDF", "Word"], allow_other=True, required=True),
        Number(id="pages", label="Pages", min=1, step=2),
    ],
)

elicitation = write_elicitation(FORM)
print(elicitation.params["requestedSchema"]["properties"]["format__other"])
print([f"{loss.path}: {loss.reason}" for loss in elicitation.losses])
print(read_answer(FORM, {"format__other": "EPUB", "pages": 3}))

surface = write_surface(FORM, surface_id="report", context={"request_id": "req_1"})
print([name for message in surface.messages for name in message if name != "version"])
sent = {"name": "askback.submit", "context": {"request_id": "req_1", "format": ["Word"], "pages": "5"}}
print(read_action(FORM, {"version": "v0.9", "action": sent}))
