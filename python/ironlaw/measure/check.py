"""Measures the nodes of a run before its program starts: a matrix product, device memory, and the links between nodes. Each rank reports what
it found to its agent and prints it as `ironlaw.measure` does, so that `ironlaw calibrate` reads the log of a check too.

It shows which node lags behind the others, in seconds; what a machine reaches is measured by `ironlaw.measure`.
"""

from __future__ import annotations

import os
import statistics
import time
from typing import Dict, List, Tuple

import torch
from torch import distributed

from ironlaw.attached import Attached
from ironlaw.environment import Process
from ironlaw.measure import cases
from ironlaw.measure.team import Team, by_node, described, device_of, print_row
from ironlaw.measure.timing import Effort, timed

LINK_BYTES = {"cpu": 1 << 24, "cuda": 1 << 28}
LINK_TIMES = 5
EFFORT = Effort(windows=9, window_s=0.04)


def pairs(nodes: int) -> List[List[Tuple[int, int]]]:
    """Rounds in which every node exchanges with one neighbour, so that each has two: the better one separates its own link from its neighbour's."""
    ring = [(node, (node + 1) % nodes) for node in range(nodes if nodes > 2 else nodes - 1)]
    even, odd = ring[0:nodes - 1:2], ring[1:nodes:2]
    last = [ring[-1]] if nodes % 2 == 1 and nodes > 1 else []
    return [each for each in (even, [pair for pair in odd if pair not in last], last) if each]


def link_rate(team: Team, on: cases.Device) -> float:
    """Bytes a second one way, between the first ranks of neighbours; 0 for other ranks and a single node."""
    best = 0.0
    for together in pairs(team.nodes):
        team.wait()
        pair = next((each for each in together if team.node in each), None)
        if pair is None or team.local != 0:
            continue
        other = team.per_node * (pair[1] if team.node == pair[0] else pair[0])
        best = max(best, _exchange(other, team.node == pair[0], on))
    team.wait()
    return best


def _exchange(other: int, begins: bool, on: cases.Device) -> float:
    size = LINK_BYTES[on.device.type]
    buffer = torch.ones(size // 4, device=on.device)
    seconds = []
    for _ in range(LINK_TIMES + 1):
        began = time.perf_counter()
        for sends in (begins, not begins):
            (distributed.send if sends else distributed.recv)(buffer, other)
        if on.device.type == "cuda":
            torch.cuda.synchronize()
        seconds.append((time.perf_counter() - began) / 2)
    return size / statistics.median(seconds[1:])  # the first one opens the connection


def main() -> None:
    on = device_of(int(os.environ.get("LOCAL_RANK", "0")))
    rank = Attached(Process.read(os.environ))
    team = Team(on.device)
    rows = [described(team, on)]
    rates: Dict[str, float] = {}
    for name, amount, case in chosen(on):
        team.wait()
        seconds = timed(case.call, EFFORT, torch.cuda.synchronize if on.device.type == "cuda" else lambda: None)
        rates[name] = amount / statistics.median(seconds)
        rows.append({**case.row, "ranks": team.per_node, "seconds": by_node(team, seconds)})
    link = link_rate(team, on)
    if link > 0:
        rates["link_bytes_per_s"] = link
    rank.report_rates(rates)
    if team.rank == 0:
        for row in [*rows, {"measured": "end", "rows": len(rows) - 1}]:
            print_row(row)
    team.leave()


def chosen(on: cases.Device) -> List[Tuple[str, float, cases.Case]]:
    """The largest ones: short ones measure the host."""
    *_, product = (case for case in cases.products(on, False) if case.row["way"] == "forward")
    *_, copy = cases.copies(on, False)
    return [("product_flops", _operations(product), product), ("memory_bytes_per_s", float(copy.row["bytes"]), copy)]


def _operations(case: cases.Case) -> float:
    return 2.0 * case.row["m"] * case.row["n"] * case.row["k"]


if __name__ == "__main__":
    main()
