"""Measure how fast known values are replaced: `python -m bench.redact`.

The text is this repository's own sources with values of 40 characters in it: none, a few (one in 16 KiB) or many (one
in 256 bytes), whole or in chunks. RE2 builds its tables while it reads text: `cold_mb_s` is the first reading of a few.
"""

from __future__ import annotations

import argparse
import random
import string
import time
from collections.abc import Callable
from pathlib import Path

from askback.domain.redaction import Redactor
from bench.measure import emit

SOURCES = Path(__file__).resolve().parent.parent / "src" / "askback"
ALPHABET = string.ascii_letters + string.digits + "+/=_-."


def source_text(size: int) -> bytes:
    """Bytes of source text, `size` of them."""
    text = b"".join(path.read_bytes() for path in sorted(SOURCES.rglob("*.py")))
    return (text * (size // len(text) + 1))[:size]


def with_values(text: bytes, values: list[str], *, interval: int) -> bytes:
    """Put a value after each `interval` bytes."""
    parts = [text[start : start + interval] for start in range(0, len(text), interval)]
    return b"".join(part + values[n % len(values)].encode() for n, part in enumerate(parts))


def megabytes_per_second(size: int, work: Callable[[], object]) -> float:
    """Megabytes of `size` bytes for each second of CPU that `work` takes."""
    started_at = time.process_time()
    work()
    return round(size / 1e6 / (time.process_time() - started_at), 1)


def redact_stream(redactor: Redactor, text: bytes, size: int) -> None:
    """Feed a stream."""
    stream = redactor.stream(bytes)
    for start in range(0, len(text), size):
        stream.feed(text[start : start + size])
    stream.close()


def figures(redactor: Redactor, text: bytes, values: list[str]) -> dict[str, float]:
    """Megabytes a second in text with none of the values, with a few and with many, whole and in chunks."""
    text_with_few_values = with_values(text, values, interval=16_384)
    text_with_many_values = with_values(text[: len(text) // 64], values, interval=256)
    part = text_with_few_values[: len(text_with_few_values) // 8]
    return {
        "cold_mb_s": megabytes_per_second(
            len(text_with_few_values), lambda: redactor.redact(text_with_few_values)
        ),
        "none_mb_s": megabytes_per_second(len(text), lambda: redactor.redact(text)),
        "few_mb_s": megabytes_per_second(
            len(text_with_few_values), lambda: redactor.redact(text_with_few_values)
        ),
        "many_mb_s": megabytes_per_second(
            len(text_with_many_values), lambda: redactor.redact(text_with_many_values)
        ),
        "chunks_64k_mb_s": megabytes_per_second(
            len(text_with_few_values), lambda: redact_stream(redactor, text_with_few_values, 65_536)
        ),
        "chunks_1k_mb_s": megabytes_per_second(len(part), lambda: redact_stream(redactor, part, 1_024)),
    }


def main() -> None:
    """Measure 1, 10 and 100 values."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--megabytes", type=int, default=16)
    random_source, text = random.Random(1), source_text(options.parse_args().megabytes * 1_000_000)
    for count in (1, 10, 100):
        values = ["".join(random_source.choices(ALPHABET, k=40)) for _ in range(count)]
        started_at = time.process_time()
        redactor = Redactor({f"KEY_{n}": value for n, value in enumerate(values)})
        built = round((time.process_time() - started_at) * 1e3, 1)
        emit("redact", f"{count} values", build_ms=built, **figures(redactor, text, values))


if __name__ == "__main__":
    main()
