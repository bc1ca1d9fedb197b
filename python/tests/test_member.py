"""An agent in an allocation: one attempt after another in place, as ordered, and an end when it is ordered to leave."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import unittest
from typing import Any, Dict, List, Optional

from test_run import has_torch
from testbed import PACKAGE, Api, RunDirectory, until

FOREVER = "import time, sys; open(sys.argv[1] + '/started-' + __import__('os').environ['IRONLAW_ATTEMPT'], 'w').close(); time.sleep(600)"


SAVES = """
import os, sys, time
import ironlaw
run = ironlaw.attach()
checkpoint = run.resume()
mark = '/started-' + os.environ['IRONLAW_ATTEMPT']
if checkpoint is None:
    run._begin(5)
    run.save(bytes(range(256)) * 250_000)
else:
    same = checkpoint.step == 5 and checkpoint.shard.read_bytes() == bytes(range(256)) * 250_000
    mark = mark if same else '/wrong'
open(sys.argv[1] + mark, 'w').close()
time.sleep(600)
"""


class OrderingApi(Api):
    """Answers announcements with what the test has set."""

    def __init__(self) -> None:
        super().__init__()
        self.announcements: List[Dict[str, Any]] = []
        self.attempt: Optional[int] = None
        self.leave = False
        self.check = False

    def handle(self, path: str, body: bytes) -> "tuple[int, Dict[str, Any]]":
        if not path.endswith("/agents"):
            return super().handle(path, body)
        announcement = json.loads(body)
        self.announcements.append(announcement)
        order = None
        if self.attempt is not None:
            order = {
                "attempt": self.attempt,
                "nodes": 1,
                "index": 0,
                "head": announcement["incarnation"],
                "checkpoint_every_s": 600,
                "resume_before": None,
                **({"check": True} if self.check else {}),
            }
        return 200, {"order": order, "leave": self.leave, "poll_s": 0.05}


class Bed(unittest.TestCase):
    PROGRAM = FOREVER

    def setUp(self) -> None:
        self.api, self.run_directory = OrderingApi(), RunDirectory()
        self.addCleanup(self.api.close)
        self.addCleanup(self.run_directory.close)
        program = self.run_directory.path / "forever.py"
        program.write_text(self.PROGRAM)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("IRONLAW_", "SLURM"))}
        environment.update(
            PYTHONPATH=str(PACKAGE),
            IRONLAW_RUN="run-1",
            IRONLAW_ALLOCATION="3",
            IRONLAW_NODE_INDEX="2",
            IRONLAW_NODE="n3",
            IRONLAW_RUN_DIR=str(self.run_directory.path),
            IRONLAW_API=self.api.url,
        )
        command = [sys.executable, "-m", "ironlaw.agent", "--", str(program), str(self.run_directory.path)]
        self.agent = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        self.addCleanup(self.agent.wait)
        self.addCleanup(self.agent.kill)

    def has_started(self, attempt: int) -> bool:
        return (self.run_directory.path / f"started-{attempt}").exists()


class MemberTest(Bed):
    def test_announces_its_place_until_it_is_ordered(self) -> None:
        until(lambda: len(self.api.announcements) > 3)
        first, last = self.api.announcements[0], self.api.announcements[-1]
        self.assertEqual((first["allocation"], first["index"], first["node"]), (3, 2, "n3"))
        self.assertEqual(first["incarnation"], last["incarnation"])
        self.assertFalse(self.has_started(1))

    def test_a_later_order_ends_the_ranks_and_starts_the_next_attempt_in_place(self) -> None:
        self.api.attempt = 1
        until(lambda: self.has_started(1))
        self.api.attempt = 2
        began = time.monotonic()
        until(lambda: self.has_started(2))
        self.assertLess(time.monotonic() - began, 10)
        self.assertTrue((self.run_directory.path / "attempts" / "0001" / "sealed").is_dir())
        self.assertIsNone(self.agent.poll())

    def test_ranks_that_end_are_reported_and_the_agent_waits_for_the_next_order(self) -> None:
        self.api.attempt = 1
        until(lambda: self.has_started(1))
        pid = int(subprocess.check_output(["pgrep", "-P", str(self.agent.pid)]).split()[0])
        os.kill(pid, signal.SIGKILL)
        until(lambda: any(row["signal"] == signal.SIGKILL for row in self.api.all("exits")))
        count = len(self.api.announcements)
        until(lambda: len(self.api.announcements) > count + 3)
        self.assertEqual(self.api.announcements[0]["ended_attempt"], 0)
        self.assertEqual(self.api.announcements[-1]["ended_attempt"], 1)
        self.assertIsNone(self.agent.poll())

    def test_leaves_when_told_to(self) -> None:
        until(lambda: len(self.api.announcements) > 0)
        self.api.leave = True
        self.assertEqual(self.agent.wait(20), 0)

    def test_leaves_on_a_signal_while_it_waits(self) -> None:
        until(lambda: len(self.api.announcements) > 0)
        self.agent.send_signal(signal.SIGTERM)
        self.assertEqual(self.agent.wait(20), 0)


@unittest.skipUnless(has_torch(), "PyTorch is not installed")
class CheckMemberTest(Bed):
    def test_measures_its_node_instead_of_running_the_program_and_runs_it_when_ordered_to(self) -> None:
        self.api.check, self.api.attempt = True, 1
        until(lambda: any(note["kind"] == "reading" for note in self.api.all("notes")), limit_s=60)
        [reading] = [note["detail"] for note in self.api.all("notes") if note["kind"] == "reading"]
        self.assertEqual(reading["rank"], 0)
        self.assertGreater(reading["product_flops"], 1e6)
        self.assertGreater(reading["memory_bytes_per_s"], 1e6)
        self.assertNotIn("link_bytes_per_s", reading)
        until(lambda: self.api.announcements[-1]["ended_attempt"] == 1)
        self.assertFalse(self.has_started(1))
        self.api.check, self.api.attempt = False, 2
        until(lambda: self.has_started(2))


class SavingMemberTest(Bed):
    PROGRAM = SAVES

    def test_what_was_saved_a_moment_before_a_later_order_is_committed_first_and_resumed(self) -> None:
        self.api.attempt = 1
        until(lambda: self.has_started(1))
        self.api.attempt = 2
        until(lambda: self.has_started(2))
        self.assertFalse((self.run_directory.path / "wrong").exists())


if __name__ == "__main__":
    unittest.main()
