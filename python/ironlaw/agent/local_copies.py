"""Copies of the newest shards on this node's own disk. A process that restarts in place then loads without reading shared storage.

The shared copy stays the durable one: a checkpoint is committed when all shards are there. A local copy counts when it matches the
checksum in the committed manifest, so whatever else lies around on the disk of a node does no harm.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Dict, Optional, Tuple

from ironlaw.environment import Job
from ironlaw.storage import Attempt, Json, attempt_numbers, read_json, shard_fault, shard_paths, step_name


class LocalCopies:
    def __init__(self, job: Job) -> None:
        self._job = job
        self._root = job.local / job.run if job.local else None
        self._found: Dict[str, Dict[int, Path]] = {}

    def of(self, rank: int, manifest: Optional[str]) -> Optional[str]:
        """Where this rank's shard of that checkpoint lies on this node, where it was verified."""
        path = self._found.get(str(self._job.run_directory / manifest), {}).get(rank) if manifest is not None else None
        return str(path) if path is not None else None

    def write(self, step: int, rank: int, content: memoryview) -> None:
        """Without one the checkpoint is as good; it is read from shared storage then."""
        if self._root is None:
            return
        try:
            Attempt(self._root, self._job.attempt).write_shard(step, rank, content)
        except OSError as cause:
            print(f"ironlaw: no local copy of step {step}, rank {rank}: {cause}", file=sys.stderr, flush=True)

    def fault_of(self, manifest_path: Path) -> str:
        """Why this checkpoint cannot be used, as far as this node looks after it; empty when it can. Each node verifies the shards of its
        own ranks, here or else in shared storage; with another number of ranks than saved it, nodes share them out."""
        # By checkpoint: one that was rejected meanwhile may still be read by a thread of its own.
        found: Dict[int, Path] = {}
        self._found[str(manifest_path)] = found
        manifest = read_json(manifest_path)
        if manifest is None:
            return "manifest unreadable"
        same = manifest["world"] == self._job.world
        for shard, shared in zip(manifest["shards"], shard_paths(manifest_path, manifest)):
            rank = int(shard["rank"])
            if (rank // self._job.processes if same else rank % self._job.nodes) != self._job.index:
                continue
            local = self._path(manifest, shard)
            if same and local is not None and self._is_good(local, shard):
                found[rank] = local
                continue
            fault = shard_fault(shared, shard)
            if fault is not None:
                return fault
        return ""

    @staticmethod
    def _is_good(local: Path, shard: Json) -> bool:
        """A disk of the node that fails is none: the shared copy is read."""
        try:
            return shard_fault(local, shard) is None
        except OSError as cause:
            print(f"ironlaw: no local copy at {local}: {cause}", file=sys.stderr, flush=True)
            return False

    def _path(self, manifest: Json, shard: Json) -> Optional[Path]:
        if self._root is None:
            return None
        name = str(shard["file"])
        return Attempt(self._root, manifest["attempt"]).path / "shards" / step_name(manifest["step"]) / name

    def forget_before(self, attempt: int, step: int) -> None:
        newest: Tuple[int, str] = (attempt, step_name(step))
        try:
            if self._root is None or not self._root.is_dir():
                return
            for number in attempt_numbers(self._root):
                for shards in (Attempt(self._root, number).path / "shards").glob("step-*"):
                    if (number, shards.name) < newest:
                        shutil.rmtree(shards, ignore_errors=True)
        except OSError as cause:
            print(f"ironlaw: older local copies stay: {cause}", file=sys.stderr, flush=True)

    def remove(self) -> None:
        if self._root is not None:
            shutil.rmtree(self._root, ignore_errors=True)
