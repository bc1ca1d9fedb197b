"""The pause of a checkpoint in one process, in turns: the bare copy as `ironlaw calibrate` measures it, `run.save` under an agent, and the
write on the training thread that it replaced. Prints rows that `npm run bench:checkpoints` compares with the plan.

    python3 python/tests/checkpoint_bench.py 5 100000000 1000000000
"""

from __future__ import annotations

import json
import platform
import shutil
import sys
import time
from pathlib import Path
from typing import Dict, List

from testbed import RunDirectory

MEASURED, PAUSES = "ironlaw-measured ", "ironlaw-pauses "
TENSORS = 8
WINDOW_S = 0.1


def rank(rounds: int, sizes: List[int]) -> None:
    import torch

    import ironlaw
    from ironlaw import tensors
    from ironlaw.measure import cases
    from ironlaw.measure.timing import Effort, timed
    from ironlaw.storage import Attempt

    torch.set_num_threads(1)
    run = ironlaw.attach()
    run.resume()
    side = run._side
    attempt: Attempt = side._attempt  # type: ignore[union-attr]
    bare: Dict[int, List[float]] = {}
    pauses = {size: {"bytes": size, "first_s": 0.0, "save_s": [], "write_here_s": []} for size in sizes}
    step = 0
    for turn in range(rounds + 1):
        for case in cases.stagings(cases.Device(torch.device("cpu"), torch.float32), quick=False):
            bare.setdefault(case.row["bytes"], []).extend(timed(case.call, Effort(1, WINDOW_S), lambda: None))
        for size, row in pauses.items():
            step += 1
            state = {f"layer.{index}": torch.full((size // 4 // TENSORS,), float(step)) for index in range(TENSORS)}
            run._begin(step)
            began = time.monotonic()
            run.save(lambda file: tensors.write(file, state))
            saved_s = time.monotonic() - began
            side.wait_committed(step)
            began = time.monotonic()
            attempt.write_shard(step + 10**7, 0, lambda file: tensors.write(file, state))
            written_s = time.monotonic() - began
            shutil.rmtree(attempt.path / "shards" / f"step-{step + 10**7:08d}")
            if turn == 0:
                row["first_s"] = saved_s
            else:
                row["save_s"].append(saved_s)  # type: ignore[attr-defined]
                row["write_here_s"].append(written_s)  # type: ignore[attr-defined]
    host = platform.node()
    for size, seconds in bare.items():
        print(MEASURED + json.dumps({"measured": "staging", "bytes": size, "ranks": 1, "seconds": {host: seconds}}), flush=True)
    for row in pauses.values():
        print(PAUSES + json.dumps(row), flush=True)


def run_bench(rounds: int, sizes: List[int]) -> str:
    """The log of the rank."""
    directory = RunDirectory()
    try:
        command = [str(Path(__file__).resolve()), "--rank", str(rounds), *(str(size) for size in sizes)]
        agent = directory.agent(*command)
        if agent.wait() != 0:
            raise SystemExit(directory.log(0))
        return directory.log(0)
    finally:
        directory.close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--rank"]:
        rank(int(sys.argv[2]), [int(size) for size in sys.argv[3:]])
    else:
        print(run_bench(int(sys.argv[1]), [int(size) for size in sys.argv[2:]]))
