"""Agents as real processes with ranks that are really killed, and a real HTTP server in place of the API."""

from __future__ import annotations

import json
import os
import signal
import time
import unittest
from pathlib import Path
from typing import Any, Dict, List

from testbed import TOKEN, Api, RunDirectory, until

from ironlaw.environment import FENCED, PREEMPTED, TAKEN
from ironlaw.storage import Attempt, fault_of, manifests


class AgentTest(unittest.TestCase):
    def setUp(self) -> None:
        self.directory = RunDirectory()
        self.addCleanup(self.directory.close)
        self.api = Api()
        self.addCleanup(self.api.close)

    def pids(self) -> List[int]:
        """Of ranks: the children of our agents."""
        children = []
        for agent in self.directory.agents:
            path = f"/proc/{agent.pid}/task/{agent.pid}/children"
            children += [int(pid) for pid in Path(path).read_text().split()] if os.path.exists(path) else []
        return children

    def notes(self, kind: str) -> List[Dict[str, Any]]:
        return [note for note in self.api.all("notes") if note["kind"] == kind]

    def test_a_run_of_two_nodes_from_start_to_end(self) -> None:
        agents = [
            self.directory.train(0.02, 60, api=self.api, nodes=2, processes=2, node_index=index, checkpoint_every_s=0.3)
            for index in (1, 0)
        ]
        self.assertEqual([agent.wait(30) for agent in agents], [0, 0])
        steps = self.api.all("steps")
        self.assertEqual([row["step"] for row in steps], list(range(1, 61)))
        self.assertEqual({(row["world"], row["tokens"]) for row in steps}, {(4, 32)})
        self.assertGreater(steps[5]["phases_s"]["compute"], 0.015)
        committed = [row for row in self.api.all("checkpoints") if row["state"] == "committed"]
        self.assertGreaterEqual(len(committed), 3)
        self.assertEqual(committed[-1]["step"], 60)
        for path in manifests(self.directory.path):
            self.assertIsNone(fault_of(path))
        beats = [(beat["index"], len(beat["ranks"])) for beat in self.api.all("beats")]
        self.assertEqual(set(beats), {(0, 2), (1, 2)})
        self.assertEqual({row["rank"] for row in self.api.all("exits")}, {0, 1, 2, 3})
        record = json.loads((self.directory.path / "completed.json").read_text())
        self.assertEqual((record["step"], record["tokens"], record["manifest"]), (60, 1920, "attempts/0001/open/step-00000060.json"))
        self.assertEqual(self.notes("completed")[0]["detail"], record)
        self.assertEqual(self.api.logs["3"].decode(), self.directory.log(3))
        self.assertEqual(self.api.unauthorised, 0)
        self.assert_no_token()

    def assert_no_token(self) -> None:
        for path in self.directory.path.rglob("*"):
            if path.is_file() and path.name != "token":
                self.assertNotIn(TOKEN.encode(), path.read_bytes(), path)
        self.assertNotIn(TOKEN, json.dumps(self.api.reports))

    def test_the_head_of_a_short_program_waits_for_nodes_that_link_late(self) -> None:
        short = self.directory.path / "short.py"
        short.write_text("print('done')")
        head = self.directory.agent(str(short), api=self.api, nodes=2, node_index=0)
        until(lambda: any(row["rank"] == 0 for row in self.api.all("exits")))
        late = self.directory.agent(str(short), api=self.api, nodes=2, node_index=1)
        self.assertEqual([agent.wait(30) for agent in (head, late)], [0, 0])
        self.assertEqual({row["rank"] for row in self.api.all("exits")}, {0, 1})
        self.assertEqual(self.notes("head-unreachable"), [])

    def test_the_death_of_a_rank_is_reported_at_once_and_ends_the_job(self) -> None:
        self.directory.beat_s = 8.0
        agents = [self.directory.train(0.02, 10_000, api=self.api, nodes=2, processes=2, node_index=index) for index in (0, 1)]
        until(lambda: len(self.api.all("steps")) > 5)  # a beat has just been sent: the next is far away
        victim = self.pids()[3]
        killed_at = time.time()
        os.kill(victim, signal.SIGKILL)
        until(lambda: self.api.all("exits"))
        row = self.api.all("exits")[0]
        reported_s = next(at for at, report in zip(self.api.received_at, self.api.reports) if report["exits"]) - killed_at
        self.assertEqual((row["signal"], row["code"], row["index"]), (9, None, 1))
        self.assertLess(reported_s, 5.0, "not with the next beat")
        self.assertEqual([agent.wait(10) for agent in agents], [137, 137])
        self.assertEqual(self.pids(), [])
        others = sorted(row["rank"] for row in self.api.all("exits") if row["killed"])
        self.assertEqual(others, sorted({0, 1, 2, 3} - {row["rank"]}), "the agents tell which ranks they killed")

    def test_a_node_that_vanishes_is_named_when_its_peers_fail(self) -> None:
        agents = [self.directory.train(0.02, 5000, api=self.api, nodes=2, node_index=index) for index in (1, 0)]
        until(lambda: len(self.api.all("steps")) > 3)
        survivor = int(Path(f"/proc/{agents[1].pid}/task/{agents[1].pid}/children").read_text().split()[0])
        agents[0].kill()  # with its rank, as a node dies; the collective of the others then fails, here by our hand
        os.kill(survivor, signal.SIGABRT)
        self.assertNotEqual(agents[1].wait(10), 0)
        exits = [(row["index"], row["code"], row["signal"]) for row in self.api.all("exits") if not row.get("killed")]
        self.assertEqual(sorted(exits, key=str), [(0, None, signal.SIGABRT), (1, None, None)])

    def test_a_failing_program_tells_its_last_lines(self) -> None:
        path = self.directory.path / "fail.py"
        path.write_text("raise ValueError('the data is not there')")
        self.assertEqual(self.directory.agent(str(path), api=self.api).wait(10), 1)
        self.assertIn("ValueError: the data is not there", self.api.all("exits")[0]["tail"])

    def test_ranks_die_with_their_agent(self) -> None:
        silent = self.directory.path / "silent.py"
        silent.write_text("print('resumed', flush=True)\nimport time\ntime.sleep(1000)")
        agent = self.directory.agent(str(silent), processes=2)
        until(lambda: "resumed" in self.directory.log(1))
        ranks = self.pids()
        agent.kill()
        until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in ranks), 2.0)

    def test_reports_of_an_absent_time_arrive_in_order_and_once(self) -> None:
        agent = self.directory.train(0.02, 300, api=self.api)
        until(lambda: len(self.api.all("steps")) > 5)
        self.api.away = True
        away_at = time.time()
        time.sleep(2.5)
        back_at = time.time()
        spool = self.directory.path / "attempts" / "0001" / "spool" / "node-0"
        self.assertGreater(len(list(spool.iterdir())), 1)
        self.api.away = False
        self.assertEqual(agent.wait(30), 0)
        self.assertEqual([row["step"] for row in self.api.all("steps")], list(range(1, 301)))
        sequences = [report["sequence"] for report in self.api.reports]
        self.assertEqual(sequences, sorted(set(sequences)))
        self.assertEqual(list(spool.iterdir()), [])
        meanwhile = [row for row in self.api.all("steps") if away_at < row["at"] < back_at]
        self.assertGreater(len(meanwhile), 20, "training does not wait for the API")

    def test_a_lost_answer_repeats_the_same_sequence(self) -> None:
        agent = self.directory.train(0.02, 150, api=self.api)
        until(lambda: len(self.api.all("steps")) > 5)
        self.api.loses_answers = True
        time.sleep(1.2)
        self.api.loses_answers = False
        self.assertEqual(agent.wait(30), 0)
        sequences = [report["sequence"] for report in self.api.reports]
        self.assertLess(len(set(sequences)), len(sequences))
        once = {report["sequence"]: report for report in self.api.reports}
        self.assertEqual([row["step"] for number in sorted(once) for row in once[number]["steps"]], list(range(1, 151)))

    def test_a_signal_makes_a_checkpoint_and_the_next_attempt_goes_on_from_it(self) -> None:
        agents = [self.directory.train(0.01, 10_000, api=self.api, nodes=2, processes=2, node_index=index) for index in (0, 1)]
        until(lambda: len(self.api.all("steps")) > 20)
        for pid in [agents[1].pid, *self.pids()]:  # as Slurm does: to every process of the job
            os.kill(pid, signal.SIGTERM)
        self.assertEqual([agent.wait(10) for agent in agents], [PREEMPTED, PREEMPTED])
        self.assertEqual(len(self.notes("preempting")), 1)
        step = [row for row in self.api.all("checkpoints") if row["state"] == "committed"][-1]["step"]
        total = step + 30
        again = [
            self.directory.train(0.005, total, attempt=2, api=self.api, nodes=2, processes=2, node_index=index) for index in (0, 1)
        ]
        self.assertEqual([agent.wait(20) for agent in again], [0, 0])
        self.assertIn(f"resumed {step}\n", self.directory.log(2, attempt=2))
        undisturbed = RunDirectory()
        self.addCleanup(undisturbed.close)
        self.assertEqual(undisturbed.train(0, total, processes=4).wait(20), 0)
        for rank in range(4):
            self.assertEqual(self.directory.log(rank, attempt=2).split("final")[1], undisturbed.log(rank).split("final")[1])

    def test_the_control_plane_may_ask_to_stop(self) -> None:
        agent = self.directory.train(0.01, 10_000, api=self.api, processes=2)
        until(lambda: len(self.api.all("steps")) > 5)
        self.api.answer = {"checkpoint_every_s": 0.2, "stop": "preempt"}
        self.assertEqual(agent.wait(10), PREEMPTED)

    def test_a_second_job_of_an_attempt_leaves(self) -> None:
        self.directory.train(0.02, 10_000)
        until(lambda: "resumed" in self.directory.log(0))
        second = self.directory.train(0.02, 10, job="job-2")
        self.assertEqual(second.wait(5), TAKEN)

    def test_a_stale_attempt_is_fenced_at_its_next_commit(self) -> None:
        stale = self.directory.train(0.01, 10_000, api=self.api, checkpoint_every_s=0.3)
        until(lambda: self.api.all("checkpoints"))
        later = Attempt(self.directory.path, 2)
        later.begin()
        self.assertEqual(stale.wait(10), FENCED)
        until(lambda: [row for row in self.api.all("checkpoints") if row["state"] == "refused"])
        self.assertEqual(list((later.path.parent / "0001").glob("open/*")), [])
        self.assertEqual(self.directory.train(0.01, 10).wait(5), FENCED)

    def test_the_api_may_fence(self) -> None:
        agent = self.directory.train(0.01, 10_000, api=self.api)
        until(lambda: self.api.all("steps"))
        self.api.status = 409
        self.assertEqual(agent.wait(10), FENCED)

    def test_without_a_head_an_agent_reports_for_itself(self) -> None:
        head, other = (self.directory.train(0.02, 10_000, api=self.api, nodes=2, processes=1, node_index=index) for index in (0, 1))
        until(lambda: {beat["index"] for beat in self.api.all("beats")} == {0, 1})
        head.kill()
        until(lambda: any(report["index"] == 1 and report["beats"] for report in self.api.reports), 5.0)
        self.assertEqual(self.notes("head-unreachable")[0]["detail"], {"address": "127.0.0.1"})
        os.kill(self.pids()[-1], signal.SIGKILL)
        self.assertEqual(other.wait(10), 137)
        exits = [(row["index"], row["signal"]) for row in self.api.all("exits")]
        self.assertEqual(exits, [(1, 9), (0, None)], "its own rank, and those of the head of which it knows nothing")

    def test_all_ranks_take_the_same_checkpoints_however_fast_they_go(self) -> None:
        """Steps of 0.2 ms outrun the messages between agents; no checkpoint may be half taken."""
        agents = [
            self.directory.train(0.0001, 9000, api=self.api, nodes=2, processes=2, node_index=index, checkpoint_every_s=0.05)
            for index in (0, 1)
        ]
        self.assertEqual([agent.wait(40) for agent in agents], [0, 0])
        committed = [row["step"] for row in self.api.all("checkpoints") if row["state"] == "committed"]
        self.assertGreater(len(committed), 1)
        self.assertEqual(committed, sorted(set(committed)))
        kept = {path.stem for path in manifests(self.directory.path)}
        shards = {entry.name for entry in (self.directory.path / "attempts" / "0001" / "shards").iterdir()}
        self.assertEqual(shards, kept)


if __name__ == "__main__":
    unittest.main()
