"""The reference trainer gives the same weights, to the bit, on any number of loader's workers and of ranks, and after an interruption."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import unittest
from pathlib import Path

from test_run import has_torch
from test_trainer import TRAIN
from testbed import Api, RunDirectory, until

STEPS, MICRO_BATCH = 4, 2


@unittest.skipUnless(has_torch(), "PyTorch is not installed")
class BitsTest(unittest.TestCase):
    def setUp(self) -> None:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    def directory(self) -> RunDirectory:
        directory = RunDirectory()
        self.addCleanup(directory.close)
        return directory

    def train(self, directory: RunDirectory, workers: int, pace_s: float = 0.0, **names: object) -> "subprocess.Popen[bytes]":
        sizes = {"steps": STEPS, "microbatch": MICRO_BATCH, "workers": workers, "pace": pace_s, "out": directory.path / "out"}
        return directory.agent(str(TRAIN), *(text for name, value in sizes.items() for text in (f"--{name}", str(value))), **names)

    def weights(self, directory: RunDirectory) -> str:
        return hashlib.sha256((directory.path / "out" / "model.safetensors").read_bytes()).hexdigest()

    def test_workers_ranks_and_interruptions_leave_the_weights_as_they_are(self) -> None:
        found = {}
        for ranks, workers in ((1, 0), (2, 1), (4, 0), (8, 0)):
            directory = self.directory()
            self.assertEqual(self.train(directory, workers, processes=ranks).wait(120), 0, directory.log(0))
            found[f"{ranks} ranks with {workers} workers"] = self.weights(directory)
        found["interrupted on 2 ranks, resumed on 1 with 3 workers"] = self.interrupted()
        self.assertEqual(len(set(found.values())), 1, json.dumps(found, indent=2))

    def interrupted(self) -> str:
        directory, api = self.directory(), Api()
        self.addCleanup(api.close)
        first = self.train(directory, 1, pace_s=3.0, processes=2, api=api, checkpoint_every_s=0.01)
        until(lambda: [row for row in api.all("checkpoints") if row["state"] == "committed"], 60)
        children = Path(f"/proc/{first.pid}/task/{first.pid}/children").read_text().split()
        os.kill(int(children[-1]), 9)
        self.assertEqual(first.wait(30), 137)
        self.assertEqual(self.train(directory, 3, attempt=2, processes=1).wait(120), 0, directory.log(0, attempt=2))
        return self.weights(directory)


if __name__ == "__main__":
    unittest.main()
