"""The head alone, with the messages that agents send it."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from typing import List

from ironlaw.agent import head as heads
from ironlaw.environment import Job
from ironlaw.storage import Attempt, Json
from testbed import until


def part(index: int) -> Json:
    return {"kind": "part", "beat": {"node": f"n{index}", "index": index, "age_s": 0.0, "ranks": [{"rank": index}]}, "rows": [], "exits": [], "notes": []}


class HeadTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        limit = heads.PART_LIMIT_S
        self.addCleanup(lambda: setattr(heads, "PART_LIMIT_S", limit))
        heads.PART_LIMIT_S = 0.1
        directory = Path(folder.name)
        job = Job("r", 1, directory, None, 2, 1, 0, "n0", "job", None, 600.0, None)
        self.sent: List[Json] = []
        self.head = heads.Head(job, Attempt(directory, 1), self.sent.append, lambda *_: None)

    def leave_shards(self) -> None:
        for index in (0, 1):
            self.head.receive(index, part(index))
            self.head.receive(index, {"kind": "saving", "step": 5, "rank": index})

    def test_a_checkpoint_is_awaited_while_whoever_holds_a_shard_speaks(self) -> None:
        self.leave_shards()
        self.assertTrue(self.head.is_committing())

    def test_nobody_waits_for_the_shard_of_a_node_that_lost_its_power(self) -> None:
        self.leave_shards()
        until(lambda: self.head.receive(0, part(0)) or not self.head.is_committing())

    def test_nor_for_that_of_an_agent_which_said_goodbye_without_it(self) -> None:
        self.leave_shards()
        self.head.receive(1, {"kind": "done", "code": 1})
        self.assertFalse(self.head.is_committing())


if __name__ == "__main__":
    unittest.main()
