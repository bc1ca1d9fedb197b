"""What a job gets through its environment: the names are the contract with the executors and with torchrun."""

from __future__ import annotations

import os
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Optional, Tuple

from ironlaw.retention import Retention

# Exit status of a rank and of an agent: stopped after a checkpoint; a later attempt exists; another job holds the claim. A program that ends with 78 says that
# another attempt would fail the same way (EXIT_STATUS of packages/pure/contracts/src/report.ts).
PREEMPTED, FENCED, TAKEN = 75, 76, 77
# One message between a rank and its agent; half of Linux's default socket buffer.
MESSAGE_BYTES = 96 * 1024


@dataclass(frozen=True)
class Job:
    """An agent's view."""

    run: str
    attempt: int
    run_directory: Path
    api: Optional[str]
    nodes: int
    processes: int
    index: int
    node: str
    owner: str
    head: Optional[str]
    checkpoint_every_s: float
    resume_before: Optional[int]
    source: Optional[Tuple[Path, int]] = None  # another run's directory and a step of it to begin with
    address: Optional[str] = None  # of this node, where peers reach it
    retention: Retention = Retention()
    check: bool = False  # its ranks measure the nodes instead of running the program
    local: Optional[Path] = None  # on this node's own disk, for copies of the newest shards
    authority: Optional[str] = None  # PEM file that the API's certificate is checked with; what the machine trusts where absent

    @property
    def world(self) -> int:
        return self.nodes * self.processes

    @property
    def is_head(self) -> bool:
        return self.index == 0

    @staticmethod
    def read(environment: Mapping[str, str]) -> "Job":
        get = environment.get
        before = get("IRONLAW_RESUME_BEFORE")
        return Job(
            run=environment["IRONLAW_RUN"],
            attempt=int(get("IRONLAW_ATTEMPT") or "0"),
            run_directory=Path(environment["IRONLAW_RUN_DIR"]),
            api=get("IRONLAW_API") or None,
            nodes=int(get("IRONLAW_NODES", "1")),
            processes=int(get("IRONLAW_PROCESSES", "1")),
            index=int(get("IRONLAW_NODE_INDEX") or get("SLURM_NODEID") or "0"),
            node=get("SLURMD_NODENAME") or get("IRONLAW_NODE") or socket.gethostname(),
            # Agents of one job share this; started by hand they share a parent.
            owner=get("IRONLAW_JOB") or get("SLURM_JOB_ID") or f"{socket.gethostname()}-{os.getppid()}",
            head=get("IRONLAW_HEAD") or None,
            checkpoint_every_s=float(get("IRONLAW_CHECKPOINT_EVERY_S") or "600"),
            resume_before=int(before) if before else None,
            source=(Path(environment["IRONLAW_FROM_DIR"]), int(environment["IRONLAW_FROM_STEP"])) if get("IRONLAW_FROM_DIR") else None,
            address=get("IRONLAW_ADDRESS") or None,
            retention=Retention.read(environment),
            local=Path(environment["IRONLAW_LOCAL_DIR"]) if get("IRONLAW_LOCAL_DIR") else None,
            authority=get("IRONLAW_CA") or None,
        )


@dataclass(frozen=True)
class Place:
    """An agent's place in an allocation. The incarnation distinguishes it from any other agent that claims the same place."""

    allocation: int
    index: int
    host: str
    incarnation: str

    @staticmethod
    def read(environment: Mapping[str, str]) -> Optional["Place"]:
        allocation = environment.get("IRONLAW_ALLOCATION")
        if not allocation:
            return None
        index = int(environment.get("IRONLAW_NODE_INDEX") or environment.get("SLURM_NODEID") or "0")
        return Place(int(allocation), index, socket.gethostname(), secrets.token_hex(8))


@dataclass(frozen=True)
class Process:
    """A rank's view. `channel` is None outside of a run."""

    rank: int
    world: int
    local_rank: int
    channel: Optional[str]

    @staticmethod
    def read(environment: Mapping[str, str]) -> "Process":
        get = environment.get
        return Process(
            rank=int(get("RANK", "0")),
            world=int(get("WORLD_SIZE", "1")),
            local_rank=int(get("LOCAL_RANK", "0")),
            channel=get("IRONLAW_CHANNEL"),
        )
