"""The reference trainer under an agent: killed and resumed it ends with the same bits; its output is what Hugging Face tools read."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from test_run import has_torch
from testbed import PACKAGE, Api, RunDirectory, until

from ironlaw import tensors

TRAIN = PACKAGE.parent / "examples" / "reference-trainer" / "train.py"


@unittest.skipUnless(has_torch(), "PyTorch is not installed")
class TrainerTest(unittest.TestCase):
    def setUp(self) -> None:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    def directory(self) -> RunDirectory:
        directory = RunDirectory()
        self.addCleanup(directory.close)
        return directory

    def train(self, directory: RunDirectory, attempt: int = 1, processes: int = 2, **names: object) -> "subprocess.Popen[bytes]":
        out = str(directory.path / "out")
        return directory.agent(str(TRAIN), "--steps", "12", "--out", out, attempt=attempt, processes=processes, **names)

    def test_killed_and_resumed_it_ends_with_the_same_bits(self) -> None:
        plain, disturbed, api = self.directory(), self.directory(), Api()
        self.addCleanup(api.close)
        self.assertEqual(self.train(plain).wait(120), 0)
        first = self.train(disturbed, api=api, checkpoint_every_s=0.5)
        until(lambda: [row for row in api.all("checkpoints") if row["state"] == "committed"], 60)
        children = Path(f"/proc/{first.pid}/task/{first.pid}/children").read_text().split()
        os.kill(int(children[1]), 9)
        self.assertEqual(first.wait(20), 137)
        self.assertEqual(self.train(disturbed, attempt=2).wait(120), 0)
        weights = [(directory.path / "out" / "model.safetensors").read_bytes() for directory in (plain, disturbed)]
        self.assertEqual(weights[0], weights[1])
        losses = [json.loads((directory.path / "completed.json").read_text())["loss"] for directory in (plain, disturbed)]
        self.assertEqual(losses[0], losses[1])
        self.assertGreater(api.all("checkpoints")[-1]["step"], 0)
        self.check_names(plain.path / "out")
        self.check_fewer_ranks(disturbed)

    def check_names(self, out: Path) -> None:
        config = json.loads((out / "config.json").read_text())
        names = tensors.read(out / "model.safetensors")
        self.assertEqual(names["model.layers.3.self_attn.k_proj.weight"].shape, (64, config["hidden_size"]))
        self.assertIn("model.norm.weight", names)

    def check_fewer_ranks(self, directory: RunDirectory) -> None:
        """Half the ranks go on from the last checkpoint but one: other sums of floats, the same training."""
        first_end = (directory.path / "completed.json").read_text()
        self.assertEqual(self.train(directory, attempt=3).wait(120), 0)
        self.assertEqual((directory.path / "completed.json").read_text(), first_end, "a job started after the end adds nothing")
        for record in (directory.path / "completed.json", *directory.path.glob("attempts/*/*/completed.json")):
            record.unlink()
        alone = self.train(directory, attempt=4, processes=1, resume_before=12)
        self.assertEqual(alone.wait(120), 0)
        record = json.loads((directory.path / "completed.json").read_text())
        self.assertEqual((record["attempt"], record["step"]), (4, 12))


@unittest.skipUnless(has_torch(), "PyTorch is not installed")
class TensorsTest(unittest.TestCase):
    def test_what_is_written_is_read(self) -> None:
        import torch

        given = {
            "half": torch.randn(3, 5).bfloat16(),
            "empty": torch.zeros(0, 4),
            "bytes": torch.arange(7, dtype=torch.uint8),
            "wide": torch.arange(6, dtype=torch.int64).view(2, 3).t(),
            "scalar": torch.tensor(2.5),
        }
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.safetensors"
            with open(path, "wb") as file:
                tensors.write(file, given, {"format": "pt"})
            found = tensors.read(path)
        self.assertEqual(sorted(found), sorted(given))
        for name, tensor in given.items():
            self.assertEqual(found[name].dtype, tensor.dtype)
            self.assertTrue(torch.equal(found[name], tensor), name)

    def test_random_states_come_back(self) -> None:
        import random

        import torch

        state = tensors.random_state()
        first = (random.random(), float(torch.rand(())))
        tensors.restore_random_state(state)
        self.assertEqual((random.random(), float(torch.rand(()))), first)


if __name__ == "__main__":
    unittest.main()
