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
        self.attempt = Attempt(directory, 1)
        self.attempt.claim("job")
        self.attempt.begin()
        self.head = heads.Head(job, self.attempt, self.sent.append, lambda work, then: then(work()))

    def leave_shards(self) -> None:
        for index in (0, 1):
            self.head.receive(index, part(index))
            self.head.receive(index, {"kind": "saving", "step": 5, "rank": index})

    def shards(self, step: int) -> List[Json]:
        return [
            {"kind": "shard", "step": step, "rank": rank, **self.attempt.write_shard(step, rank, b"x"), "extra": {}, "tokens": 1, "seconds": 0.0, "write_s": 0.0, "waits": False}
            for rank in (0, 1)
        ]

    def committed(self) -> List[int]:
        return [message["step"] for message in self.sent if message["kind"] == "committed"]

    def test_what_is_said_again_over_a_new_link_is_committed_once(self) -> None:
        self.head.begin()
        for _ in range(2):
            for message in self.shards(5):
                self.head.receive(message["rank"], {"kind": "saving", "step": 5, "rank": message["rank"]})
                self.head.receive(message["rank"], message)
        self.assertEqual(self.committed(), [5])
        self.assertFalse(self.head.is_committing())

    def test_an_agent_that_comes_back_learns_what_it_missed(self) -> None:
        self.head.begin()
        self.assertEqual([message["kind"] for message in self.head.greet(1)], ["resume"])
        for message in self.shards(5):
            self.head.receive(message["rank"], message)
        self.head.receive(1, {"kind": "unsaved", "step": 7, "rank": 1, "why": "full"})
        self.assertEqual(self.head.greet(1)[1:], [{"kind": "committed", "step": 5}, {"kind": "unsaved", "step": 7}])

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
