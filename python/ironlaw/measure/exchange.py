"""Collectives by size among ranks of one node or of several."""

from __future__ import annotations

from typing import Any, Callable, Iterator, List

import torch
from torch import distributed

from ironlaw.measure.cases import Case

SIZES = {"cpu": [1 << 14, 1 << 18, 1 << 20, 1 << 22, 1 << 24], "cuda": [1 << 16, 1 << 20, 1 << 23, 1 << 25, 1 << 28]}


def collectives(device: torch.device, group: Any, quick: bool) -> Iterator[Case]:
    """Bytes as in nccl-tests: the whole buffer."""
    ranks = distributed.get_world_size(group)
    for size in SIZES[device.type][:: 4 if quick else 1]:
        elements = size // 4 // ranks * ranks
        for name, made in (("all-reduce", _all_reduce), ("all-gather", _all_gather), ("reduce-scatter", _reduce_scatter)):
            yield Case({"measured": "collective", "name": name, "bytes": 4 * elements}, made(torch.ones(elements, device=device), ranks, group))


def _all_reduce(whole: torch.Tensor, _ranks: int, group: Any) -> Callable[[], object]:
    return lambda: distributed.all_reduce(whole, group=group)


def _all_gather(whole: torch.Tensor, ranks: int, group: Any) -> Callable[[], object]:
    parts: List[torch.Tensor] = list(whole.chunk(ranks))
    own = parts[0].clone()
    return lambda: distributed.all_gather(parts, own, group=group)


def _reduce_scatter(whole: torch.Tensor, ranks: int, group: Any) -> Callable[[], object]:
    if whole.device.type == "cpu":  # gloo has none, so programs reduce everything and take their part
        return _all_reduce(whole, ranks, group)
    parts: List[torch.Tensor] = list(whole.chunk(ranks))
    own = parts[0].clone()
    return lambda: distributed.reduce_scatter(own, parts, group=group)
