"""A tool that runs only when the call was approved, and then with the arguments that were; `async` works alike."""

from pathlib import Path

from askback import Client, Denied, asking, requires_approval


@requires_approval(allow_edit=True)
def write_file(path: str, content: str) -> str:
    """Write a file."""
    Path(path).write_text(content, encoding="utf-8")
    return f"{path} has {len(content)} characters."


with Client() as ask, asking(client=ask, thread_id="files"):
    try:
        print(write_file("hello.txt", "Hello!"))
    except Denied as denied:
        print(denied)  # the sentence for the model: what happened, and what to do now
