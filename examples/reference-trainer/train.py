"""Trains a small language model, alone, under torchrun, or under Ironlaw: the same script.

    python3 train.py --model tiny --steps 300
    torchrun --nproc_per_node=2 train.py --model small
    python3 -m ironlaw.agent -- train.py --model small

The global batch does not depend on the number of ranks: what a rank cannot do at once it accumulates. The same seed and
micro-batch give the same bits, with any number of loader's workers, on 1, 2, 4, 8 or 16 ranks, and also when the run was interrupted
and resumed on another number of them. Other numbers of ranks add gradients in another order.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import random
import time
from datetime import timedelta
from pathlib import Path
from typing import Any, ContextManager, Dict, Sequence, Tuple

import torch
from corpus import Corpus
from export import export
from model import SHAPES, Llama
from torch import distributed
from zero import Zero

import ironlaw
from ironlaw import tensors
from ironlaw.data import Loader, Order, TokenDataset, open_dataset

GLOBAL_BATCH, MICRO_BATCH = 16, 8
PEAK_RATE, CLIP = 2e-3, 1.0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=sorted(SHAPES), default="tiny")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("trained"), help="where the finished model goes")
    parser.add_argument("--microbatch", type=int, help="windows that a rank computes at once; as planned when left out")
    parser.add_argument("--data", type=Path, help="a token dataset of bytes, instead of the text that this machine has")
    parser.add_argument("--order", type=Path, help="with --data: its data-order.json")
    parser.add_argument("--workers", type=int, default=0, help="processes of each rank that read windows ahead")
    parser.add_argument("--pace", type=float, default=0.0, help="seconds that a step takes at least, to have time to watch")
    return parser.parse_args()


def device_of(local_rank: int) -> torch.device:
    """Also fixes what decides about bits: one thread a rank, deterministic kernels."""
    torch.set_num_threads(1)
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True)
    if not torch.cuda.is_available():
        return torch.device("cpu")
    torch.cuda.set_device(local_rank)
    return torch.device("cuda", local_rank)


def join(world: int, device: torch.device) -> None:
    """A collective that waits 60 predicted steps waits for a dead rank."""
    if world > 1:
        limit_s = max(30.0, 60 * float(os.environ.get("IRONLAW_STEP_S", "0")))
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo", timeout=timedelta(seconds=limit_s))


def leave(world: int) -> None:
    """Together: a rank that is gone while another still holds its connection may take that one down with it."""
    if world > 1:
        distributed.barrier()
        distributed.destroy_process_group()


def precision(device: torch.device) -> ContextManager[Any]:
    """bf16 where the hardware multiplies it; on CPUs of today PyTorch is faster in fp32."""
    if device.type == "cuda" and torch.cuda.is_bf16_supported():
        return torch.autocast("cuda", torch.bfloat16)
    return contextlib.nullcontext()


def rate_at(step: int, total: int) -> float:
    """Linear warm-up, then a cosine to a tenth."""
    warm = max(1, min(100, total // 10))
    if step <= warm:
        return PEAK_RATE * step / warm
    done = (step - warm) / max(1, total - warm)
    return PEAK_RATE * (0.1 + 0.45 * (1 + math.cos(math.pi * done)))


def gradients(model: Llama, optimizer: Zero, parts: Sequence[torch.Tensor]) -> torch.Tensor:
    """Of each micro-batch on its own; returns the mean loss."""
    device = model.mask.device
    total = torch.zeros((), device=device)
    for part in parts:
        with precision(device):
            loss = model.loss(part.to(device))
        loss.backward()
        optimizer.collect()
        total += loss.detach() / len(parts)
    return total


def given_data(options: argparse.Namespace) -> Tuple[Dict[str, TokenDataset], Order]:
    order = Order(json.loads(options.order.read_text()))
    return {order.document["sources"][0]["name"]: open_dataset(options.data)}, order


def main() -> None:
    options = arguments()
    run = ironlaw.attach()
    device = device_of(run.local_rank)
    join(run.world, device)
    if GLOBAL_BATCH % run.world:
        raise SystemExit(f"the global batch of {GLOBAL_BATCH} windows does not divide among {run.world} ranks")
    torch.manual_seed(options.seed)
    random.seed(options.seed)
    model = Llama(SHAPES[options.model]).to(device)
    corpus = Corpus(model.shape.context, options.seed)
    sources, order = ({"text": corpus}, corpus.order) if options.data is None else given_data(options)
    optimizer = Zero(model)
    own = GLOBAL_BATCH // run.world
    microbatch = min(own, options.microbatch or (run.plan.microbatch if run.plan else MICRO_BATCH))
    loader = Loader(sources, order, GLOBAL_BATCH, rank=run.rank, world=run.world, form="torch")
    run.running_with(
        tensor=1, context=1, pipeline=1, expert=1, data=run.world, shards="optimizer", microbatch=microbatch, global_batch=GLOBAL_BATCH,
        sequence=model.shape.context, precision="bf16" if device.type == "cuda" and torch.cuda.is_bf16_supported() else "fp32", recompute="none",
    )  # fmt: skip

    checkpoint = run.resume()
    if checkpoint:
        optimizer.restore([tensors.read(path) for path in checkpoint.shards])
        tensors.restore_random_state(tensors.read(checkpoint.shards[min(run.rank, checkpoint.world - 1)]))
        loader.load_state_dict(checkpoint.extras[0])
    batches = loader.in_workers(options.workers) if options.workers else loader

    for step in run.steps(options.steps):
        due = time.monotonic() + options.pace
        with run.phase("data"):
            windows = next(batches)
        with run.phase("compute"):
            optimizer.clear()
            loss = gradients(model, optimizer, windows.split(microbatch))
        with run.phase("communication"):
            optimizer.reduce()
        with run.phase("optimizer"):
            norm = optimizer.norm()
            optimizer.update(step, rate_at(step, options.steps), min(1.0, CLIP / (norm + 1e-6)))
        with run.phase("communication"):
            optimizer.share()
        time.sleep(max(0.0, due - time.monotonic()))
        run.step(step, tokens=own * model.shape.context, loss=float(loss), gradient_norm=norm)
        if run.rank == 0 and (step % 50 == 0 or step == options.steps):
            print(f"step {step} loss {float(loss):.6f}", flush=True)
        if run.checkpoint_due():
            shard = {**optimizer.state(), **tensors.random_state()}
            run.save(lambda file: tensors.write(file, shard), loader.state_dict())

    leave(run.world)
    if run.rank == 0:
        export(model, options.out)
        (options.out / "data-order.json").write_text(json.dumps(order.document, indent=2) + "\n")
        with torch.no_grad():
            print(f"held out {float(model.loss(corpus.held_out(64).to(device))):.4f} nats per byte", flush=True)
        print(model.continued(b"    def __init__(", 120).decode("utf-8", "replace"), flush=True)
    run.complete()


if __name__ == "__main__":
    main()
