"""Detect the type of a file from its first bytes.

A name only chooses among types that share their bytes: a ZIP archive named `.docx` is a document, a text named `.csv` a
table. A program named `photo.jpg` stays a program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

HEAD_BYTES = 4_096
"""The number of bytes that decide the type of a file."""

UNKNOWN_TYPE = "application/octet-stream"
_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"

_BEGINNINGS: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"II*\0", "image/tiff"),
    (0, b"MM\0*", "image/tiff"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypheic", "image/heic"),
    (4, b"ftypmif1", "image/heic"),
    (4, b"ftypqt", "video/quicktime"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"OggS", "audio/ogg"),
    (8, b"WAVE", "audio/wav"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (0, b"SQLite format 3\0", "application/vnd.sqlite3"),
    (0, b"MZ", "application/vnd.microsoft.portable-executable"),
    (0, b"\x7fELF", "application/x-executable"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"PK\x05\x06", "application/zip"),
)
_IN_ZIP: Mapping[str, str] = {
    "docx": f"{_OFFICE}.wordprocessingml.document",
    "xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    "pptx": f"{_OFFICE}.presentationml.presentation",
    "odt": f"{_OPEN}.text",
    "ods": f"{_OPEN}.spreadsheet",
    "odp": f"{_OPEN}.presentation",
    "epub": "application/epub+zip",
}
_IN_TEXT: Mapping[str, str] = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "md": "text/markdown",
    "json": "application/json",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "ics": "text/calendar",
    "vcf": "text/vcard",
    "txt": "text/plain",
    "log": "text/plain",
    "html": "text/html",
    "htm": "text/html",
    "svg": "image/svg+xml",
    "xml": "application/xml",
    "js": "text/javascript",
    "css": "text/css",
}
BY_EXTENSION: Mapping[str, str] = MappingProxyType(
    {
        **_IN_ZIP,
        **_IN_TEXT,
        "png": "image/png",
        "jpg": "image/jpeg",
        "jpeg": "image/jpeg",
        "gif": "image/gif",
        "webp": "image/webp",
        "pdf": "application/pdf",
        "zip": "application/zip",
        "gz": "application/gzip",
        "mp3": "audio/mpeg",
        "wav": "audio/wav",
        "mp4": "video/mp4",
    }
)
"""The required type of a file with this extension, if its bytes show it."""

_NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_PREAMBLES = (("<!--", "-->"), ("<?", "?>"), ("<!doctype svg", ">"))
"""The text allowed before the first element of a markup text."""
_HTML = re.compile(r"<(?:!doctype html|html|head|body|script|iframe|meta|title|style)\b", re.IGNORECASE)
_SVG = re.compile(r"<svg\b", re.IGNORECASE)


def extension(name: str) -> str:
    """Return the extension of a name in lower case, without its dot."""
    return name.rpartition(".")[2].lower() if "." in name else ""


def file_type(head: bytes, name: str) -> str:
    """Return the type of a file by its first `HEAD_BYTES`; `UNKNOWN_TYPE` for unknown bytes."""
    for offset, signature, type_name in _BEGINNINGS:
        if head.startswith(signature, offset):
            return _IN_ZIP.get(extension(name), type_name) if type_name == "application/zip" else type_name
    text = _text(head)
    if text is None:
        return UNKNOWN_TYPE
    return _markup(text) or _IN_TEXT.get(extension(name), "text/plain")


def _markup(text: str) -> str | None:
    """Return the type of a text that begins as HTML, SVG or XML."""
    remaining_text, is_xml = text.lstrip(), text.lstrip().startswith("<?xml")
    while preamble := next(
        (delimiters for delimiters in _PREAMBLES if remaining_text[:20].lower().startswith(delimiters[0])),
        None,
    ):
        remaining_text = remaining_text.partition(preamble[1])[2].lstrip()
    if _SVG.match(remaining_text):
        return "image/svg+xml"
    if _HTML.match(remaining_text):
        return "text/html"
    return "application/xml" if is_xml else None


def _text(head: bytes) -> str | None:
    if _NOT_TEXT.search(head):
        return None
    try:
        return head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The last character may continue after the bytes read.
        is_cut_character = error.start >= len(head) - 3 and len(head) == HEAD_BYTES
        return head[: error.start].decode("utf-8-sig") if is_cut_character else None
