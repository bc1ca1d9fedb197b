"""The spool of an outbox: bounded, and honest about what it lost."""

from __future__ import annotations

import unittest
from typing import Any, Dict

from testbed import Api, RunDirectory, until

from ironlaw.agent import outbox
from ironlaw.environment import Job


def content(step: int) -> Dict[str, Any]:
    return {"beats": [], "exits": [], "steps": [{"step": step, "text": "x" * 1000}], "checkpoints": [{"step": step}], "notes": []}


class OutboxTest(unittest.TestCase):
    def test_a_full_spool_gives_up_the_oldest_steps_and_counts_them(self) -> None:
        directory, api = RunDirectory(), Api()
        self.addCleanup(directory.close)
        self.addCleanup(api.close)
        limit, outbox.SPOOL_BYTES = outbox.SPOOL_BYTES, 6000
        self.addCleanup(setattr, outbox, "SPOOL_BYTES", limit)
        job = Job.read({"IRONLAW_RUN": "r", "IRONLAW_ATTEMPT": "1", "IRONLAW_RUN_DIR": str(directory.path), "IRONLAW_API": api.url})
        api.away = True
        box = outbox.Outbox(job, lambda _: None)
        box.start()
        for step in range(1, 11):
            box.put(content(step))
        spool = directory.path / "attempts" / "0001" / "spool" / "node-0"
        until(lambda: len(list(spool.iterdir())) == 10)
        api.away = False
        box.finish(10)
        self.assertFalse(box.is_alive())
        self.assertEqual([row["step"] for row in api.all("checkpoints")], list(range(1, 11)), "only step rows are given up")
        kept = [row["step"] for row in api.all("steps")]
        self.assertEqual(kept, list(range(11 - len(kept), 11)))
        self.assertGreater(len(kept), 1)
        dropped = [note["detail"]["steps"] for note in api.all("notes") if note["kind"] == "dropped"]
        self.assertEqual(sum(dropped), 10 - len(kept))


if __name__ == "__main__":
    unittest.main()
