"""The ranks that measure together, and the lines in which they print what they found."""

from __future__ import annotations

import json
import os
import platform
import socket
from typing import Any, Dict, List, Optional

import torch
from torch import distributed

from ironlaw.measure import cases

MARK = "ironlaw-measured "


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


def by_node(team: Team, seconds: Optional[List[float]]) -> Dict[str, List[float]]:
    """Samples of all ranks that took part."""
    found: Dict[str, List[float]] = {}
    for node, samples in team.gathered((socket.gethostname(), seconds)):
        if samples:
            found.setdefault(node, []).extend(samples)
    return found


def print_row(row: Dict[str, Any]) -> None:
    print(MARK + json.dumps(row), flush=True)
