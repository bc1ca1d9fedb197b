"""A rank under an agent: reports go through a socket that never blocks, decisions come from the board."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from pathlib import Path
from typing import Optional, Tuple

from ironlaw.board import PHASES, Board, stops
from ironlaw.environment import FENCED, MESSAGE_BYTES, Process
from ironlaw.storage import Attempt, Checkpoint, Fenced, Json, Shard, load, step_name

_HOLD_LIMIT_S = 30.0
_PHASE_NUMBERS = {name: number for number, name in enumerate(PHASES)}
_OTHER = _PHASE_NUMBERS["other"]


class Attached:
    def __init__(self, process: Process) -> None:
        channel, descriptor, ranks = (int(part) for part in (process.channel or "").split(","))
        os.set_inheritable(channel, False)
        os.set_inheritable(descriptor, False)
        self._socket = socket.socket(fileno=channel)
        self._board = Board(descriptor, ranks)
        self._process = process
        self._slot = process.local_rank
        self._attempt = Attempt(Path(os.environ["IRONLAW_RUN_DIR"]), int(os.environ["IRONLAW_ATTEMPT"]))
        self._run = os.environ["IRONLAW_RUN"]
        self._dropped = 0
        self._manifest: Optional[str] = None
        _leave_signals_to_the_agent()
        self._send({"kind": "attached"})

    def enter(self, phase: str) -> None:
        self._board.enter(self._slot, _PHASE_NUMBERS.get(phase, _OTHER))

    def resume(self) -> Optional[Checkpoint]:
        self._send({"kind": "resume?"})
        answer = json.loads(self._socket.recv(MESSAGE_BYTES) or b"{}")
        if "manifest" not in answer:
            raise SystemExit(FENCED)
        self._manifest = path = answer["manifest"]
        checkpoint = load(self._attempt.run_directory / path, self._process.rank) if path else None
        self._board.boundary(self._slot, checkpoint.step if checkpoint else 0)
        return checkpoint

    def report_step(self, row: Json) -> None:
        self._board.show_step(self._slot, row["step"])
        if self._dropped:
            row["dropped"] = self._dropped
        try:
            self._socket.send(json.dumps({"kind": "step", **row}).encode(), socket.MSG_DONTWAIT)
            self._dropped = 0
        except BlockingIOError:
            self._dropped += 1  # the agent is stopped or starved; training is not
        except OSError:
            raise SystemExit(FENCED) from None  # the agent is gone: nobody supervises this process, another attempt may begin

    def decision(self, step: int) -> Tuple[bool, bool]:
        proposal = self._board.boundary(self._slot, step)
        if not proposal:
            return False, False
        limit = time.monotonic() + _HOLD_LIMIT_S
        while abs(self._board.verdict()) != proposal:
            if time.monotonic() > limit:
                return False, False
            time.sleep(0.0005)
        taken = self._board.verdict() > 0
        return taken, taken and stops(proposal)

    def save(self, step: int, shard: Shard, details: Json) -> None:
        began = time.monotonic()
        written = self._attempt.write_shard(step, self._process.rank, shard)
        message = {"kind": "shard", "step": step, **written, **details, "seconds": time.monotonic() - began}
        self._send(message)
        self._manifest = f"attempts/{self._attempt.number:04d}/open/{step_name(step)}.json"

    def wait_committed(self, step: int) -> None:
        while self._board.committed() < step:
            time.sleep(0.002)

    def complete(self, record: Json) -> None:
        record = {"run": self._run, "attempt": self._attempt.number, **record, "manifest": self._manifest}
        try:
            self._attempt.complete(record)
        except Fenced:
            raise SystemExit(FENCED) from None
        self._send({"kind": "completed", "record": record})

    def _send(self, message: Json) -> None:
        content = json.dumps(message).encode()
        if len(content) > MESSAGE_BYTES:
            raise ValueError(f"extra of {len(content)} bytes; at most {MESSAGE_BYTES} go to a manifest, put the rest into the shard")
        try:
            self._socket.send(content)
        except OSError:
            raise SystemExit(FENCED) from None


def _leave_signals_to_the_agent() -> None:
    """Slurm signals every process of a job; the agent turns that into a checkpoint. Children of this process keep the default."""
    if threading.current_thread() is not threading.main_thread():
        return
    owner = os.getpid()

    def ignore(number: int, _frame: object) -> None:
        if os.getpid() != owner:
            os._exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGUSR1):
        signal.signal(number, ignore)
