"""Checkpoints that a rank leaves to its agent: real agents and ranks, killed, with storage that is full or does not answer."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any, Dict, List

from testbed import Api, RunDirectory, until

from ironlaw.agent.saving import Saving
from ironlaw.board import Board
from ironlaw.retention import Retention, next_ordinal, prune
from ironlaw.staging import NoRoom, Staging
from ironlaw.storage import Attempt, choose, fault_of, load, manifest_of, manifests

# Saves at the steps it is given, whatever the agent says, and after the last of them does what it is told.
PROGRAM = """
import hashlib, os, signal, sys, time
import ironlaw
steps, size, after = [int(step) for step in sys.argv[1].split(',')], int(sys.argv[2]), sys.argv[3]
run = ironlaw.attach()
checkpoint = run.resume()
if checkpoint:
    print('resumed', checkpoint.step, hashlib.sha256(checkpoint.shard.read_bytes()).hexdigest(), flush=True)
if after == 'no-room':
    run._side._staging._available = lambda: 0
for step in range(checkpoint.step + 1 if checkpoint else 1, steps[-1] + 2):
    run._begin(step)
    time.sleep(0.005)
    run.step(step, tokens=1)
    if step in steps:
        began = time.monotonic()
        run.save(hashlib.sha256(f'{run.rank} {step}'.encode()).digest() * (size // 32), {'position': step})
        print('saved', step, time.monotonic() - began, flush=True)
        if after == 'die' and step == steps[-1] and not checkpoint:
            marks = [os.path.join(os.environ['IRONLAW_RUN_DIR'], f'saved-{rank}') for rank in range(run.world)]
            open(marks[run.rank], 'w').close()
            while not all(os.path.exists(mark) for mark in marks):
                time.sleep(0.001)
            os.kill(os.getpid(), signal.SIGKILL)
while after == 'stay':
    time.sleep(0.01)
run.complete()
"""


def shard(rank: int, step: int, size: int) -> bytes:
    return hashlib.sha256(f"{rank} {step}".encode()).digest() * (size // 32)


class SavingCase(unittest.TestCase):
    """A run directory with the program above, and an API that takes reports."""

    def setUp(self) -> None:
        self.directory = RunDirectory()
        self.addCleanup(self.directory.close)
        self.api = Api()
        self.addCleanup(self.api.close)
        (self.directory.path / "saves.py").write_text(PROGRAM)


class SavingTest(SavingCase):
    def agent(self, steps: str, size: int, after: str = "end", **names: Any) -> "subprocess.Popen[bytes]":
        return self.directory.agent(str(self.directory.path / "saves.py"), steps, str(size), after, api=self.api, **names)

    def committed(self) -> List[Dict[str, Any]]:
        return [row for row in self.api.all("checkpoints") if row["state"] == "committed"]

    def failures(self) -> List[Dict[str, Any]]:
        return [note["detail"] for note in self.api.all("notes") if note["kind"] == "checkpoint-failed"]

    def obstruct(self, step: int, by: str) -> None:
        """What lies where rank 0 will write its shard of a step."""
        directory = self.directory.path / "attempts" / "0001" / "shards" / f"step-{step:08d}"
        directory.mkdir(parents=True)
        os.symlink(by, directory / ".rank-00000.safetensors.tmp")

    def test_a_rank_that_dies_after_its_save_loses_nothing(self) -> None:
        size = 32_000_000
        self.assertEqual(self.agent("3", size, "die", processes=2).wait(60), 137)
        newest = choose(self.directory.path, None).manifest
        assert newest is not None
        self.assertEqual(newest.stem, "step-00000003")
        for rank in (0, 1):
            self.assertEqual(load(newest, rank).shard.read_bytes(), shard(rank, 3, size))
        self.assertEqual(self.agent("3,4", size, attempt=2, processes=2).wait(60), 0)
        digest = hashlib.sha256(shard(1, 3, size)).hexdigest()
        self.assertIn(f"resumed 3 {digest}", self.directory.log(1, attempt=2))

    def test_a_full_disk_costs_one_checkpoint_and_training_goes_on(self) -> None:
        self.obstruct(3, "/dev/full")
        self.assertEqual(self.agent("3,6", 100_000).wait(60), 0)
        self.assertEqual([row["step"] for row in self.committed()], [6])
        [failure] = self.failures()
        self.assertEqual((failure["step"], failure["rank"]), (3, 0))
        self.assertIn("No space left on device", failure["why"])

    def test_the_last_checkpoint_that_cannot_be_written_fails_the_attempt(self) -> None:
        self.obstruct(3, "/dev/full")
        self.assertEqual(self.agent("3", 100_000).wait(60), 1)
        self.assertIn("of step 3, could not be written", self.directory.log(0))
        self.assertFalse((self.directory.path / "completed.json").exists())

    def test_a_save_waits_while_storage_does_not_answer_and_the_wait_is_its_pause(self) -> None:
        pipe = self.directory.path / "pipe"
        os.mkfifo(pipe)
        self.obstruct(3, str(pipe))
        agent = self.agent("3,6", 100_000)
        until(lambda: len(self.api.all("steps")) >= 6)
        self.assertNotIn("saved 6", self.directory.log(0))
        self.assertEqual(self.committed(), [])
        waited_from = time.monotonic()
        with open(pipe, "rb") as reader:
            waited_s = time.monotonic() - waited_from
            while reader.read(1 << 16):
                pass
        self.assertEqual(agent.wait(60), 0)
        self.assertEqual([failure["step"] for failure in self.failures()], [3], "a pipe cannot be made durable")
        [saved] = self.committed()
        said_s = float(self.directory.log(0).split("saved 6 ")[1].split()[0])
        self.assertGreater(said_s, waited_s)
        self.assertGreaterEqual(saved["pause_s"], said_s * 0.9)

    def test_without_room_in_memory_a_rank_writes_by_itself_and_says_so(self) -> None:
        self.assertEqual(self.agent("3", 100_000, "no-room").wait(60), 0)
        self.assertIn("writes its checkpoint itself, while training waits: 2 MB of host memory are needed, 0 MB", self.directory.log(0))
        newest = choose(self.directory.path, None).manifest
        assert newest is not None
        self.assertEqual(load(newest, 0).shard.read_bytes(), shard(0, 3, 100_000))

    def test_pause_and_writing_are_told_apart(self) -> None:
        self.assertEqual(self.agent("3,4,5", 64_000_000).wait(60), 0)
        first, second, last = self.committed()
        self.assertLess(second["pause_s"], first["write_s"] + second["write_s"])
        self.assertEqual(second["bytes"], 64_000_000)
        self.assertGreater(last["pause_s"], 0)


class StagingTest(unittest.TestCase):
    def staging(self, **names: Any) -> Staging:
        staging = Staging(os.memfd_create("test"), **names)
        self.addCleanup(staging.close)
        return staging

    def test_larger_and_smaller_shards_come_out_as_they_went_in(self) -> None:
        staging = self.staging()
        for size in (5, 3_000_000, 17, 9_000_001, 0, 100):
            content = os.urandom(size)

            def write(file: Any, content: bytes = content) -> None:
                for begin in range(0, len(content), 100_000):
                    file.write(content[begin : begin + 100_000])

            for form in (content, write):
                self.assertEqual(staging.fill(form), size)
                if size:
                    self.assertEqual(staging.content(size)[:], content)

    def test_no_room_is_said_with_figures(self) -> None:
        with self.assertRaisesRegex(NoRoom, "10 MB of host memory are needed, 4 MB are available"):
            self.staging(available=lambda: 4_500_000).fill(bytes(10_000_000))


    def test_a_window_that_is_still_held_does_not_keep_a_buffer_from_growing(self) -> None:
        staging = self.staging()
        staging.fill(b"small")
        held = memoryview(staging._map or b"")
        content = os.urandom(5_000_000)
        self.assertEqual(staging.fill(content), len(content))
        self.assertEqual(staging.content(len(content))[:], content)
        held.release()

    def test_ranks_of_a_node_share_what_is_available(self) -> None:
        board = Board.create(2)
        one = self.staging(claim=lambda size: board.claim(0, size), available=lambda: 20_000_000)
        board.claim(1, 15_000_000)
        with self.assertRaises(NoRoom):
            one.fill(bytes(10_000_000))
        board.claim(1, 0)
        self.assertEqual(one.fill(bytes(10_000_000)), 10_000_000)
        self.assertEqual(board.claim(1, 0), 0, "nothing is claimed once it is taken")


class RetentionTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="ironlaw-test-")
        self.addCleanup(temporary.cleanup)
        self.path = Path(temporary.name)

    def save(self, attempt: Attempt, step: int, retention: Retention, resumed: "Path | None" = None) -> Path:
        shards = [attempt.write_shard(step, 0, f"{step}".encode())]
        details = {"run": "r", "world": 1, "shards": shards, "ordinal": next_ordinal(self.path)}
        path = attempt.commit(manifest_of(attempt, step, details))
        prune(self.path, resumed, retention)
        return path

    def steps(self) -> List[int]:
        for path in manifests(self.path):
            self.assertIsNone(fault_of(path))
        return [int(path.stem.split("-")[1]) for path in manifests(self.path)]

    def attempt(self, number: int) -> Attempt:
        attempt = Attempt(self.path, number)
        attempt.begin()
        return attempt

    def test_the_last_and_every_kth_stay(self) -> None:
        attempt, retention = self.attempt(1), Retention(last=2, every=3)
        for step in range(10, 110, 10):
            self.save(attempt, step, retention)
        self.assertEqual(self.steps(), [100, 90, 60, 30], "the third, sixth and ninth, and the last two")

    def test_the_count_goes_on_in_the_next_attempt_and_what_it_resumed_stays(self) -> None:
        first, retention = self.attempt(1), Retention(last=1, every=4)
        for step in (10, 20, 30):
            resumed = self.save(first, step, retention)
        second = self.attempt(2)
        for step in (40, 50, 60, 70):
            self.save(second, step, retention, self.path / "attempts" / "0001" / "sealed" / resumed.name)
        self.assertEqual(self.steps(), [70, 40, 30])

    def test_what_another_run_begins_with_stays_until_it_has_taken_it(self) -> None:
        attempt, retention = self.attempt(1), Retention(last=1)
        self.save(attempt, 10, retention)
        (self.path / "pins").mkdir()
        (self.path / "pins" / "other.json").write_text(json.dumps({"step": 10}))
        self.save(attempt, 20, retention)
        self.save(attempt, 30, retention)
        self.assertEqual(self.steps(), [30, 10])
        (self.path / "pins" / "other.json").unlink()
        self.save(attempt, 40, retention)
        self.assertEqual(self.steps(), [40])


class Swallowing(threading.Thread):
    """Between a peer and the head: swallows the first shard message, and cuts the link with it."""

    def __init__(self, address: str, port: int) -> None:
        super().__init__(daemon=True)
        self._head, self._server, self.swallowed = (address, port), socket.create_server(("127.0.0.1", 0)), False
        self.port = self._server.getsockname()[1]

    def run(self) -> None:
        while True:
            peer, _ = self._server.accept()
            head = socket.create_connection(self._head)
            threading.Thread(target=self._forward, args=(head, peer, False), daemon=True).start()
            threading.Thread(target=self._forward, args=(peer, head, True), daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket, looks: bool) -> None:
        try:
            for line in source.makefile("rb"):
                if looks and not self.swallowed and json.loads(line).get("kind") == "shard":
                    self.swallowed = True
                    break
                target.sendall(line)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


class LinkThatBreaksTest(SavingCase):
    def test_a_shard_that_is_lost_with_its_link_is_said_again_and_committed(self) -> None:
        program = [str(self.directory.path / "saves.py"), "3,6", "96000", "stay"]
        self.directory.agent(*program, api=self.api, nodes=2, node_index=0)
        found = self.directory.path / "attempts" / "0001" / "head.json"
        until(found.exists)
        rendezvous = json.loads(found.read_text())
        between = Swallowing(rendezvous["address"], rendezvous["port"])
        between.start()
        found.write_text(json.dumps({**rendezvous, "address": "127.0.0.1", "port": between.port}))
        self.directory.agent(*program, api=self.api, nodes=2, node_index=1)
        until(lambda: [row["step"] for row in self.api.all("checkpoints") if row["state"] == "committed"][-1:] == [6], limit_s=40)
        self.assertTrue(between.swallowed)


class SaidAgainTest(unittest.TestCase):
    def test_what_the_head_has_not_answered_is_said_again_over_a_new_link(self) -> None:
        heard: List[Any] = []
        saving = Saving(None, None, None, lambda *_: None, heard.append)  # type: ignore[arg-type]
        for step in (5, 9):
            saving.tell_head({"kind": "saving", "step": step, "rank": 0})
            saving.tell_head({"kind": "shard", "step": step, "rank": 0})
        saving.tell_head({"kind": "saving", "step": 9, "rank": 1})
        heard.clear()
        saving.settle(5)
        saving.tell_again()
        self.assertEqual([(each["kind"], each["step"], each["rank"]) for each in heard], [("saving", 9, 0), ("shard", 9, 0), ("saving", 9, 1)])
        heard.clear()
        saving.settle(9)
        saving.tell_again()
        self.assertEqual(heard, [])


if __name__ == "__main__":
    unittest.main()
