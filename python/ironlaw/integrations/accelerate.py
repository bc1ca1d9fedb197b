"""Accelerate: `Accelerator(log_with=IronlawTracker(microbatch=8))`, then `accelerator.log({"loss": ...}, step=n)` as with any tracker."""

from __future__ import annotations

from typing import Any, Dict, Optional

from accelerate.state import AcceleratorState
from accelerate.tracking import GeneralTracker

from ironlaw.integrations.share import DTYPES, complete_at_exit, join, own_tokens, planned_sequence
from ironlaw.run import Run


class IronlawTracker(GeneralTracker):
    name = "ironlaw"
    requires_logging_directory = False
    main_process_only = False

    def __init__(self, microbatch: Optional[int] = None, global_batch: Optional[int] = None, sequence: Optional[int] = None) -> None:
        super().__init__()
        self._batch = {"microbatch": microbatch, "global_batch": global_batch}
        self._sequence = sequence
        self._run: Optional[Run] = None
        self._tokens = 0

    @property
    def tracker(self) -> Optional[Run]:
        return self._run

    def store_init_configuration(self, values: Dict[str, Any]) -> None:
        pass

    def start(self) -> None:
        """Called once by `accelerator.init_trackers`, when precision and ranks are known."""
        self._run = run = join()
        sequence = self._sequence or planned_sequence(run)
        self._tokens = own_tokens(run, self._batch["global_batch"], sequence)
        if run.rank == 0:
            precision = DTYPES.get(str(AcceleratorState._shared_state.get("_mixed_precision", "no")))
            run.running_with(data=run.world, sequence=sequence, precision=precision, **self._batch)

    def log(self, values: Dict[str, Any], step: Optional[int] = None, **_: Any) -> None:
        if self._run is None or step is None or "loss" not in values:
            return  # not a training step: an evaluation, or a summary
        norm = values.get("grad_norm")
        self._run.step(step, tokens=self._tokens, loss=float(values["loss"]), gradient_norm=None if norm is None else float(norm))

    def finish(self) -> None:
        """Called by `accelerator.end_training`."""
        if self._run is not None:
            complete_at_exit(self._run)
