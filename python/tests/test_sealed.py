"""Links between agents over TLS: with the run's certificate, with another, with none."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import threading
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Dict, List, Optional, Tuple

from testbed import Api, RunDirectory, until

from ironlaw.agent.link import Link
from ironlaw.agent.sealed import CERTIFICATE, Sealed, link_context


def make_certificate(directory: Path) -> None:
    """As the control plane makes it."""
    key, certificate = directory / "k.pem", directory / "c.pem"
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=ironlaw run"]
    subprocess.run(["openssl", "req", "-x509", *curve, "-days", "2", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    (directory / CERTIFICATE).write_text(certificate.read_text() + key.read_text())


def connection_pair() -> Tuple[socket.socket, socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        ours = socket.create_connection(server.getsockname())
        return ours, server.accept()[0]


def sealed(directory: Path, server_side: bool) -> Sealed:
    context = link_context(directory, server_side)
    assert context is not None
    return Sealed(context, server_side)


class SealedTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.directory = Path(folder.name)
        make_certificate(self.directory)

    def other_directory(self) -> Path:
        other = self.directory / "other"
        other.mkdir()
        make_certificate(other)
        return other

    def links(self, other: Optional[Path] = None) -> Tuple[Link, Link]:
        ours, theirs = connection_pair()
        head = Link(theirs, sealed=sealed(self.directory, server_side=True))
        member = Link(ours, sealed=sealed(other or self.directory, server_side=False))
        for link in (head, member):
            self.addCleanup(link.socket.close)
        return head, member

    def test_messages_of_any_size_pass_both_ways_and_nothing_is_readable_between(self) -> None:
        head, member = self.links()
        large = {"text": "plain" * 400_000}
        got: Dict[str, List[Any]] = {"head": [], "member": []}
        member.send({"hello": 1})
        member.send(large)
        head.send({"greeting": 2})

        def turn() -> bool:
            for name, link in (("head", head), ("member", member)):
                link.flush()
                got[name] += link.receive()
            return len(got["head"]) == 2 and len(got["member"]) == 1

        until(turn)
        self.assertEqual(got, {"head": [{"hello": 1}, large], "member": [{"greeting": 2}]})

    def test_a_peer_with_another_certificate_is_refused_by_both_sides(self) -> None:
        head, member = self.links(self.other_directory())
        member.send({"hello": 1})

        def turn() -> bool:
            for link in (member, head):
                if not link.closed:
                    self.assertEqual(link.receive(), [])
            return head.closed and member.closed

        until(turn)
        self.assertIn("certificate of this run", member.fault or "")

    def test_a_peer_without_tls_is_refused(self) -> None:
        ours, theirs = connection_pair()
        self.addCleanup(ours.close)
        head = Link(theirs, sealed=sealed(self.directory, server_side=True))
        ours.sendall(b'{"index":1,"secret":"x"}\n')
        until(lambda: head.receive() == [] and head.closed)
        self.assertIn("no TLS", head.fault or "")

    def test_what_was_sent_before_the_handshake_arrives_when_the_link_finishes(self) -> None:
        head, member = self.links()
        member.send({"kind": "done"})
        finishing = threading.Thread(target=lambda: member.finish(10.0))
        finishing.start()
        got: List[Any] = []

        def turn() -> bool:
            got.extend([] if head.closed else head.receive())
            return bool(got)

        until(turn)
        finishing.join()
        self.assertEqual(got, [{"kind": "done"}])
        self.assertTrue(member.closed)

    def test_a_link_whose_peer_is_silent_finishes_in_time(self) -> None:
        ours, theirs = connection_pair()
        self.addCleanup(theirs.close)
        member = Link(ours, sealed=sealed(self.directory, server_side=False))
        member.send({"kind": "done"})
        member.finish(0.2)
        self.assertTrue(member.closed)

    def test_without_a_certificate_links_are_plain(self) -> None:
        self.assertIsNone(link_context(self.directory / "nowhere", server_side=True))


class AgentsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.directory = RunDirectory()
        self.addCleanup(self.directory.close)
        self.api = Api()
        self.addCleanup(self.api.close)
        make_certificate(self.directory.path)

    def test_two_agents_train_to_the_end(self) -> None:
        agents = [
            self.directory.train(0.02, 60, api=self.api, nodes=2, processes=2, node_index=index, checkpoint_every_s=0.3) for index in (0, 1)
        ]
        self.assertEqual([agent.wait(60) for agent in agents], [0, 0])
        self.assertTrue(self.api.all("checkpoints"))

    def test_the_secret_alone_opens_nothing(self) -> None:
        agent = self.directory.agent("/bin/sleep", "600", api=self.api, nodes=2, node_index=0)
        file = self.directory.path / "attempts" / "0001" / "head.json"
        until(file.exists)
        head = json.loads(file.read_text())
        self.assertTrue(head["sealed"])
        with socket.create_connection((head["address"], head["port"]), timeout=10) as plain:
            plain.sendall(json.dumps({"index": 1, "secret": head["secret"]}).encode() + b"\n")
            while plain.recv(4096):  # an alert, then the end
                pass
        anyone = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        anyone.check_hostname, anyone.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection((head["address"], head["port"]), timeout=10) as raw, self.assertRaises((ssl.SSLError, OSError)):
            with anyone.wrap_socket(raw) as wrapped:
                wrapped.sendall(json.dumps({"index": 1, "secret": head["secret"]}).encode() + b"\n")
                if not wrapped.recv(4096):
                    raise OSError("closed")
        self.assertIsNone(agent.poll())


if __name__ == "__main__":
    unittest.main()
