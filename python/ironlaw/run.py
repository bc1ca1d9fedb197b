"""What a training script holds: where to resume, when to checkpoint, what to report. Outside of a run everything works
as well: nothing is reported, checkpoints go to a local directory, and ranks agree through torch.distributed."""

from __future__ import annotations

import math
import os
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator, Mapping, Optional, Union

from ironlaw import state_dict
from ironlaw.alone import Alone
from ironlaw.attached import Attached
from ironlaw.environment import PREEMPTED, Process
from ironlaw.plan import Plan, said
from ironlaw.storage import Checkpoint, Json, Shard


def attach(directory: str = "checkpoints", every_steps: int = 100) -> "Run":
    """Joins the run this process belongs to. `directory` and `every_steps` count only outside of a run."""
    process = Process.read(os.environ)
    if process.channel is not None:
        return Run(process, Attached(process))
    return Run(process, Alone(process, Path(directory), every_steps))


class Run:
    """`for step in run.steps(total)` counts from 1; step n done means n optimizer steps are in the weights."""

    def __init__(self, process: Process, side: Union[Attached, Alone]) -> None:
        self.rank, self.world, self.local_rank = process.rank, process.world, process.local_rank
        self.plan = Plan.read(os.environ)
        self._side = side
        self._resumed: Optional[int] = None
        self._current = 0
        self._total: Optional[int] = None
        self._due: Optional[bool] = None
        self._saved = 0
        self._stopping = False
        self._phase: Optional[str] = None
        self._phase_at = 0.0
        self._phases: Dict[str, float] = {}
        self._step_at = time.monotonic()
        self._tokens = 0
        self._loss: Optional[float] = None

    def running_with(self, **degrees: object) -> None:
        """Reports what the program really does, in the words of `run.plan`: tensor, context, pipeline, expert, data, microbatch,
        global_batch, sequence, precision, shards, recompute. The ledger holds it against the plan. Leave out what is not known."""
        self._side.report_strategy(said(degrees))

    def resume(self) -> Optional[Checkpoint]:
        """The checkpoint to load before the first step; None at the start of a run."""
        checkpoint = self._side.resume()
        self._resumed = checkpoint.step if checkpoint else 0
        self._tokens = checkpoint.tokens // self.world if checkpoint else 0
        self._step_at = time.monotonic()
        return checkpoint

    def steps(self, total: int) -> Iterator[int]:
        """The steps that remain. Leaves the process with status 75 after the checkpoint of a preemption."""
        if self._resumed is None:
            raise RuntimeError("call run.resume() before run.steps(): it says where to begin")
        self._total = total
        for step in range(self._resumed + 1, total + 1):
            self._begin(step)
            yield step
            self.checkpoint_due()  # also where the script did not ask: the agent must see how far this rank is
            if self.should_stop():
                self.leave()
        self._enter(None)

    def _begin(self, step: int) -> None:
        self._current = step
        self._due = None

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Books time as data, compute, communication, optimizer or checkpoint; the rest of a step is `other`."""
        outer = self._phase
        self._enter(name)
        try:
            yield
        finally:
            self._enter(outer)

    def _enter(self, name: Optional[str]) -> None:
        now = time.monotonic()
        if self._phase is not None:
            self._phases[self._phase] = self._phases.get(self._phase, 0.0) + now - self._phase_at
        self._phase, self._phase_at = name, now
        self._side.enter(name or "other")

    def step(self, step: int, tokens: int = 0, loss: Optional[float] = None, gradient_norm: Optional[float] = None) -> None:
        """Reports a step that this rank has done. `tokens` are this rank's own; the job adds them up."""
        if step != self._current:
            self._begin(step)
        if self._phase is not None:  # reported from inside a phase: what it took so far belongs to this step
            self._enter(self._phase)
        now = time.monotonic()
        self._tokens += tokens
        self._loss = loss if loss is not None else self._loss
        row = {"step": step, "at": time.time(), "seconds": now - self._step_at, "tokens": tokens, "phases_s": self._phases}
        if loss is not None:
            row["loss"] = loss
        if gradient_norm is not None:
            row["gradient_norm"] = gradient_norm
        self._side.report_step(row)
        self._step_at, self._phases = now, {}

    def checkpoint_due(self) -> bool:
        """Whether to save after the current step; the same on all ranks, and always true at the last one."""
        if self._due is None:
            if self._current == self._total:
                self._due = True
            else:
                self._due, self._stopping = self._side.decision(self._current)
        return self._due

    def saves_at(self, step: int) -> bool:
        """`checkpoint_due` for a loop that another library runs: after each of its steps."""
        if step != self._current:
            self._begin(step)
        return self.checkpoint_due()

    def save(self, shard: Union[Shard, Mapping[str, Any]], extra: Optional[Json] = None) -> None:
        """Saves this rank's shard: bytes, a function that writes to the file it is given, or a state dict of tensors. All ranks save the
        same step. `extra` is small and goes to the manifest: data position, schedule. Under an agent the shard is copied and the call
        returns; the checkpoint counts once all shards are durable, and `complete` and `leave` wait for that."""
        if isinstance(shard, Mapping):
            state = shard
            shard = lambda file: state_dict.write(file, state)  # noqa: E731
        details = {"extra": extra or {}, "tokens": self._tokens, "waits": self._stopping or self._current == self._total}
        with self.phase("checkpoint"):
            self._side.save(self._current, shard, details)
        self._saved = self._current

    def should_stop(self) -> bool:
        return self._stopping

    def leave(self) -> None:
        """Ends this process after a preemption, when the last checkpoint is committed."""
        if self._saved == self._current and not self._committed():
            print(f"ironlaw: step {self._saved} is not saved; the run goes on from the checkpoint before", file=sys.stderr, flush=True)
        sys.exit(PREEMPTED)

    def _committed(self) -> bool:
        with self.phase("checkpoint"):
            return self._side.wait_committed(self._saved)

    def complete(self, step: Optional[int] = None) -> None:
        """The last call of a run that reached its end: makes the completion durable."""
        if self._saved and not self._committed():
            raise RuntimeError(f"the last checkpoint, of step {self._saved}, could not be written: the events of the run say why")
        if self.rank == 0:
            loss = self._loss if self._loss is not None and math.isfinite(self._loss) else None
            record = {"step": step or self._current or self._resumed or 0, "tokens": self._tokens * self.world, "loss": loss}
            self._side.complete({**record, "at": time.time()})
