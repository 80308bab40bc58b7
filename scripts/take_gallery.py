"""Photograph every example of the gallery in each look, with a page that shows them side by side.

`make gallery` writes build/gallery/index.html; ARGS="approval" takes only the examples whose id contains that.
"""

from __future__ import annotations

import asyncio
import itertools
import shutil
import sys
import tempfile
from html import escape
from pathlib import Path

from playwright.async_api import Browser, ViewportSize

from askback.demo.processes import run_server
from take_picture import browser

OUTPUT_FOLDER = Path(__file__).resolve().parent.parent / "build" / "gallery"
LOOKS = list(itertools.product((1280, 390), ("light", "dark"), ("en", "de")))
HEIGHT = 900
PAGE = """<!doctype html>
<meta charset="utf-8">
<title>Gallery</title>
<style>
  body {{ font-family: system-ui, sans-serif }}
  div {{ display: flex; gap: 1rem; overflow-x: auto; align-items: start }}
  img {{ max-inline-size: 40rem }}
</style>
{}"""


async def take_variant(chromium: Browser, url: str, variant: tuple[int, str, str], pattern: str) -> list[str]:
    """Photograph the examples in one look; return their ids."""
    width, scheme, language = variant
    page = await chromium.new_page(
        viewport=ViewportSize(width=width, height=HEIGHT),
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    await page.goto(f"{url}/gallery?lang={language}")
    await page.locator("#examples[data-ready]").wait_for()
    await page.locator("body > header").evaluate("(header) => header.remove()")  # it sticks over what is tall
    taken: list[str] = []
    for example in await page.locator(".example").all():
        name = (await example.get_attribute("id") or "").removeprefix("example-")
        if pattern in name:
            await example.screenshot(path=OUTPUT_FOLDER / file_of(name, variant))
            taken.append(name)
    await page.close()
    return taken


def file_of(name: str, look: tuple[int, str, str]) -> str:
    """Name the picture of an example in one look."""
    return f"{name}-{'-'.join(map(str, look))}.png"


def index(names: list[str]) -> str:
    """Write the page with all screenshots."""
    rows = [
        f"<h2>{escape(name)}</h2><div>"
        + "".join(f'<img loading="lazy" alt="{look}" src="{file_of(name, look)}">' for look in LOOKS)
        + "</div>"
        for name in names
    ]
    return PAGE.format("\n".join(rows))


async def main(pattern: str) -> None:
    """Run a server, and photograph its gallery."""
    shutil.rmtree(OUTPUT_FOLDER, ignore_errors=True)
    OUTPUT_FOLDER.mkdir(parents=True)
    names: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        async with run_server(Path(folder), port=0) as server, browser() as chromium:
            for look in LOOKS:
                names = await take_variant(chromium, server.url, look, pattern)
                print(f"{len(names)} examples, {' '.join(map(str, look))}", flush=True)
    (OUTPUT_FOLDER / "index.html").write_text(index(names))
    print(f"{OUTPUT_FOLDER / 'index.html'}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else ""))
