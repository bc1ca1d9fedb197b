"""The run directory: claim, fence, choice of the checkpoint to resume from."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict

from testbed import PACKAGE

from ironlaw.retention import prune
from ironlaw.storage import Attempt, Fenced, Taken, adopt, choose, fault_of, load, manifest_of, manifests


def saved(attempt: Attempt, step: int, world: int = 2) -> Path:
    shards = [{**attempt.write_shard(step, rank, f"{step}/{rank}".encode() * 100), "extra": {"position": step}} for rank in range(world)]
    return attempt.commit(manifest_of(attempt, step, {"run": "r", "world": world, "shards": shards}))


class StorageTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="ironlaw-test-")
        self.addCleanup(temporary.cleanup)
        self.path = Path(temporary.name)

    def attempt(self, number: int) -> Attempt:
        attempt = Attempt(self.path, number)
        attempt.begin()
        return attempt

    def test_one_of_many_jobs_gets_the_claim(self) -> None:
        script = "import sys, pathlib, ironlaw.storage as s; s.Attempt(pathlib.Path(sys.argv[1]), 1).claim(sys.argv[2])"
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}

        def job(owner: int) -> int:
            command = [sys.executable, "-c", script, str(self.path), f"job-{owner}"]
            return subprocess.run(command, env=environment, capture_output=True, check=False).returncode

        with ThreadPoolExecutor(8) as pool:
            codes = list(pool.map(job, range(8)))
        self.assertEqual(codes.count(0), 1)

    def test_the_owner_may_claim_again(self) -> None:
        attempt = Attempt(self.path, 1)
        attempt.claim("job-1")
        attempt.claim("job-1")
        with self.assertRaises(Taken):
            attempt.claim("job-2")

    def test_a_stale_commit_is_refused_and_leaves_nothing(self) -> None:
        stale = self.attempt(1)
        kept = saved(stale, 10)
        new = self.attempt(2)
        with self.assertRaises(Fenced):
            saved(stale, 20)
        with self.assertRaises(Fenced):
            stale.complete({})
        self.assertEqual([path.name for path in manifests(self.path)], [kept.name])
        saved(new, 30)
        self.assertFalse((self.path / "completed.json").exists())

    def test_a_completion_that_is_overtaken_while_it_is_written_is_refused(self) -> None:
        stale = self.attempt(1)
        case = self

        class Overtaken(Dict[str, int]):
            def items(self) -> Any:
                case.attempt(2)
                return super().items()

        with self.assertRaises(Fenced):
            stale.complete({"step": 9, "details": Overtaken(loss=1)})
        self.assertFalse((self.path / "completed.json").exists())

    def test_a_completion_that_was_committed_and_not_shown_is_shown_by_the_next_attempt(self) -> None:
        first = self.attempt(1)
        first.complete({"step": 9})
        (self.path / "completed.json").unlink()
        self.attempt(2)
        self.assertEqual(json.loads((self.path / "completed.json").read_text()), {"attempt": 1, "step": 9})

    def test_a_run_begins_with_the_checkpoint_of_another_which_stays_as_it_is(self) -> None:
        source = self.path / "source"
        first = Attempt(source, 1)
        first.begin()
        saved(first, 10)
        saved(first, 20)
        before = sorted(str(path) for path in source.rglob("*"))
        run = self.path / "run"
        attempt = Attempt(run, 1)
        attempt.begin()
        adopt(attempt, source, 10)
        chosen = choose(run, None).manifest
        assert chosen is not None
        checkpoint = load(chosen, 1)
        self.assertEqual((checkpoint.step, checkpoint.attempt, checkpoint.shard.read_bytes()), (10, 1, b"10/1" * 100))
        adopt(attempt, source, 20)
        self.assertEqual([path.name for path in manifests(run)], [chosen.name], "taken over once")
        shutil.rmtree(run)
        self.assertEqual(sorted(str(path) for path in source.rglob("*")), before)
        with self.assertRaises(FileNotFoundError):
            other = Attempt(self.path / "other", 1)
            other.begin()
            adopt(other, source, 30)

    def test_a_checkpoint_of_another_run_that_is_corrupt_is_passed_over(self) -> None:
        first = Attempt(self.path / "source", 1)
        first.begin()
        load(saved(first, 10), 1).shard.write_bytes(b"x")
        attempt = Attempt(self.path / "run", 1)
        attempt.begin()
        adopt(attempt, self.path / "source", 10)
        choice = choose(self.path / "run", None)
        self.assertEqual((choice.manifest, len(choice.corrupt)), (None, 1))

    def test_an_earlier_attempt_cannot_begin_after_a_later_one(self) -> None:
        Attempt(self.path, 1).claim("late")
        self.attempt(3)
        for unseen in (1, 2):
            with self.assertRaises(Fenced):
                self.attempt(unseen)

    def test_a_corrupt_shard_falls_back(self) -> None:
        attempt = self.attempt(1)
        good, bad, short = saved(attempt, 10), saved(attempt, 20), saved(attempt, 30)
        shard = load(bad, 1).shard
        content = bytearray(shard.read_bytes())
        content[7] ^= 1
        shard.write_bytes(content)
        load(short, 0).shard.unlink()
        self.attempt(2)
        choice = choose(self.path, None)
        assert choice.manifest is not None
        self.assertEqual(choice.manifest.name, good.name)
        faults = ["rank-00000.safetensors is missing", "rank-00001.safetensors does not match its checksum"]
        self.assertEqual([fault for _, fault in choice.corrupt], faults)
        self.assertEqual(load(choice.manifest, 1).extra, {"position": 10})

    def test_a_roll_back_voids_the_steps_it_left(self) -> None:
        first = self.attempt(1)
        for step in (10, 20, 30):
            saved(first, step)
        second = self.attempt(2)
        choice = choose(self.path, 20)
        assert choice.manifest is not None
        self.assertEqual(choice.manifest.stem, "step-00000010")
        saved(second, 15)
        self.attempt(3)
        newest = choose(self.path, None).manifest
        assert newest is not None
        self.assertEqual(newest.stem, "step-00000015")

    def test_two_and_the_one_resumed_from_are_kept(self) -> None:
        attempt = self.attempt(1)
        paths = [saved(attempt, step) for step in (10, 20, 30, 40)]
        attempt.write_shard(35, 0, b"of a checkpoint that was never committed")
        attempt.write_shard(50, 0, b"of one that may still be")
        prune(self.path, paths[0])
        self.assertEqual([path.stem[-2:] for path in manifests(self.path)], ["40", "30", "10"])
        self.assertEqual(sorted(entry.name[-2:] for entry in (attempt.path / "shards").iterdir()), ["10", "30", "40", "50"])

    def test_a_kill_at_any_moment_never_leaves_a_bad_checkpoint(self) -> None:
        """Writers are killed with SIGKILL at random moments; what is committed verifies. Kills at chosen calls: test_checkpoint_histories.py."""
        script = Path(__file__).with_name("endless_checkpoints.py")
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONDONTWRITEBYTECODE": "1"}
        chance = random.Random(5)
        committed = 0
        for number in range(1, 7):
            process = subprocess.Popen([sys.executable, str(script), str(self.path), str(number)], env=environment, stdout=subprocess.PIPE)
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(chance.uniform(0, 0.12))
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdout.close()
            found = list(manifests(self.path))
            committed = max(committed, len(found))
            for path in found:
                self.assertIsNone(fault_of(path), path)
                self.assertEqual(len(json.loads(path.read_text())["shards"]), 3)
        self.assertGreater(committed, 0)


if __name__ == "__main__":
    unittest.main()
