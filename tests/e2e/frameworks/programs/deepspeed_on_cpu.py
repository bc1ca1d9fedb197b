"""A small model under DeepSpeed's engine on processors: the program brings model and data, the plan everything else."""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("DS_ACCELERATOR", "cpu")

import deepspeed
import torch

import ironlaw
from ironlaw.integrations.deepspeed import report


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--width", type=int, default=64)
    options = deepspeed.add_config_arguments(parser).parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    run = ironlaw.attach()
    for handler in (deepspeed.utils.logger, *deepspeed.utils.logger.handlers):
        handler.setLevel("INFO")  # its own account of its configuration
    deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False  # gloo alone: the other way compiles an extension first
    deepspeed.init_distributed(dist_backend="gloo")
    model = torch.nn.Sequential(torch.nn.Embedding(256, options.width), torch.nn.Linear(options.width, 256))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    engine, *_ = deepspeed.initialize(args=options, model=model, optimizer=optimizer, model_parameters=model.parameters())
    report(run, engine, sequence=run.plan.sequence if run.plan else None)
    sequence = run.plan.sequence if run.plan else 32
    microbatch, accumulation = engine.train_micro_batch_size_per_gpu(), engine.gradient_accumulation_steps()
    for step in range(1, options.steps + 1):
        total = 0.0
        for _ in range(accumulation):
            tokens = torch.randint(0, 256, (microbatch, sequence + 1))
            logits = engine(tokens[:, :-1])
            loss = torch.nn.functional.cross_entropy(logits.float().flatten(0, 1), tokens[:, 1:].flatten())
            engine.backward(loss)
            engine.step()
            total += float(loss) / accumulation
        run.step(step, tokens=microbatch * accumulation * sequence, loss=total)
    run.complete()
    print(f"trained {engine.global_steps} steps", flush=True)


if __name__ == "__main__":
    main()
