"""PyTorch Lightning: `Trainer(..., callbacks=[IronlawCallback()])`. Reports optimizer steps, and what the Trainer runs with."""

from __future__ import annotations

from typing import Any, Optional

import torch
from lightning.pytorch import Callback, LightningModule, Trainer

from ironlaw.integrations.share import StepReporter, complete_at_exit, join, own_tokens, planned_sequence

_PRECISIONS = {"bf16": "bf16", "16": "fp16", "32": "fp32", "64": "fp64", "transformer-engine": "fp8"}


class IronlawCallback(Callback):
    def __init__(self, microbatch: Optional[int] = None, sequence: Optional[int] = None, loss: str = "loss") -> None:
        """`microbatch` and `sequence` where batches are not tensors of that many rows and no plan says it; `loss` is what
        `training_step` returns it under."""
        self._microbatch, self._sequence, self._loss = microbatch, sequence, loss
        self._reporter: Optional[StepReporter] = None
        self._tokens = 0
        self._step = 0

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self._reporter = StepReporter(join())
        self._step = trainer.global_step

    def on_train_batch_start(self, trainer: Trainer, pl_module: LightningModule, batch: Any, batch_idx: int) -> None:
        if self._reporter is None or self._tokens:
            return
        run = self._reporter.run
        microbatch = self._microbatch or _rows(batch)
        sequence = self._sequence or planned_sequence(run)
        global_batch = microbatch * trainer.accumulate_grad_batches * trainer.world_size if microbatch else None
        self._tokens = own_tokens(run, global_batch, sequence) or -1  # looked at once
        if run.rank == 0:
            precision = _PRECISIONS.get(str(trainer.precision).split("-")[0])
            run.running_with(
                data=trainer.world_size, microbatch=microbatch, global_batch=global_batch, sequence=sequence, precision=precision
            )

    def on_train_batch_end(self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int) -> None:
        if self._reporter is None or trainer.global_step == self._step:
            return  # accumulated, not stepped
        self._step = trainer.global_step
        loss = outputs.get(self._loss) if isinstance(outputs, dict) else outputs
        self._reporter.done(self._step, max(0, self._tokens))
        self._reporter.flush(float(loss.detach()) if isinstance(loss, torch.Tensor) else None)
        self._reporter.run.saves_at(self._step)  # the agent must see how far this rank is, and the rank whether it should stop
        if self._reporter.run.should_stop():
            trainer.should_stop = True

    def on_train_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        if self._reporter is None:
            return
        if self._reporter.run.should_stop():
            self._reporter.run.leave()
        complete_at_exit(self._reporter.run)


def _rows(batch: Any) -> Optional[int]:
    """Of the first tensor in a batch."""
    if isinstance(batch, torch.Tensor):
        return int(batch.shape[0]) if batch.ndim > 0 else None
    parts = batch.values() if isinstance(batch, dict) else batch if isinstance(batch, (list, tuple)) else ()
    for part in parts:
        rows = _rows(part)
        if rows:
            return rows
    return None
