"""Checkpoint storage: a file written and made durable, and read again after the page cache has let go of it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Dict, Iterator, List

SIZES = [1 << 20, 1 << 24, 1 << 26]
_BLOCK = 1 << 22


def written_and_read(directory: Path, rank: int, size: int, repeats: int) -> Dict[str, List[float]]:
    path, block = directory / f"measured-{rank:05d}", os.urandom(min(size, _BLOCK))
    found: Dict[str, List[float]] = {"write": [], "read": []}
    try:
        for _ in range(repeats):
            began = time.perf_counter()
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            for _ in range(size // len(block)):
                os.write(descriptor, block)
            os.fsync(descriptor)
            found["write"].append(time.perf_counter() - began)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)
            began = time.perf_counter()
            for _ in _read(path):
                pass
            found["read"].append(time.perf_counter() - began)
    finally:
        path.unlink(missing_ok=True)
    return found


def _read(path: Path) -> Iterator[bytes]:
    with open(path, "rb", buffering=0) as file:
        while block := file.read(_BLOCK):
            yield block
