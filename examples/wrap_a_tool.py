"""Wrap a tool that gets the framework's context: the person sees only the arguments of the model."""

from dataclasses import dataclass

from askback import Client, Denied, requires_approval


@dataclass
class Context:
    """What the framework passes to every tool."""

    session_id: str


with Client() as ask:

    @requires_approval(client=ask, exclude=["context"], thread_id=lambda context, **_: context.session_id)
    def send_mail(context: Context, to: str, text: str) -> str:
        """Send an email."""
        return f"{context.session_id}: sent {text!r} to {to}."

    try:
        print(send_mail(Context("wrapped"), to="bob@example.com", text="Hello!"))
    except Denied as denied:
        print(denied)
