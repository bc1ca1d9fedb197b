"""Copies of shards on a node's own disk: read instead of shared storage after a restart in place, never trusted without their checksum."""

from __future__ import annotations

import hashlib
import unittest
from pathlib import Path
from typing import Any, List

from test_saving import SavingCase, shard
from testbed import until

from ironlaw.agent.local_copies import LocalCopies
from ironlaw.environment import Job

SIZE = 96_000


class LocalCopiesTest(SavingCase):
    def setUp(self) -> None:
        super().setUp()
        self.disks = [self.directory.path / "disk-0", self.directory.path / "disk-1"]

    def attempt(self, number: int, steps: str, after: str, nodes: int = 2) -> List[int]:
        """Each node with a disk of its own, one rank a node."""
        program = [str(self.directory.path / "saves.py"), steps, str(SIZE), after]
        agents = [self.agent(program, number, nodes=nodes, node_index=index, local_dir=self.disks[index]) for index in range(nodes)]
        return [agent.wait(60) for agent in agents]

    def agent(self, program: List[str], number: int, **names: Any) -> Any:
        return self.directory.agent(*program, attempt=number, api=self.api, **names)

    def shards(self, where: Path, step: int) -> List[Path]:
        return sorted(where.glob(f"**/shards/step-{step:08d}/rank-*"))

    def resumed(self, rank: int, step: int, attempt: int = 2) -> None:
        digest = hashlib.sha256(shard(rank, step, SIZE)).hexdigest()
        self.assertIn(f"resumed {step} {digest}", self.directory.log(rank, attempt))

    def die_after_saving(self) -> None:
        self.assertEqual(self.attempt(1, "3,6", "die"), [137, 137])
        self.assertEqual([len(self.shards(disk, 6)) for disk in self.disks], [1, 1])

    def spoil(self, paths: List[Path]) -> None:
        self.assertTrue(paths)
        for path in paths:
            path.write_bytes(path.read_bytes()[:-1] + b"?")

    def test_a_commit_removes_older_copies(self) -> None:
        program = [str(self.directory.path / "saves.py"), "3,6", str(SIZE), "stay"]
        agent = self.agent(program, 1, nodes=1, node_index=0, local_dir=self.disks[0])
        try:
            until(lambda: self.shards(self.disks[0], 6) and not self.shards(self.disks[0], 3))
        finally:
            agent.kill()
            agent.wait(10)

    def test_a_restart_in_place_does_not_read_shared_storage(self) -> None:
        self.die_after_saving()
        self.spoil(self.shards(self.directory.path / "attempts", 6))
        self.assertEqual(self.attempt(2, "3,6,7", "end"), [0, 0])
        for rank in (0, 1):
            self.resumed(rank, 6)
        self.assertEqual([disk.exists() and any(disk.iterdir()) for disk in self.disks], [False, False], "removed at the end")

    def test_a_copy_that_does_not_match_gives_way_to_shared_storage(self) -> None:
        self.die_after_saving()
        self.spoil(self.shards(self.disks[1], 6))
        self.assertEqual(self.attempt(2, "3,6,7", "end"), [0, 0])
        for rank in (0, 1):
            self.resumed(rank, 6)

    def test_where_both_are_bad_all_nodes_go_back_to_the_checkpoint_before(self) -> None:
        self.die_after_saving()
        self.spoil(self.shards(self.disks[1], 6))
        self.spoil(self.shards(self.directory.path / "attempts", 6)[1:])
        self.assertEqual(self.attempt(2, "3,6,7", "end"), [0, 0])
        for rank in (0, 1):
            self.resumed(rank, 3)
        corrupt = [row["step"] for row in self.api.all("checkpoints") if row["state"] == "corrupt"]
        self.assertEqual(corrupt, [6])

    def test_another_number_of_ranks_reads_shared_storage(self) -> None:
        self.die_after_saving()
        self.assertEqual(self.attempt(2, "3,6,7", "end", nodes=1), [0])
        self.resumed(0, 6)

    def test_a_disk_that_takes_nothing_costs_nothing_but_the_copy(self) -> None:
        self.disks[0].write_text("no directory")
        self.assertEqual(self.attempt(1, "3", "end", nodes=1), [0])
        self.assertEqual(len(self.shards(self.directory.path / "attempts", 3)), 1)

    def test_a_checkpoint_that_was_rejected_lends_no_shard_to_the_one_that_is_used(self) -> None:
        self.die_after_saving()
        for path in self.shards(self.disks[0], 3):
            path.unlink()  # those that the agent had no time to remove
        copies = LocalCopies(self.job(local=self.disks[0]))
        newest, older = sorted(self.directory.path.glob("attempts/0001/*/step-*.json"), reverse=True)
        self.assertEqual(copies.fault_of(older), "")
        # As if the thread that reads the newest one ended only now, after another node had found a fault in it.
        self.assertEqual(copies.fault_of(newest), "")
        self.assertIsNone(copies.of(0, str(older.relative_to(self.directory.path))))
        self.assertIsNotNone(copies.of(0, str(newest.relative_to(self.directory.path))))
        self.assertIsNone(copies.of(0, None))

    def test_a_disk_that_fails_is_none(self) -> None:
        self.die_after_saving()
        copies = LocalCopies(self.job(local=self.directory.path / ("x" * 300)))
        newest = max(self.directory.path.glob("attempts/0001/*/step-*.json"))
        self.assertEqual(copies.fault_of(newest), "")
        self.assertIsNone(copies.of(0, str(newest.relative_to(self.directory.path))))
        copies.forget_before(2, 9)

    def job(self, local: Path) -> Job:
        names = {"IRONLAW_RUN": "run", "IRONLAW_RUN_DIR": str(self.directory.path), "IRONLAW_NODES": "2", "IRONLAW_LOCAL_DIR": str(local)}
        found = next(disk for disk in self.disks[0].iterdir()).name if self.disks[0].is_dir() else "run"
        return Job.read({**names, "IRONLAW_RUN": found})


if __name__ == "__main__":
    unittest.main()
