"""What any host on the network, or a faulty peer, can send to an agent: it costs that link, never the agent."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import time
import unittest
from pathlib import Path
from typing import Any, Dict, List, Tuple
from unittest import mock

from testbed import Api, RunDirectory, until

from ironlaw.agent import listener
from ironlaw.agent.link import DEPTH, HELLO_BYTES, LINE_BYTES, Link, parse_line
from ironlaw.agent.messages import check_message
from ironlaw.environment import Job

SEED = int(os.environ.get("IRONLAW_FUZZ_SEED", "1"))


def job(nodes: int = 2, **names: str) -> Job:
    return Job.read({"IRONLAW_RUN": "r", "IRONLAW_ATTEMPT": "1", "IRONLAW_RUN_DIR": "/", "IRONLAW_NODES": str(nodes), **names})


def part(index: int = 1, **changes: Any) -> Dict[str, Any]:
    ranks = [{"rank": index, "step": 3, "phase": "compute", "phase_age_s": 0.1, "alive": True}]
    beat = {"node": "n", "index": index, "host": "h", "age_s": 0.0, "ranks": ranks}
    row = {"rank": index, "step": 3, "at": 1.0, "seconds": 0.1, "tokens": 8, "phases_s": {"compute": 0.1}}
    gone = {"node": "n", "index": index, "rank": index, "code": 1, "signal": None, "at": 1.0, "tail": "", "killed": False}
    return {"kind": "part", "beat": beat, "rows": [row], "exits": [gone], "notes": [], **changes}


class LineTest(unittest.TestCase):
    def test_a_line_is_an_object_of_bounded_depth(self) -> None:
        def nest(depth: int) -> bytes:
            return b'{"a":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"

        self.assertEqual(parse_line(b'{"a":1}'), {"a": 1})
        parse_line(nest(DEPTH))
        for line in (b"[1]", b"1", b"null", b"", b"{", b'"x"', b"\xff\xfe", nest(DEPTH + 1), nest(100_000), b"[" * 100_000):
            with self.assertRaises(ValueError, msg=line[:20]):
                parse_line(line)

    def test_a_line_without_end_is_refused_at_its_limit(self) -> None:
        ours, theirs = socket.socketpair()
        self.addCleanup(theirs.close)
        with mock.patch.object(socket.socket, "setsockopt"):  # a socket pair knows no TCP
            link = Link(ours, HELLO_BYTES)
        theirs.sendall(b"a" * (HELLO_BYTES + 1))
        while not link.closed:
            self.assertEqual(link.receive(), [])
        self.assertIn(f"more than {HELLO_BYTES} bytes", link.fault or "")


class MessageTest(unittest.TestCase):
    def test_what_our_own_agents_send_passes(self) -> None:
        for message in (
            part(),
            part(exits=[{**part()["exits"][0], "code": None, "signal": 9}], rows=[{**part()["rows"][0], "loss": float("nan")}]),
            {"kind": "answer", "proposal": 3, "ok": True},
            {"kind": "done", "code": 0},
        ):
            check_message(job(), 1, message)

    def test_a_peer_speaks_for_its_own_node_and_ranks_only(self) -> None:
        beat, row, gone = part()["beat"], part()["rows"][0], part()["exits"][0]
        for message in (
            part(beat={**beat, "index": 0}),
            part(rows=[{**row, "rank": 0}]),
            part(exits=[{**gone, "index": 0}]),
            part(exits=[{**gone, "rank": 7}]),
            {"kind": "shard", "step": 1, "rank": 0, "file": "f", "bytes": 1, "sha256": "", "extra": {}, "tokens": 1, "seconds": 1.0,
             "write_s": 1.0, "waits": False},  # fmt: skip
        ):
            with self.assertRaisesRegex(ValueError, "node 1"):
                check_message(job(), 1, message)

    def test_mutated_messages_pass_or_are_refused_and_nothing_else(self) -> None:
        chance = random.Random(SEED)
        values: List[Any] = [None, True, -1, 0, 1.5, float("nan"), float("inf"), 10**30, "", "x", [], {}, [[]], [1], {"a": 1}]

        def mutate(value: Any) -> Any:
            if chance.random() < 0.15:
                return chance.choice(values)
            if isinstance(value, dict):
                return {name: mutate(inner) for name, inner in value.items() if chance.random() > 0.03}
            return [mutate(inner) for inner in value] if isinstance(value, list) else value

        passed = 0
        for _ in range(5000):
            try:
                check_message(job(), 1, {name: mutate(value) for name, value in part().items()})
                passed += 1
            except ValueError:
                pass
        self.assertGreater(passed, 10, f"seed {SEED}")


class AddressTest(unittest.TestCase):
    def test_the_head_listens_on_the_address_that_peers_use(self) -> None:
        self.assertEqual(listener.own_address(job(nodes=1)), "127.0.0.1")
        self.assertEqual(listener.own_address(job(IRONLAW_HEAD="127.0.0.1")), "127.0.0.1")
        self.assertEqual(listener.own_address(job(IRONLAW_HEAD="n1", IRONLAW_ADDRESS="127.0.0.7")), "127.0.0.7")
        self.assertNotIn(listener.own_address(job()), ("", "0.0.0.0"))


class HostilePeerTest(unittest.TestCase):
    def setUp(self) -> None:
        self.directory = RunDirectory()
        self.addCleanup(self.directory.close)
        self.api = Api()
        self.addCleanup(self.api.close)

    def start(self, nodes: int = 2) -> "Tuple[subprocess.Popen[bytes], Dict[str, Any]]":
        agent = self.directory.agent("/bin/sleep", "600", api=self.api, nodes=nodes, node_index=0)
        path = self.directory.path / "attempts" / "0001" / "head.json"
        until(path.exists)
        return agent, json.loads(path.read_text())

    def connect(self, head: Dict[str, Any]) -> socket.socket:
        connection = socket.create_connection((head["address"], head["port"]), timeout=10)
        self.addCleanup(connection.close)
        return connection

    def is_closed(self, connection: socket.socket) -> bool:
        """Waits until the agent has closed it."""
        try:
            while connection.recv(65536):
                pass
        except ConnectionError:
            pass
        return True

    def beats(self, node: int = 0) -> int:
        return sum(beat["index"] == node for beat in self.api.all("beats"))

    def assert_lives(self, agent: "subprocess.Popen[bytes]") -> None:
        seen = len(self.api.reports)
        until(lambda: len(self.api.reports) > seen + 1)
        self.assertIsNone(agent.poll())

    def test_bytes_of_anybody_close_their_connection_and_leave_the_agent(self) -> None:
        agent, head = self.start()
        for content in (b"[1]\n", b"{}\n", b"1\n", b"\xff\n", b"[" * 900 + b"\n", b'{"secret":[]}\n', b'{"secret":"\xc3\xa9","index":1}\n'):
            connection = self.connect(head)
            connection.sendall(content)
            self.assertTrue(self.is_closed(connection))
        self.assert_lives(agent)

    def test_nothing_is_heard_before_the_secret(self) -> None:
        agent, head = self.start()
        connection = self.connect(head)
        connection.sendall(json.dumps({"kind": "preempt", "why": "forged"}).encode() + b"\n")
        self.assertTrue(self.is_closed(connection))
        self.assert_lives(agent)
        self.assertEqual([note for note in self.api.all("notes") if note["kind"] == "preempting"], [])

    def test_an_endless_line_costs_a_kilobyte(self) -> None:
        agent, head = self.start()

        def resident_kb() -> int:
            lines = Path(f"/proc/{agent.pid}/status").read_text().splitlines()
            return int(next(line for line in lines if line.startswith("VmRSS")).split()[1])

        self.assert_lives(agent)
        before = resident_kb()
        connection = self.connect(head)
        try:
            for _ in range(100):
                connection.sendall(b"a" * (1 << 20))
        except OSError:
            pass
        self.assert_lives(agent)
        self.assertLess(resident_kb() - before, 8 * 1024)

    def test_silent_connections_are_closed_and_do_not_keep_peers_out(self) -> None:
        agent, head = self.start()
        silent = [self.connect(head) for _ in range(listener.PENDING_LIMIT + 20)]
        peer = self.connect(head)
        peer.sendall(json.dumps({"index": 1, "secret": head["secret"]}).encode() + b"\n")
        peer.sendall(json.dumps(part(exits=[])).encode() + b"\n")
        until(lambda: self.beats(1) > 0)
        began = time.monotonic()
        self.assertTrue(all(self.is_closed(connection) for connection in silent))
        self.assertLess(time.monotonic() - began, listener.HELLO_LIMIT_S + 3)
        self.assert_lives(agent)

    def test_a_peer_with_the_secret_that_talks_nonsense_loses_its_link_only(self) -> None:
        agent, head = self.start()
        hello = json.dumps({"index": 1, "secret": head["secret"]}).encode() + b"\n"
        chance = random.Random(SEED)
        nonsense = [b"[1]\n", b'{"kind":"part"}\n', b'{"kind":[]}\n', b'{"kind":"part","beat":{},"rows":[],"exits":[],"notes":[]}\n']
        nonsense += [json.dumps(part(beat=None)).encode() + b"\n", json.dumps(part(index=0)).encode() + b"\n", b"a" * (LINE_BYTES + 2)]
        for _ in range(60):
            text = bytearray(json.dumps(part(exits=[])).encode())
            for _ in range(chance.randint(1, 6)):
                text[chance.randrange(len(text))] = chance.choice(b'{}[]",:0-e\n\\')
            nonsense.append(bytes(text) + b"\n\n")
        for content in nonsense:
            connection = self.connect(head)
            try:
                connection.sendall(hello + content)
            except ConnectionError:
                pass
            self.assertTrue(self.is_closed(connection), content[:80])
        self.assert_lives(agent)
        peer = self.connect(head)
        peer.sendall(hello + json.dumps(part(exits=[])).encode() + b"\n")
        until(lambda: self.beats(1) > 0)

    def test_an_index_outside_of_the_job_is_refused(self) -> None:
        agent, head = self.start()
        for index in (0, 2, -1, True, "1", None):
            connection = self.connect(head)
            connection.sendall(json.dumps({"index": index, "secret": head["secret"]}).encode() + b"\n")
            self.assertTrue(self.is_closed(connection), index)
        self.assert_lives(agent)


if __name__ == "__main__":
    unittest.main()
