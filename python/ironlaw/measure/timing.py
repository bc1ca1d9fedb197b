"""How long a call takes, by windows of a fixed length. All ranks that share a node work for the same time, so that each window sees
the contention it is meant to see; a window much longer than a time slice shows the rate of a core that is shared, not luck."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Callable, List

Call = Callable[[], object]


@dataclass(frozen=True)
class Effort:
    windows: int
    window_s: float


def timed(call: Call, effort: Effort, settle: Call) -> List[float]:
    """Seconds per call, once per window. `settle` waits for a device that works behind the host's back."""
    call()
    settle()
    found = []
    for _ in range(effort.windows):
        calls, began = 0, time.perf_counter()
        while True:
            call()
            calls += 1
            settle()
            taken = time.perf_counter() - began
            if taken >= effort.window_s:
                break
        found.append(taken / calls)
    return found


def timed_together(call: Call, effort: Effort, agree: Callable[[float], float], settle: Call) -> List[float]:
    """The same for calls that all ranks must make equally often; `agree` gives the largest value of any rank."""
    call()
    settle()
    began = time.perf_counter()
    call()
    settle()
    once_s = agree(time.perf_counter() - began)
    calls = max(1, round(effort.window_s / max(once_s, 1e-6)))
    found = []
    for _ in range(effort.windows):
        began = time.perf_counter()
        for _ in range(calls):
            call()
        settle()
        found.append((time.perf_counter() - began) / calls)
    return found


def cycled(made: Callable[[], Any], size_bytes: int, footprint_bytes: int = 32_000_000) -> Callable[[], Any]:
    """Inputs in turn, more of them than caches near a core hold: a training step meets its tensors cold."""
    pool = [made() for _ in range(max(2, min(16, footprint_bytes // max(1, size_bytes))))]
    at = 0

    def following() -> Any:
        nonlocal at
        at = (at + 1) % len(pool)
        return pool[at]

    return following
