"""Text that a machine with Python has: the sources of its standard library and the licences of its distribution, as bytes.
A token is a byte, so the loss is in nats per byte and comparable between machines."""

from __future__ import annotations

import hashlib
import sysconfig
from pathlib import Path
from typing import List, Optional

import torch
from torch import Tensor

from ironlaw.data import Loader, Order

LIMIT_BYTES = 8_000_000
LICENCES = Path("/usr/share/common-licenses")


def licences() -> List[Path]:
    return sorted(path for path in LICENCES.glob("*") if path.is_file() and not path.is_symlink())


def files() -> List[Path]:
    library = Path(sysconfig.get_paths()["stdlib"])
    skipped = {"test", "tests", "idlelib", "site-packages", "dist-packages", "__pycache__"}
    sources = [path for path in sorted(library.rglob("*.py")) if not skipped.intersection(path.relative_to(library).parts)]
    return [*licences(), *sources]


class Corpus:
    """Windows of context + 1 bytes; the last 32nd of the text is held out. A dataset of ironlaw.data: which windows make up a batch
    depends only on the seed and on how many were taken before, never on the number of ranks or workers."""

    def __init__(self, context: int, seed: int, paths: Optional[List[Path]] = None) -> None:
        text = b"".join(path.read_bytes() for path in paths or files())[:LIMIT_BYTES]
        self.text = torch.frombuffer(bytearray(text), dtype=torch.uint8)
        self.context = context
        self.windows = (len(text) - 1) // context
        self.samples = self.windows - self.windows // 32
        self.digest = hashlib.sha256(f"{context} ".encode() + text).hexdigest()
        self.order = Order({
            "apiVersion": "ironlaw/v1", "kind": "DataOrder", "seed": seed,
            "sources": [{"name": "text", "samples": self.samples, "digest": self.digest}],
            "phases": [{"sources": [{"source": "text", "weight": 1}]}],
        })  # fmt: skip

    def __getitem__(self, number: int) -> Tensor:
        start = number * self.context
        return self.text[start : start + self.context + 1].long()

    def batch(self, position: int, count: int) -> Tensor:
        """`count` windows after `position` have been taken."""
        return next(Loader({"text": self}, self.order, count, position=position, form="torch"))

    def held_out(self, count: int) -> Tensor:
        return torch.stack([self[self.samples + offset] for offset in range(min(count, self.windows - self.samples))])
