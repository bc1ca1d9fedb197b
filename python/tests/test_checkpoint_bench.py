"""A small turn of the bench: the pause of a save is below that of writing on the training thread."""

from __future__ import annotations

import json
import statistics
import unittest

from checkpoint_bench import MEASURED, PAUSES, run_bench
from test_run import has_torch


@unittest.skipUnless(has_torch(), "PyTorch is not installed")
class BenchTest(unittest.TestCase):
    def test_training_waits_for_less_than_the_write(self) -> None:
        lines = run_bench(5, [32_000_000]).splitlines()
        [row] = [json.loads(line[len(PAUSES) :]) for line in lines if line.startswith(PAUSES)]
        self.assertLess(statistics.median(row["save_s"]), statistics.median(row["write_here_s"]))
        staged = [json.loads(line[len(MEASURED) :]) for line in lines if line.startswith(MEASURED)]
        self.assertEqual({each["measured"] for each in staged}, {"staging"})
        self.assertGreaterEqual(len(staged), 3)


if __name__ == "__main__":
    unittest.main()
