"""Reports while the API is away or refuses and the disk is full: bounded, honest about what was lost, and no exit is."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
import unittest
from pathlib import Path
from typing import Any, Dict, List
from unittest import mock

from testbed import Api, RunDirectory, until

from ironlaw.agent import api as client
from ironlaw.agent import outbox, spool
from ironlaw.environment import Job


def content(step: int, **changes: Any) -> Dict[str, Any]:
    report = {"beats": [], "exits": [], "steps": [{"step": step, "text": "x" * 1000}], "checkpoints": [{"step": step}], "notes": []}
    return {**report, **changes}


def gone(rank: int) -> Dict[str, Any]:
    return {"node": "n", "index": 0, "rank": rank, "code": 1, "signal": None, "at": 1.0, "tail": "x", "killed": False}


class OutboxTest(unittest.TestCase):
    def setUp(self) -> None:
        self.directory, self.api = RunDirectory(), Api()
        self.addCleanup(self.directory.close)
        self.addCleanup(self.api.close)
        self.spool = self.directory.path / "attempts" / "0001" / "spool" / "node-0"

    def patch(self, module: Any, name: str, value: Any) -> None:
        patcher = mock.patch.object(module, name, value)
        patcher.start()
        self.addCleanup(patcher.stop)

    def start(self) -> outbox.Outbox:
        names = {"IRONLAW_RUN": "r", "IRONLAW_ATTEMPT": "1", "IRONLAW_RUN_DIR": str(self.directory.path), "IRONLAW_API": self.api.url}
        box = outbox.Outbox(Job.read(names), lambda _: None)
        box.start()
        return box

    def finish(self, box: outbox.Outbox) -> None:
        box.finish(60)
        self.assertFalse(box.is_alive(), "everything was delivered")
        sequences = [report["sequence"] for report in self.api.reports]
        self.assertEqual(sequences, sorted(set(sequences)), "the API drops what does not rise")

    def files(self) -> List[Path]:
        return sorted(self.spool.glob("*.json")) if self.spool.exists() else []

    def dropped(self, part: str = "steps") -> int:
        return sum(note["detail"].get(part, 0) for note in self.api.all("notes") if note["kind"] == "dropped")

    def test_a_full_spool_gives_up_the_oldest_steps_and_counts_them(self) -> None:
        self.patch(spool, "SPOOL_BYTES", 6000)
        self.api.away = True
        box = self.start()
        for step in range(1, 11):
            box.put(content(step))
        until(lambda: len(self.files()) == 10)
        self.api.away = False
        self.finish(box)
        self.assertEqual([row["step"] for row in self.api.all("checkpoints")], list(range(1, 11)), "only step rows are given up")
        kept = [row["step"] for row in self.api.all("steps")]
        self.assertEqual(kept[-1], 10)
        self.assertGreater(len(kept), 1)
        self.assertEqual(self.dropped(), 10 - len(kept))

    def test_exits_overtake_what_waits(self) -> None:
        self.api.away = True
        box = self.start()
        for step in range(1, 21):
            box.put(content(step))
        box.put(content(21, exits=[gone(3)]))
        until(lambda: len(self.files()) == 21)
        self.api.away = False
        self.finish(box)
        self.assertIn([gone(3)], [report["exits"] for report in self.api.reports[:2]], "behind one report that may have arrived before")
        self.assertEqual(len(self.api.all("exits")), 1)
        self.assertEqual([row["step"] for row in self.api.all("steps")], list(range(1, 22)))
        self.assertEqual(self.files(), [])

    def test_a_report_that_is_refused_is_taken_apart_and_its_exits_arrive(self) -> None:
        self.api.judge = lambda report: 400 if report["notes"] or any("killed" in row for row in report["exits"]) else 200
        box = self.start()
        box.put(content(1, exits=[gone(3)], notes=[{"kind": "of-a-newer-release", "at": 1.0, "detail": {}}]))
        box.put(content(2))
        self.finish(box)
        least = {name: value for name, value in gone(3).items() if name != "killed"}
        self.assertEqual(self.api.all("exits"), [{**least, "tail": ""}])
        self.assertEqual(self.api.reports[0]["exits"], self.api.all("exits"), "first")
        self.assertEqual([row["step"] for row in self.api.all("steps")], [1, 2])
        self.assertEqual(len(list(self.spool.glob("refused-*"))), 2, "the report and its note, for a person to look at")

    def test_spool_files_that_vanish_take_no_exit_along(self) -> None:
        self.api.away = True
        box = self.start()
        for step in (1, 2, 3):
            box.put(content(step, exits=[gone(step)]))
        until(lambda: len(self.files()) == 3)
        shutil.rmtree(self.spool)
        self.api.away = False
        self.finish(box)
        self.assertEqual(sorted(row["rank"] for row in self.api.all("exits")), [1, 2, 3])
        self.assertGreaterEqual(self.dropped("reports"), 1)

    def test_the_time_that_the_api_names_is_waited_for(self) -> None:
        for status in (429, 503):
            self.api.judge, self.api.retry_after = (lambda _, status=status: status), "2"
            began, box = time.monotonic(), self.start()
            box.put(content(1, exits=[gone(1)]))
            until(lambda: self.api.refused)
            self.api.judge = lambda _: 200
            self.finish(box)
            self.assertGreaterEqual(time.monotonic() - began, 2.0)
            self.assertEqual(len(self.api.refused), 1, "asked once, as told")
            self.api.refused.clear()
            self.api.reports.clear()

    def test_waits_grow_and_differ(self) -> None:
        waits = [[client.backoff_s(failures) for _ in range(50)] for failures in (1, 2, 3, 100)]
        for most, drawn in zip((1.0, 2.0, 4.0, client.RETRY_LIMIT_S), waits):
            self.assertTrue(all(most / 2 <= wait <= most for wait in drawn), (most, drawn))
            self.assertGreater(len(set(drawn)), 10)

    def test_patience_grows_when_answers_are_late_and_a_late_request_is_not_doubled(self) -> None:
        self.patch(client, "TIMEOUT_S", 0.2)
        arrived: List[int] = []

        def late(report: Dict[str, Any]) -> int:
            arrived.append(report["sequence"])
            time.sleep(0.5)
            return 200

        self.api.judge = late
        box = self.start()
        box.put(content(1))
        box.finish(20)
        self.assertFalse(box.is_alive())
        self.assertLessEqual(len(arrived), 3, "0.2 s, 0.4 s, 0.8 s")
        self.assertGreater(box._api.timeout_s, 0.5)

    @unittest.skipUnless(os.geteuid() == 0, "mounting a small file system needs root")
    def test_a_full_disk_ends_nothing_and_loses_no_exit(self) -> None:
        place = self.directory.path / "attempts"
        place.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "ironlaw-test", str(place)], check=True)
        self.addCleanup(subprocess.run, ["umount", str(place)], check=True)
        with self.assertRaises(OSError), open(place / "filler", "wb", buffering=0) as filler:
            while True:
                filler.write(b"x" * 4096)
        self.patch(spool, "DISK_RETRY_S", 0.1)
        self.patch(spool, "LIMITS", {**spool.LIMITS, "steps": 50})
        self.api.away = True
        box = self.start()
        for step in range(1, 201):
            box.put(content(step, exits=[gone(step)] if step % 20 == 0 else [], checkpoints=[]))
        until(lambda: not box._incoming)
        self.assertTrue(box.is_alive())
        self.assertEqual(self.files(), [], "nothing half written is left for the control plane to find")
        self.api.away = False
        until(lambda: len(self.api.all("exits")) == 10)
        self.assertEqual([row["rank"] for row in self.api.all("exits")], list(range(20, 201, 20)))
        until(lambda: self.api.all("steps"))
        (place / "filler").unlink()
        box.put(content(201))
        self.finish(box)
        self.assertEqual(len(self.api.all("steps")) + self.dropped(), 201, "what was given up is counted")

    @unittest.skipUnless(os.geteuid() == 0, "mounting a small file system needs root")
    def test_what_a_full_disk_held_in_memory_goes_to_disk_when_there_is_room(self) -> None:
        place = self.directory.path / "attempts"
        place.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "ironlaw-test", str(place)], check=True)
        self.addCleanup(subprocess.run, ["umount", str(place)], check=True)
        with self.assertRaises(OSError), open(place / "filler", "wb", buffering=0) as filler:
            while True:
                filler.write(b"x" * 4096)
        self.patch(spool, "DISK_RETRY_S", 0.1)
        self.api.away = True
        box = self.start()
        box.put(content(1, exits=[gone(1)]))
        until(lambda: len(box._spool) == 1)
        (place / "filler").unlink()
        box.finish(0.1)
        until(lambda: len(self.files()) >= 1)
        self.api.away = False
        box.join(20)
        self.assertEqual([row["rank"] for row in self.api.all("exits")], [1])

    def test_memory_is_bounded_while_the_thread_is_held_up(self) -> None:
        names = {"IRONLAW_RUN": "r", "IRONLAW_ATTEMPT": "1", "IRONLAW_RUN_DIR": str(self.directory.path), "IRONLAW_API": self.api.url}
        box = outbox.Outbox(Job.read(names), lambda _: None)  # not started: as storage that hangs holds it up
        self.patch(spool, "LIMITS", {**spool.LIMITS, "steps": 100})
        self.patch(outbox, "INCOMING", 8)
        for step in range(1, 1001):
            box.put(content(step, exits=[gone(step)] if step == 3 else []))
        self.assertEqual(len(box._incoming), outbox.INCOMING)
        box.start()
        self.finish(box)
        self.assertEqual([row["rank"] for row in self.api.all("exits")], [3])
        self.assertEqual(len(self.api.all("steps")) + self.dropped(), 1000)


if __name__ == "__main__":
    unittest.main()
