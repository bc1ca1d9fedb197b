"""An engine of its own kind behind the announcer: started, found healthy, announced, stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path
from typing import Any

from testbed import PACKAGE, until

from ironlaw.replica import addressed

# Healthy from its third request on, as an engine that loads its weights.
ENGINE = """
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
looks = 0
class Engine(BaseHTTPRequestHandler):
    def do_GET(self):
        global looks
        looks += 1
        self.send_response(200 if looks > 2 else 503)
        self.end_headers()
    def log_message(self, *_): pass
host, port = (sys.argv[sys.argv.index(flag) + 1] for flag in ('--host', '--port'))
HTTPServer((host, int(port)), Engine).serve_forever()
"""


class ReplicaTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.endpoint = Path(folder.name) / "endpoint"
        self.log = Path(folder.name) / "log"

    def start(self, *command: str, **names: str) -> "subprocess.Popen[Any]":
        environment = {**os.environ, **names, "PYTHONPATH": str(PACKAGE), "IRONLAW_ENDPOINT_FILE": str(self.endpoint), "IRONLAW_REPLICA_TOKEN": "t" * 32}
        with open(self.log, "wb") as log:
            replica = subprocess.Popen([sys.executable, "-m", "ironlaw.replica", "--", *command], env=environment, stderr=log)
        self.addCleanup(replica.wait)
        self.addCleanup(replica.kill)
        return replica

    def test_announces_an_engine_once_it_is_healthy_and_ends_it_when_told_to(self) -> None:
        replica = self.start(sys.executable, "-c", ENGINE)
        until(self.endpoint.exists)
        url, token = self.endpoint.read_text().splitlines()
        self.assertEqual(token, "t" * 32)
        with urllib.request.urlopen(f"{url}/health", timeout=5) as answer:
            self.assertEqual(answer.status, 200)
        replica.send_signal(signal.SIGTERM)
        self.assertEqual(replica.wait(20), 128 + signal.SIGTERM)
        with self.assertRaises(OSError):
            urllib.request.urlopen(f"{url}/health", timeout=5)

    def test_an_engine_dies_with_whoever_announced_it(self) -> None:
        replica = self.start(sys.executable, "-c", ENGINE)
        until(self.endpoint.exists)
        [child] = subprocess.check_output(["pgrep", "-P", str(replica.pid)], text=True).split()
        replica.kill()
        until(lambda: not Path(f"/proc/{child}").exists())

    def test_an_engine_that_does_not_start_is_not_announced_and_its_status_is_handed_on(self) -> None:
        self.assertEqual(self.start(sys.executable, "-c", "raise SystemExit(3)").wait(20), 3)
        self.assertFalse(self.endpoint.exists())

    def test_storage_that_is_away_is_waited_for(self) -> None:
        self.endpoint = self.endpoint.parent / "away" / "endpoint"
        self.start(sys.executable, "-c", ENGINE)
        until(lambda: b"tries again" in self.log.read_bytes())
        self.endpoint.parent.mkdir()
        until(self.endpoint.exists)

    def test_a_name_that_does_not_resolve_is_said(self) -> None:
        replica = self.start(sys.executable, "-c", ENGINE, SLURMD_NODENAME="nowhere.invalid")
        self.assertEqual(replica.wait(30), 68)
        self.assertIn(b"nowhere.invalid does not resolve", self.log.read_bytes())

    def test_the_address_goes_where_the_command_says(self) -> None:
        self.assertEqual(addressed(["e", "--listen={host}:{port}"], "::1", 7), ["e", "--listen=::1:7"])
        self.assertEqual(addressed(["e", "x"], "10.0.0.1", 7), ["e", "x", "--host", "10.0.0.1", "--port", "7"])


if __name__ == "__main__":
    unittest.main()
