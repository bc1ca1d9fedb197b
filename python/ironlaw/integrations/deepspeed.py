"""DeepSpeed: `report(run, engine)` after `deepspeed.initialize` reports the engine's settings under the names of a plan."""

from __future__ import annotations

from typing import Any, Optional

from ironlaw.run import Run

_SHARDS = ("nothing", "optimizer", "gradients", "weights")


def report(run: Run, engine: Any, sequence: Optional[int] = None) -> None:
    if run.rank != 0:
        return
    run.running_with(
        tensor=max(1, engine.mp_world_size),
        data=engine.dp_world_size,
        microbatch=engine.train_micro_batch_size_per_gpu(),
        global_batch=engine.train_batch_size(),
        sequence=sequence,
        shards=_SHARDS[engine.zero_optimization_stage()],
        precision="bf16" if engine.bfloat16_enabled() else "fp16" if engine.fp16_enabled() else "fp32",
    )
