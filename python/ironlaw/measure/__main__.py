"""Measures this machine and prints one line per measurement, marked so that `ironlaw calibrate` finds it among other output.

    python3 -m ironlaw.measure                                 one process
    torchrun --nproc_per_node=4 -m ironlaw.measure             four that share the node, measured as 1, 2 and 4
    python3 -m ironlaw.agent -- python/ironlaw/measure/__main__.py   as a run

Ranks that are not asked wait without using their core.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

import torch
from torch import distributed

import ironlaw
from ironlaw.measure import cases, disk
from ironlaw.measure.exchange import collectives
from ironlaw.measure.team import Team, by_node, described, device_of, print_row
from ironlaw.measure.timing import Effort, timed, timed_together


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--windows", type=int, default=7, help="samples of each measurement")
    parser.add_argument("--window-ms", type=float, default=40.0)
    parser.add_argument("--quick", action="store_true", help="few shapes: shows that it works, measures little")
    parser.add_argument("--directory", type=Path, default=None, help="on the storage where checkpoints go")
    return parser.parse_args()


class Measuring:
    def __init__(self, options: argparse.Namespace, team: Team, on: cases.Device) -> None:
        self.options, self.team, self.on = options, team, on
        self.effort = Effort(options.windows, options.window_ms / 1000)
        self.run = ironlaw.attach(directory=tempfile.gettempdir()) if "IRONLAW_CHANNEL" in os.environ else None
        self.done = 0
        if self.run is not None:
            self.run.resume()

    def settle(self) -> None:
        if self.on.device.type == "cuda":
            torch.cuda.synchronize()

    def tell(self, row: Dict[str, Any], seconds: Optional[List[float]]) -> None:
        """Samples of all ranks that took part, by node; printed by rank 0 of the job."""
        found = by_node(self.team, seconds)
        if self.team.rank == 0:
            print_row({**row, "seconds": found})
        self.done += 1
        if self.run is not None:
            self.run.step(self.done)

    def alone(self) -> None:
        """Everything one device does, while this many ranks of its node do the same."""
        for ranks in self.team.counts():
            job = self.team.group(self.team.nodes, ranks, "gloo") if ranks * self.team.nodes > 1 else None
            for case in self.cases(self.options.quick):
                self.team.wait()
                seconds = self.timed(case, job) if self.team.local < ranks else None
                self.tell({**case.row, "ranks": ranks}, seconds)

    def timed(self, case: cases.Case, job: Any) -> List[float]:
        """Layers keep step as those of a training job do, which waits for the slowest of its ranks; the rest keeps going."""
        if job is None or case.row["measured"] != "layer":
            return timed(case.call, self.effort, self.settle)

        def in_step() -> None:
            case.call()
            self.settle()
            distributed.barrier(group=job)

        return timed_together(in_step, self.effort, lambda value: self.agreed(value, job), self.settle)

    def cases(self, quick: bool) -> Iterator[cases.Case]:
        yield from cases.products(self.on, quick)
        yield from cases.attentions(self.on, quick)
        yield from cases.layers(self.on, quick)
        yield from cases.launches(self.on)
        yield from cases.copies(self.on, quick)
        yield from cases.stagings(self.on, quick)
        yield from cases.optimizers(self.on, quick)

    def together(self) -> None:
        team = self.team
        inside = [(1, ranks) for ranks in team.counts() if ranks > 1]
        across = [(1 << bit, team.per_node) for bit in range(1, 20) if 1 << bit < team.nodes] + [(team.nodes, team.per_node)]
        for nodes, ranks in [*inside, *(each for each in across if each[0] > 1)]:
            group = team.group(nodes, ranks)
            member = team.node < nodes and team.local < ranks
            made = list(collectives(self.on.device, group, self.options.quick)) if member else None
            for index, row in enumerate(team.gathered([case.row for case in made] if made else None)[0]):
                team.wait()
                seconds = timed_together(made[index].call, self.effort, lambda value: self.agreed(value, group), self.settle) if made else None
                self.tell({**row, "nodes": nodes, "ranks": nodes * ranks, "inside": ranks}, seconds)

    def agreed(self, value: float, group: Any) -> float:
        largest = torch.tensor([value], device=self.on.device if distributed.get_backend(group) == "nccl" else "cpu")
        distributed.all_reduce(largest, distributed.ReduceOp.MAX, group=group)
        return float(largest)

    def storage(self) -> None:
        directory = self.options.directory or Path(os.environ.get("IRONLAW_RUN_DIR") or tempfile.gettempdir())
        for ranks in sorted({1, self.team.per_node}):
            for size in disk.SIZES[: 1 if self.options.quick else None]:
                self.team.wait()
                asked = self.team.local < ranks
                found = disk.written_and_read(directory, self.team.rank, size, min(5, self.effort.windows)) if asked else {}
                for way in ("write", "read"):
                    self.tell({"measured": "storage", "way": way, "bytes": size, "ranks": ranks}, found.get(way))


def main() -> None:
    options = arguments()
    on = device_of(int(os.environ.get("LOCAL_RANK", "0")))
    team = Team(on.device)
    measuring = Measuring(options, team, on)
    if team.rank == 0:
        print_row(described(team, on))
    measuring.alone()
    measuring.together()
    measuring.storage()
    team.leave()
    if team.rank == 0:
        print_row({"measured": "end", "rows": measuring.done})
    if measuring.run is not None:
        measuring.run.complete()


if __name__ == "__main__":
    sys.path.pop(0)  # the folder of this package, whose names are not meant to be top-level modules
    main()
