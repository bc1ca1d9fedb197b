"""What a step costs under an agent against the same step without: blocks alternate within one process group, and the agent is
stopped (SIGSTOP) during the bare blocks, so its own share of the cores counts as well. On a busy machine only the processor
time says something: that of a rank in both kinds of block, and that of the agent. Run by hand:

    python3 python/tests/overhead.py [blocks]
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import statistics
import sys
import time
from pathlib import Path
from typing import Any, Dict, List

from testbed import PACKAGE, Api, RunDirectory

STEPS_IN_BLOCK = 10
TRAINER = PACKAGE.parent / "examples" / "reference-trainer"


class Bare:
    def phase(self, _name: str) -> Any:
        return contextlib.nullcontext()

    def step(self, *_: object, **__: object) -> None:
        pass

    def checkpoint_due(self) -> bool:
        return False


def rank(blocks: int) -> None:
    sys.path.insert(0, str(TRAINER))
    import torch
    from corpus import Corpus
    from model import SHAPES, Llama
    from train import gradients
    from zero import Zero

    import ironlaw

    torch.set_num_threads(1)
    run = ironlaw.attach()
    torch.distributed.init_process_group("gloo")
    model = Llama(SHAPES["tiny"])
    optimizer, corpus = Zero(model), Corpus(128, 1)
    run.resume()
    taken: Dict[bool, List[float]] = {True: [], False: []}
    processor: Dict[bool, List[float]] = {True: [], False: []}
    chance, step = random.Random(3), 0
    for block in range(2 * blocks):
        if block % 2 == 0:
            first = chance.random() < 0.5
        attached = first if block % 2 == 0 else not first
        side: Any = run if attached else Bare()
        torch.distributed.barrier()
        if run.rank == 0:
            os.kill(os.getppid(), signal.SIGCONT if attached else signal.SIGSTOP)
        torch.distributed.barrier()
        began, used = time.monotonic(), time.process_time()
        for _ in range(STEPS_IN_BLOCK):
            step += 1
            with side.phase("data"):
                windows = corpus.batch(step * 4, 4)
            with side.phase("compute"):
                optimizer.clear()
                loss = gradients(model, optimizer, [windows])
            with side.phase("communication"):
                optimizer.reduce()
            with side.phase("optimizer"):
                optimizer.update(step, 1e-3, 1.0)
            with side.phase("communication"):
                optimizer.share()
            side.step(step, tokens=4 * 128, loss=float(loss), gradient_norm=0.0)
            side.checkpoint_due()
        taken[attached].append((time.monotonic() - began) / STEPS_IN_BLOCK)
        processor[attached].append((time.process_time() - used) / STEPS_IN_BLOCK)
    os.kill(os.getppid(), signal.SIGCONT)
    if run.rank == 0:
        ratios = [under / bare for under, bare in zip(taken[True], taken[False])]
        error = statistics.stdev(ratios) / len(ratios) ** 0.5
        agent_s = sum(int(ticks) for ticks in Path(f"/proc/{os.getppid()}/stat").read_text().split()[13:15]) / os.sysconf("SC_CLK_TCK")
        shares = [under / bare for under, bare in zip(processor[True], processor[False])]
        print(f"processor time of rank 0: {1e3 * statistics.median(processor[False]):.2f} ms a step, ", end="")
        print(f"attached {100 * (statistics.median(shares) - 1):+.2f} %; ", end="")
        print(f"agent: {100 * agent_s / (STEPS_IN_BLOCK * sum(taken[True])):.2f} % of a core, its start included")
        print(f"bare {1e3 * statistics.median(taken[False]):.2f} ms, attached {1e3 * statistics.median(taken[True]):.2f} ms a step")
        print(f"medians {100 * (statistics.median(taken[True]) / statistics.median(taken[False]) - 1):+.2f} %, ", end="")
        print(f"median of {blocks} pairs {100 * (statistics.median(ratios) - 1):+.2f} %, standard error of their mean {100 * error:.2f} %")


def main() -> None:
    blocks = sys.argv[1] if len(sys.argv) > 1 else "30"
    directory, api = RunDirectory(), Api()
    agent = directory.agent(str(Path(__file__).resolve()), "--rank", blocks, api=api, processes=2)
    agent.wait()
    print(directory.log(0))
    directory.close()
    api.close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--rank"]:
        rank(int(sys.argv[2]))
    else:
        main()
