"""How the agents of an attempt find one another: the head picks ports and publishes them in the run directory."""

from __future__ import annotations

import json
import random
import socket
import time
from dataclasses import asdict, dataclass
from typing import Callable

from ironlaw.storage import Attempt, Fenced, Taken, attempt_numbers, write_durably

POLL_S = 0.05
HEAD_LIMIT_S = 300.0
# Below the ports that the kernel hands to clients (32768 and up), so that none is lost between choice and use.
PORTS = range(20000, 32000)


def free_port() -> int:
    while True:
        port = random.SystemRandom().choice(PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("", port))
            except OSError:
                continue
            return port


@dataclass(frozen=True)
class Rendezvous:
    owner: str
    node: str
    address: str
    port: int
    master_port: int
    secret: str
    sealed: bool = False  # whether links to it speak TLS

    def publish(self, attempt: Attempt) -> None:
        write_durably(attempt.path / "head.json", asdict(self), staging=attempt.path)
        (attempt.path / "head.json").chmod(0o600)

    @staticmethod
    def wait(attempt: Attempt, owner: str, is_superseded: Callable[[], bool] = lambda: False) -> "Rendezvous":
        limit = time.monotonic() + HEAD_LIMIT_S
        while time.monotonic() < limit:
            if is_superseded() or max(attempt_numbers(attempt.run_directory), default=0) > attempt.number:
                raise Fenced
            try:
                found = Rendezvous(**json.loads((attempt.path / "head.json").read_text(encoding="utf-8")))
            except FileNotFoundError:
                time.sleep(POLL_S)
                continue
            if found.owner != owner:
                raise Taken(found.owner)
            return found
        raise TimeoutError(f"no agent of node 0 after {HEAD_LIMIT_S:.0f} s")
