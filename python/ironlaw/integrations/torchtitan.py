"""torchtitan 0.2: `--experimental.custom_import ironlaw.integrations.torchtitan` joins its trainer to the run.

Importing this module is the one line. torchtitan asks its metrics after every step whether to log; that is where steps are reported,
so its own log frequency decides only which of them carry a loss.
"""

from __future__ import annotations

from typing import Any, Dict, Optional

from torchtitan.components.metrics import MetricsProcessor

from ironlaw.integrations.share import DTYPES, StepReporter, complete_at_exit, join, own_tokens


def running_with(job_config: Any, parallel_dims: Any) -> Dict[str, Any]:
    """The degrees, batch and precision that torchtitan set up, in the words of a plan."""
    training, parallelism = job_config.training, job_config.parallelism
    dims = parallel_dims
    data = dims.dp_replicate * dims.dp_shard
    global_batch = training.global_batch_size if training.global_batch_size > 0 else training.local_batch_size * data
    in_fp8 = any("float8" in converter for converter in job_config.model.converters)
    # Products are computed in this type only where FSDP casts to it, or autocast where nothing is sharded.
    precision = "fp8" if in_fp8 else DTYPES.get(training.mixed_precision_param)
    return {
        "tensor": dims.tp,
        "context": dims.cp,
        "pipeline": dims.pp,
        "expert": dims.ep,
        "data": data,
        "microbatch": parallelism.pipeline_parallel_microbatch_size if dims.pp > 1 else training.local_batch_size,
        "global_batch": global_batch,
        "sequence": training.seq_len,
        "precision": precision,
        "recompute": job_config.activation_checkpoint.mode,
    }


class _Joined:
    """One per process, made at the first step: ranks attach when torchtitan has found its meshes."""

    def __init__(self, metrics: Any) -> None:
        run = join()
        running = running_with(metrics.job_config, metrics.parallel_dims)
        self.reporter = StepReporter(run)
        self.step = 0
        self.tokens = own_tokens(run, running["global_batch"], running["sequence"])
        if run.rank == 0:
            run.running_with(**running)


_joined: Optional[_Joined] = None
_should_log, _log, _close = MetricsProcessor.should_log, MetricsProcessor.log, MetricsProcessor.close


def should_log(self: Any, step: int) -> bool:
    global _joined
    if _joined is None:
        _joined = _Joined(self)
    logs: bool = _should_log(self, step)
    _joined.step = step
    _joined.reporter.done(step, _joined.tokens)
    if not logs:
        _joined.reporter.flush()
    return logs


def log(self: Any, step: int, global_avg_loss: float, global_max_loss: float, grad_norm: float, *more: Any, **named: Any) -> None:
    if _joined is not None:
        _joined.reporter.logged(step, float(global_avg_loss), float(grad_norm))
    _log(self, step, global_avg_loss, global_max_loss, grad_norm, *more, **named)


def close(self: Any) -> None:
    """Also called when training failed."""
    if _joined is not None and _joined.step >= self.job_config.training.steps:
        complete_at_exit(_joined.reporter.run)
    _close(self)


MetricsProcessor.should_log, MetricsProcessor.log, MetricsProcessor.close = should_log, log, close
