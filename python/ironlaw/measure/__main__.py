"""Measures this machine and prints one line per measurement, marked so that `ironlaw calibrate` finds it among other output.

    python3 -m ironlaw.measure                                 one process
    torchrun --nproc_per_node=4 -m ironlaw.measure             four that share the node, measured as 1, 2 and 4
    python3 -m ironlaw.agent -- python/ironlaw/measure/__main__.py   as a run

Ranks that are not asked wait without using their core.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

import torch
from torch import distributed

import ironlaw
from ironlaw.measure import cases, disk
from ironlaw.measure.exchange import collectives
from ironlaw.measure.timing import Effort, timed, timed_together

MARK = "ironlaw-measured "


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--windows", type=int, default=7, help="samples of each measurement")
    parser.add_argument("--window-ms", type=float, default=40.0)
    parser.add_argument("--quick", action="store_true", help="few shapes: shows that it works, measures little")
    parser.add_argument("--directory", type=Path, default=None, help="on the storage where checkpoints go")
    return parser.parse_args()


class Team:
    """The ranks of the job: who shares a node with whom, and what all agree on. Waits go through gloo, which sleeps."""

    def __init__(self, device: torch.device) -> None:
        self.rank, self.world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
        self.local, self.per_node = int(os.environ.get("LOCAL_RANK", "0")), int(os.environ.get("LOCAL_WORLD_SIZE", str(self.world)))
        self.node, self.nodes = self.rank // self.per_node, self.world // self.per_node
        self.control: Any = None
        if self.world > 1:
            distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
            self.control = distributed.new_group(backend="gloo")

    def counts(self) -> List[int]:
        """1, 2, 4 ... ranks on a node, up to all of them."""
        return sorted({*(1 << bit for bit in range(10) if 1 << bit < self.per_node), self.per_node})

    def wait(self) -> None:
        if self.world > 1:
            distributed.barrier(group=self.control)

    def leave(self) -> None:
        """Together: a rank that is gone while another still holds its connection may take that one down with it."""
        if self.world > 1:
            self.wait()
            distributed.destroy_process_group()

    def gathered(self, value: Any) -> List[Any]:
        if self.world == 1:
            return [value]
        values: List[Any] = [None] * self.world
        distributed.all_gather_object(values, value, group=self.control)
        return values

    def group(self, nodes: int, ranks: int, backend: Optional[str] = None) -> Any:
        """The first `ranks` of the first `nodes`; every rank of the job must ask."""
        members = [node * self.per_node + rank for node in range(nodes) for rank in range(ranks)]
        return distributed.new_group(members, backend=backend)


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
        found = [each for each in self.team.gathered((socket.gethostname(), seconds)) if each[1]]
        if self.team.rank == 0:
            by_node: Dict[str, List[float]] = {}
            for node, samples in found:
                by_node.setdefault(node, []).extend(samples)
            print(MARK + json.dumps({**row, "seconds": by_node}), flush=True)
        self.done += 1
        if self.run is not None:
            self.run.step(self.done)

    def alone(self) -> None:
        """Everything one device does, while so many ranks of its node do the same."""
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


def device_of(local_rank: int) -> cases.Device:
    """One thread a rank, as trainers that must repeat their bits run; 16 bits where the hardware multiplies them."""
    torch.set_num_threads(1)
    if not torch.cuda.is_available():
        return cases.Device(torch.device("cpu"), torch.float32)
    torch.cuda.set_device(local_rank)
    return cases.Device(torch.device("cuda", local_rank), torch.bfloat16)


def described(team: Team, on: cases.Device) -> Dict[str, Any]:
    cuda = on.device.type == "cuda"
    return {
        "measured": "machine",
        "device": torch.cuda.get_device_name() if cuda else platform.processor() or platform.machine(),
        "processors": torch.cuda.get_device_properties(on.device).multi_processor_count if cuda else 1,
        "element_bytes": on.bytes,
        "backend": "nccl" if cuda else "gloo",
        "torch": torch.__version__,
        "cores": os.cpu_count(),
        "nodes": team.nodes,
        "per_node": team.per_node,
    }


def main() -> None:
    options = arguments()
    on = device_of(int(os.environ.get("LOCAL_RANK", "0")))
    team = Team(on.device)
    measuring = Measuring(options, team, on)
    if team.rank == 0:
        print(MARK + json.dumps(described(team, on)), flush=True)
    measuring.alone()
    measuring.together()
    measuring.storage()
    team.leave()
    if team.rank == 0:
        print(MARK + json.dumps({"measured": "end", "rows": measuring.done}), flush=True)
    if measuring.run is not None:
        measuring.run.complete()


if __name__ == "__main__":
    sys.path.pop(0)  # the folder of this package, whose names are not meant to be top-level modules
    main()
