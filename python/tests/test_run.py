"""The SDK in a training process, with and without a run around it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import List

from testbed import PACKAGE, PROGRAM

import ironlaw
from ironlaw.agent.rendezvous import free_port
from ironlaw.agent.rows import StepRows
from ironlaw.board import Board, proposal_of


def has_torch() -> bool:
    return subprocess.run([sys.executable, "-c", "import torch"], capture_output=True, check=False).returncode == 0


class AloneTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="ironlaw-test-")
        self.addCleanup(temporary.cleanup)
        self.path = Path(temporary.name)
        (self.path / "train.py").write_text(PROGRAM)

    def train(self, steps: int, before: str = "", ranks: int = 1) -> List[str]:
        (self.path / "train.py").write_text(before + PROGRAM)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("IRONLAW_")}
        environment.update(PYTHONPATH=str(PACKAGE), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()), WORLD_SIZE=str(ranks))
        processes = [
            subprocess.Popen(
                [sys.executable, "train.py", "0", str(steps)], cwd=self.path, env={**environment, "RANK": str(rank)}, stdout=subprocess.PIPE
            )
            for rank in range(ranks)
        ]
        return [process.communicate(timeout=60)[0].decode() for process in processes]

    def test_a_script_resumes_in_a_local_directory(self) -> None:
        self.assertIn("resumed 0\n", self.train(150)[0])
        continued = self.train(250)[0]
        self.assertIn("resumed 150\n", continued)
        fresh = AloneTest()
        fresh.setUp()
        self.addCleanup(fresh.doCleanups)
        self.assertEqual(fresh.train(250)[0].split("final")[1], continued.split("final")[1])

    @unittest.skipUnless(has_torch(), "PyTorch is not installed")
    def test_ranks_agree_through_torch_distributed(self) -> None:
        before = "import torch.distributed; torch.distributed.init_process_group('gloo')\n"
        self.train(120, before, ranks=2)
        outputs = self.train(130, before, ranks=2)
        self.assertEqual(["resumed 120\n" in output for output in outputs], [True, True])

    def test_importing_needs_only_the_standard_library(self) -> None:
        script = "import sys, ironlaw; sys.exit(any(name in sys.modules for name in ('torch', 'numpy')))"
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
        self.assertEqual(subprocess.run([sys.executable, "-c", script], env=environment, check=False).returncode, 0)

    def test_steps_before_resume_are_refused(self) -> None:
        with self.assertRaisesRegex(RuntimeError, "run.resume"):
            next(ironlaw.attach(str(self.path)).steps(3))


class BoardTest(unittest.TestCase):
    def test_whoever_is_below_sees_the_proposal(self) -> None:
        board = Board.create(2)
        board.boundary(0, 9)
        board.boundary(1, 8)
        self.assertTrue(board.propose(proposal_of(10, False)))
        self.assertEqual(board.boundary(0, 10), proposal_of(10, False))
        self.assertEqual(board.boundary(0, 11), 0)

    def test_a_rank_that_is_past_refuses(self) -> None:
        board = Board.create(2)
        board.boundary(0, 10)
        self.assertFalse(board.propose(proposal_of(10, True)))


class StepRowsTest(unittest.TestCase):
    @staticmethod
    def row(step: int, compute_s: float) -> "dict[str, object]":
        phases_s = {"compute": compute_s}
        return {"step": step, "at": 5.0 + compute_s, "seconds": compute_s, "tokens": 4, "loss": compute_s, "phases_s": phases_s}

    def test_a_step_leaves_once_when_all_have_told(self) -> None:
        rows = StepRows(3)
        for rank, compute_s in enumerate((1.0, 3.0, 1.4)):
            self.assertEqual(rows.take(0.0), [])
            rows.add(rank, self.row(1, compute_s), 0.0)
        merged = rows.take(0.0)[0]
        self.assertEqual((merged["tokens"], merged["seconds"], merged["median_compute_s"]), (12, 3.0, 1.4))
        self.assertEqual(merged["slowest"], {"rank": 1, "compute_s": 3.0})
        self.assertAlmostEqual(merged["loss"], 1.8)

    def test_a_loss_that_is_no_number_is_null(self) -> None:
        rows = StepRows(1)
        rows.add(0, {**self.row(1, 1.0), "loss": float("nan")}, 0.0)
        self.assertIsNone(rows.take(0.0)[0]["loss"])

    def test_a_step_waits_two_seconds_for_its_last_rank(self) -> None:
        rows = StepRows(2)
        rows.add(0, self.row(1, 1.0), 10.0)
        self.assertEqual(rows.take(11.9), [])
        self.assertEqual(rows.take(12.1)[0]["world"], 1)
        rows.add(1, self.row(1, 1.0), 12.2)
        self.assertEqual(rows.take(20.0), [])


if __name__ == "__main__":
    unittest.main()
