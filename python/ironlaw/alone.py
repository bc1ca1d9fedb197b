"""No run around: every start is a new attempt in a local directory, decisions depend on the step alone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, List, Optional, Tuple

from ironlaw.environment import Process
from ironlaw.retention import prune
from ironlaw.storage import Attempt, Checkpoint, Json, Shard, attempt_numbers, choose, load, manifest_of


class Alone:
    def __init__(self, process: Process, directory: Path, every_steps: int) -> None:
        self._process, self._directory, self._every = process, directory, every_steps
        self._attempt: Optional[Attempt] = None
        self._kept: Optional[Path] = None

    def enter(self, phase: str) -> None:
        pass

    def report_step(self, row: Json) -> None:
        pass

    def report_strategy(self, running: Json) -> None:
        pass

    def resume(self) -> Optional[Checkpoint]:
        found: List[Any] = [None]
        if self._process.rank == 0:
            attempt = Attempt(self._directory, max(attempt_numbers(self._directory), default=0) + 1)
            attempt.begin()
            choice = choose(self._directory, None)
            for path, fault in choice.corrupt:
                print(f"ironlaw: passed over {path}: {fault}", file=sys.stderr)
            found = [(attempt.number, str(choice.manifest) if choice.manifest else None)]
        number, manifest = self._gathered(found[0])[0]
        self._attempt = Attempt(self._directory, number)
        self._kept = Path(manifest) if manifest else None
        return load(self._kept, self._process.rank) if self._kept else None

    def decision(self, step: int) -> Tuple[bool, bool]:
        return step % self._every == 0, False

    def save(self, step: int, shard: Shard, details: Json) -> None:
        if self._attempt is None:
            raise RuntimeError("call run.resume() before run.save()")
        shards = self._gathered({**self._attempt.write_shard(step, self._process.rank, shard), **details})
        if self._process.rank == 0:
            self._attempt.commit(manifest_of(self._attempt, step, {"run": None, "world": self._process.world, "shards": shards}))
            prune(self._directory, self._kept)

    def _gathered(self, value: Any) -> List[Any]:
        if self._process.world == 1:
            return [value]
        distributed = sys.modules.get("torch.distributed")
        if distributed is None or not distributed.is_initialized():
            raise RuntimeError("several ranks without a run: initialise torch.distributed before run.resume()")
        values: List[Any] = [None] * self._process.world
        distributed.all_gather_object(values, value)
        return values

    def wait_committed(self, step: int) -> bool:
        return True  # it was when `save` returned

    def complete(self, record: Json) -> None:
        if self._attempt is not None:
            self._attempt.complete({"run": None, "attempt": self._attempt.number, **record})
