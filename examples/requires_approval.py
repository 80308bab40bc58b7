"""A tool that runs only after its call was approved, with the approved arguments. `async` functions work too."""

from pathlib import Path

from askback import Client, Denied, ask_context, requires_approval


@requires_approval(allow_edit=True, timeout_s=300)  # five minutes, the default; after that it raises Denied
def write_file(path: str, content: str) -> str:
    """Write a file."""
    Path(path).write_text(content, encoding="utf-8")
    return f"{path} has {len(content)} characters."


with Client() as ask, ask_context(client=ask, thread_id="files"):
    try:
        print(write_file("hello.txt", "Hello!"))
    except Denied as denied:
        print(denied)  # the sentence for the model: what happened, and what to do now
