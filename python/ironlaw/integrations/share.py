"""Shared by the integrations: steps that are reported late, and this rank's part of a batch."""

from __future__ import annotations

import atexit
import sys
from typing import Any, List, NoReturn, Optional

import ironlaw
from ironlaw.run import Run

# Names that frameworks give to the type of their products, as the ledger compares them.
DTYPES = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32", "bf16": "bf16", "fp16": "fp16", "fp32": "fp32", "no": "fp32"}


def join() -> Run:
    """Outside of a run nothing is ever due: the framework saves as configured."""
    return ironlaw.attach(every_steps=sys.maxsize)


def complete_at_exit(run: Run) -> None:
    """Training has reached its end, the script perhaps not: it may still evaluate or write the model, and the nodes go when it is told
    that the run is complete. So it is told when the process ends, unless an exception or an exit status says that it failed."""
    failed: List[Any] = []
    shown, left = sys.excepthook, sys.exit

    def note(*exception: Any) -> None:
        failed.append(exception)
        shown(*exception)

    def note_status(status: Any = None) -> NoReturn:
        if status not in (None, 0):
            failed.append(status)
        left(status)

    sys.excepthook, sys.exit = note, note_status
    atexit.register(lambda: None if failed else run.complete())


def own_tokens(run: Run, global_batch: Optional[int], sequence: Optional[int]) -> int:
    """The ranks' parts add up to the tokens of a step."""
    if not global_batch or not sequence:
        return 0
    tokens = global_batch * sequence
    return tokens // run.world + (1 if run.rank < tokens % run.world else 0)


def planned_sequence(run: Run) -> Optional[int]:
    return run.plan.sequence if run.plan and run.plan.sequence > 0 else None


class StepReporter:
    """A framework says that a step is done, and its loss a moment later or not at all: the row goes out with whichever comes last."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._step: Optional[int] = None
        self._tokens = 0

    def done(self, step: int, tokens: int) -> None:
        self.flush()
        self._step, self._tokens = step, tokens

    def logged(self, step: int, loss: Optional[float], gradient_norm: Optional[float]) -> None:
        if step == self._step:
            self.flush(loss, gradient_norm)

    def flush(self, loss: Optional[float] = None, gradient_norm: Optional[float] = None) -> None:
        if self._step is not None:
            step, self._step = self._step, None
            self.run.step(step, tokens=self._tokens, loss=loss, gradient_norm=gradient_norm)
