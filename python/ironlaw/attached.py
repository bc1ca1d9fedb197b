"""A rank under an agent: reports go through a socket that never blocks, decisions come from the board."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Callable, Optional, Tuple

from ironlaw.board import PHASES, Board, stops
from ironlaw.environment import FENCED, MESSAGE_BYTES, Process
from ironlaw.staging import NoRoom, Staging
from ironlaw.storage import Attempt, Checkpoint, Fenced, Json, Shard, load, step_name

_HOLD_LIMIT_S = 30.0
_PHASE_NUMBERS = {name: number for number, name in enumerate(PHASES)}
_OTHER = _PHASE_NUMBERS["other"]
# How often a rank that waits for its agent looks.
_LOOK_S = 0.0005


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
        self._staging = _inherited_staging(lambda size: self._board.claim(self._slot, size))
        self._reserving: Optional[threading.Thread] = None
        self._saves = 0  # left to the agent to write
        _leave_signals_to_the_agent()
        self._send({"kind": "attached", "executable": sys.executable})

    def enter(self, phase: str) -> None:
        self._board.enter(self._slot, _PHASE_NUMBERS.get(phase, _OTHER))

    def resume(self) -> Optional[Checkpoint]:
        self._send({"kind": "resume?"})
        answer = json.loads(self._socket.recv(MESSAGE_BYTES) or b"{}")
        if "manifest" not in answer:
            raise SystemExit(FENCED)
        self._manifest = path = answer["manifest"]
        checkpoint = load(self._attempt.run_directory / path, self._process.rank, answer.get("local")) if path else None
        self._board.boundary(self._slot, checkpoint.step if checkpoint else 0)
        if checkpoint is not None and checkpoint.world == self._process.world:
            self._reserve(checkpoint.shard.stat().st_size)
        return checkpoint

    def _reserve(self, size: int) -> None:
        """While the program loads what it resumes: the first checkpoint then takes no longer than the others."""

        def reserve() -> None:
            try:
                self._staging.reserve(size)  # type: ignore[union-attr]
            except (NoRoom, OSError, MemoryError):
                pass  # the save says so, if there is still no room then

        if self._staging is not None:
            self._reserving = threading.Thread(target=reserve, daemon=True, name="ironlaw-reserve")
            self._reserving.start()

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
            raise SystemExit(FENCED) from None  # the agent is gone: this process is unsupervised, another attempt may begin

    def report_strategy(self, running: Json) -> None:
        self._send({"kind": "strategy", "running": running})

    def report_rates(self, rates: Json) -> None:
        self._send({"kind": "reading", "rates": rates})

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
        """Leaves the shard to the agent, which writes it while training goes on. Where memory has no room it is written here."""
        began = time.monotonic()
        try:
            message = {"kind": "staged", "bytes": self._stage(shard), "save": self._saves + 1}
            self._saves += 1
        except (NoRoom, OSError, MemoryError) as cause:  # whatever keeps it from memory: storage may still take it
            print(f"ironlaw: rank {self._process.rank} writes its checkpoint itself, while training waits: {cause}", file=sys.stderr, flush=True)
            message = {"kind": "shard", **self._attempt.write_shard(step, self._process.rank, shard)}
            message["write_s"] = time.monotonic() - began
        self._send({**message, "step": step, **details, "seconds": time.monotonic() - began})
        self._manifest = f"attempts/{self._attempt.number:04d}/open/{step_name(step)}.json"

    def _stage(self, shard: Shard) -> int:
        if self._staging is None:
            raise NoRoom(0, 0)
        if self._reserving is not None:
            self._reserving.join()
            self._reserving = None
        while self._board.stored(self._slot) < self._saves:
            time.sleep(_LOOK_S)  # the previous one is still being written
        return self._staging.fill(shard)

    def wait_committed(self, step: int) -> bool:
        """False when it will not be: some shard of it could not be written."""
        while self._board.committed() < step:
            if self._board.unsaved() >= step:
                return False
            time.sleep(_LOOK_S)
        return True

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


def _inherited_staging(claim: Callable[[int], int]) -> Optional[Staging]:
    descriptor = os.environ.get("IRONLAW_STAGING")
    if descriptor is None:
        return None
    os.set_inheritable(int(descriptor), False)
    return Staging(int(descriptor), claim)


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
