"""A full disk: no file of this process can grow, so no new write is stored."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def full_disk(*, small: int = 0) -> Iterator[None]:
    """Let no file grow beyond `small` bytes while the block lasts; the kernel refuses with EFBIG, as it does with ENOSPC on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (small, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
