"""The measuring program as a run under an agent, and the windows it measures with."""

from __future__ import annotations

import json
import time
import unittest

from test_run import has_torch
from testbed import PACKAGE, Api, RunDirectory

from ironlaw.measure.timing import Effort, cycled, timed, timed_together

MEASURE = PACKAGE / "ironlaw" / "measure" / "__main__.py"
MARK = "ironlaw-measured "


class TimingTest(unittest.TestCase):
    def test_a_window_is_as_long_as_it_is_asked_to_be(self) -> None:
        began = time.perf_counter()
        found = timed(lambda: time.sleep(0.001), Effort(windows=4, window_s=0.02), lambda: None)
        taken = time.perf_counter() - began
        self.assertEqual(len(found), 4)
        self.assertTrue(all(each >= 0.001 for each in found), found)
        self.assertGreaterEqual(taken, 4 * 0.02)

    def test_ranks_that_work_together_call_equally_often(self) -> None:
        calls = []
        timed_together(lambda: calls.append(1), Effort(windows=3, window_s=0.01), lambda _: 0.001, lambda: None)
        self.assertEqual(len(calls), 2 + 3 * 10)

    def test_inputs_come_in_turn_and_fill_more_than_a_cache(self) -> None:
        numbers = iter(range(100))
        following = cycled(lambda: next(numbers), size_bytes=4_000_000)
        self.assertEqual(len({following() for _ in range(50)}), 8)


@unittest.skipUnless(has_torch(), "PyTorch is not installed")
class PairsTest(unittest.TestCase):
    def test_every_node_exchanges_with_two_neighbours_and_with_one_at_a_time(self) -> None:
        from ironlaw.measure.check import pairs

        for nodes in range(3, 40):
            rounds = pairs(nodes)
            for together in rounds:
                busy = [node for pair in together for node in pair]
                self.assertEqual(len(busy), len(set(busy)))
            links = [frozenset(pair) for together in rounds for pair in together]
            self.assertEqual(len(links), len(set(links)))
            self.assertEqual([sum(node in link for link in links) for node in range(nodes)], [2] * nodes)
        self.assertEqual((pairs(1), pairs(2)), ([], [[(0, 1)]]))


@unittest.skipUnless(has_torch(), "PyTorch is not installed")
class MeasureTest(unittest.TestCase):
    def test_a_run_of_two_ranks_measures_one_and_two_and_completes(self) -> None:
        directory, api = RunDirectory(), Api()
        self.addCleanup(directory.close)
        self.addCleanup(api.close)
        agent = directory.agent(str(MEASURE), "--quick", "--windows", "2", "--window-ms", "2", api=api, processes=2)
        self.assertEqual(agent.wait(120), 0)
        log = (directory.path / "attempts" / "0001" / "logs" / "rank-00000.log").read_text()
        rows = [json.loads(line[len(MARK) :]) for line in log.splitlines() if line.startswith(MARK)]
        kinds = {(row["measured"], row.get("ranks")) for row in rows}
        for kind in ("product", "attention", "layer", "launch", "copy", "staging", "optimizer", "storage"):
            self.assertLessEqual({(kind, 1), (kind, 2)}, kinds)
        self.assertIn(("collective", 2), kinds)
        self.assertEqual(rows[-1], {"measured": "end", "rows": len(rows) - 2})
        shared = [row for row in rows if row.get("ranks") == 2 and row["measured"] == "copy"]
        self.assertEqual([len(samples) for row in shared for samples in row["seconds"].values()], [4])
        self.assertEqual(max(row["step"] for row in api.all("steps")), len(rows) - 2)
        self.assertTrue((directory.path / "completed.json").exists())


if __name__ == "__main__":
    unittest.main()
