"""Step rows of all ranks become one row a step before they leave the job."""

from __future__ import annotations

import math
import statistics
from typing import Dict, List, Tuple

from ironlaw.storage import Json

WAIT_S = 2.0
ROWS_IN_MEMORY = 2000


class StepRows:
    def __init__(self, world: int) -> None:
        self._world = world
        self._open: Dict[int, Tuple[float, Dict[int, Json]]] = {}
        self._released = 0
        self._done: List[Json] = []
        self.dropped = 0

    def add(self, rank: int, row: Json, now: float) -> None:
        self.dropped += row.get("dropped", 0)
        if row["step"] <= self._released:
            return  # a straggler's row after its step has left: the step is reported once
        _, rows = self._open.setdefault(row["step"], (now, {}))
        rows[rank] = row

    def take(self, now: float, everything: bool = False) -> List[Json]:
        """Rows in the order of steps; a step waits for its last rank for two seconds."""
        for step in sorted(self._open):
            since, rows = self._open[step]
            if len(rows) < self._world and now - since < WAIT_S and not everything:
                break
            del self._open[step]
            self._released = step
            self._done.append(merged(step, rows))
        excess = max(0, len(self._done) - ROWS_IN_MEMORY)
        self.dropped += excess
        done, self._done = self._done[excess:], []
        return done


def merged(step: int, rows: Dict[int, Json]) -> Json:
    """A synchronous step takes as long as its slowest rank; loss is the mean of the ranks that reported one."""
    values = list(rows.values())
    computes: Dict[int, float] = {rank: row["phases_s"].get("compute", 0.0) for rank, row in rows.items()}
    slowest = max(computes, key=lambda rank: computes[rank])
    phases = sorted({phase for row in values for phase in row["phases_s"]})
    result: Json = {
        "step": step,
        "at": max(row["at"] for row in values),
        "seconds": max(row["seconds"] for row in values),
        "tokens": sum(row["tokens"] for row in values),
        "world": len(rows),
        "phases_s": {phase: sum(row["phases_s"].get(phase, 0.0) for row in values) / len(values) for phase in phases},
        "slowest": {"rank": slowest, "compute_s": computes[slowest]},
        "median_compute_s": statistics.median(computes.values()),
    }
    for name in ("loss", "gradient_norm"):
        told = [row[name] for row in values if name in row]
        if told:
            mean = sum(told) / len(told)
            result[name] = mean if math.isfinite(mean) else None  # JSON has no NaN: null means reported, but not a number
    return result
