"""Redraw an uploaded image as a small picture, so that a page shows pixels and never the uploaded bytes.

It needs Pillow (`pip install 'askback[files]'`); without it there are no previews, only downloads.
"""

from __future__ import annotations

import logging
import warnings
from io import BytesIO
from typing import Any

from anyio import to_thread

from askback.ports.files import StoredFile
from askback.service.context import Services
from askback.service.files.scan import file_chunks

FORMATS = {"image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WEBP"}
MAX_PIXELS = 30_000_000
"""The pixels of a decoded image, at four bytes each."""
MAX_SIDE = 320

log = logging.getLogger(__name__)


async def preview_of(ctx: Services, file: StoredFile) -> bytes | None:
    """Return a PNG; None for a file that is not an image, is damaged or too large, and without Pillow."""
    if file.type not in FORMATS or _pillow() is None:
        return None
    async with ctx.preview_slot:
        data = BytesIO()
        async for chunk in file_chunks(ctx, file):
            data.write(chunk)
        return await to_thread.run_sync(_draw, data, FORMATS[file.type])


def _pillow() -> Any:
    try:
        from PIL import Image
    except ModuleNotFoundError:
        return None
    return Image


def _draw(data: BytesIO, form: str) -> bytes | None:
    """Decode one picture and write a smaller one. The header has the size, so a bomb is never unpacked."""
    images = _pillow()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", images.DecompressionBombWarning)  # its size is checked below
            opened = images.open(data, formats=[form])
        with opened as image:
            width, height = image.size
            if width * height > MAX_PIXELS:
                return None
            image.draft("RGB", (MAX_SIDE, MAX_SIDE))  # a JPEG is decoded at a fraction of its size
            rgb_image = image if image.mode in ("RGB", "RGBA", "L", "LA") else image.convert("RGBA")
            rgb_image.thumbnail((MAX_SIDE, MAX_SIDE))
            rgb_image.info = {}
            encoded_image = BytesIO()
            rgb_image.save(encoded_image, "PNG")
    except Exception as error:  # noqa: BLE001 - decoders raise anything for bytes that somebody else chose
        log.info("no preview of an image: %s", type(error).__name__)
        return None
    return encoded_image.getvalue()
