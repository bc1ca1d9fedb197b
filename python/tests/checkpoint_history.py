"""Seeded histories of checkpoints on real files. An attempt is a forked process that runs the real staging, writer, head, fence and
retention; only the scheduling is drawn. Before every call that changes a file it may be killed by SIGKILL, or stopped until later
attempts have run, as a node that nobody reaches and that wakes up again. A kill also takes what no fsync had made durable: files are
cut at a drawn length and renames are undone, as when storage loses its power.

Bugs that are planted to see that the checks find them are in planted_checkpoint_bugs.py.
"""

from __future__ import annotations

import builtins
import mmap
import os
import random
import signal
import struct
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

from planted_checkpoint_bugs import Faults, plant

from ironlaw import storage
from ironlaw.agent import head as heads
from ironlaw.agent import saving as writers
from ironlaw.agent.local_copies import LocalCopies
from ironlaw.board import Board
from ironlaw.environment import Job
from ironlaw.retention import Retention
from ironlaw.staging import Staging
from ironlaw.storage import Attempt, Fenced, Json, fault_of, load, manifests

WORLD = 2
STEPS = 12
SHARD_BYTES = 40_000
BLOCK_BYTES = 16_384  # several a shard, so that a rank may get in between two
VIOLATION = 3


class Violation(AssertionError):
    pass


@dataclass(frozen=True)
class Life:
    """One attempt as drawn. `dies_at` and `stops_at` count the calls that change files; 0 never."""

    number: int
    seed: int
    dies_at: int = 0
    stops_at: int = 0


def content(rank: int, step: int) -> bytes:
    return random.Random(f"{rank}/{step}").randbytes(SHARD_BYTES + 100 * step)


class Disk:
    """Between the program and the file system: counts, kills, stops, and knows what is not durable yet."""

    def __init__(self, life: Life, between: Callable[[], None]) -> None:
        self._life, self._between = life, between
        self._chance = random.Random(life.seed + 1)
        self.calls = 0
        self._paths: Dict[int, str] = {}
        self._unsynced: Set[str] = set()
        self._renames: List[Tuple[str, str]] = []
        self._real = SimpleNamespace(**{name: getattr(os, name) for name in ("rename", "fsync", "open", "mkdir", "unlink", "rmdir", "truncate")})

    def install(self) -> None:
        for name in ("rename", "fsync", "mkdir", "unlink", "rmdir"):
            setattr(os, name, self._counted(name))
        os.open = self._open_descriptor
        storage.open = self._open_file  # type: ignore[attr-defined]

    def point(self) -> None:
        self.calls += 1
        self._between()
        if self.calls == self._life.stops_at:
            os.kill(os.getpid(), signal.SIGSTOP)
        if self.calls == self._life.dies_at:
            self._lose()
            os.kill(os.getpid(), signal.SIGKILL)

    def _counted(self, name: str) -> Callable[..., Any]:
        real = getattr(self._real, name)

        def call(*arguments: Any, **names: Any) -> Any:
            self.point()
            result = real(*arguments, **names)
            if name == "rename":
                self._renamed(str(arguments[0]), str(arguments[1]))
            elif name == "fsync":
                self._synced(self._paths.get(arguments[0], ""))
            return result

        return call

    def _open_descriptor(self, path: Any, *arguments: Any, **names: Any) -> int:
        descriptor: int = self._real.open(path, *arguments, **names)
        self._paths[descriptor] = str(path)
        return descriptor

    def _open_file(self, path: Any, mode: str = "r", **names: Any) -> Any:
        file = builtins.open(path, mode, **names)
        if "w" in mode:
            self.point()
            self._paths[file.fileno()] = str(path)
            self._unsynced.add(str(path))
            return _File(file, self) if "b" in mode else file
        return file

    def _renamed(self, source: str, target: str) -> None:
        self._renames.append((source, target))
        self._unsynced = {target + path[len(source) :] if path == source or path.startswith(source + "/") else path for path in self._unsynced}

    def _synced(self, path: str) -> None:
        self._unsynced.discard(path)
        self._renames = [pair for pair in self._renames if os.path.dirname(pair[1]) != path]

    def _lose(self) -> None:
        for path in sorted(self._unsynced):
            if os.path.exists(path):
                self._real.truncate(path, self._chance.randrange(os.path.getsize(path) + 1))
        for source, target in reversed(self._renames):
            if self._chance.random() < 0.5 and os.path.exists(target) and not os.path.exists(source):
                self._real.rename(target, source)


class _File:
    def __init__(self, raw: Any, disk: Disk) -> None:
        self._raw, self._disk = raw, disk

    def write(self, content: Any) -> int:
        self._disk.point()
        written: int = self._raw.write(content)
        return written

    def fileno(self) -> int:
        descriptor: int = self._raw.fileno()
        return descriptor

    def __enter__(self) -> "_File":
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()


class Node:
    """The agent and the ranks of one attempt in one process, their turns drawn."""

    def __init__(self, directory: Path, life: Life, kept: Retention, told: mmap.mmap) -> None:
        self._life, self._told = life, told
        self._chance = random.Random(life.seed)
        self._queue: List[Tuple[Callable[[], Any], Callable[[Any], None]]] = []
        self._inside = False
        self._fenced = False
        job = Job("r", life.number, directory, None, 1, WORLD, 0, "n", "job", None, 600.0, None, retention=kept)
        self._attempt = Attempt(directory, life.number)
        self._directory = directory
        self._board = Board.create(WORLD)
        self._stagings = [Staging.create() for _ in range(WORLD)]
        self._head = heads.Head(job, self._attempt, self._tell, self._background)
        self._saving = writers.Saving(self._attempt, LocalCopies(job), self._board, self._background, lambda message: self._head.receive(0, message))
        self._resume: Optional[Json] = None
        self._training = self._train()
        self._trains = True

    def run(self, disk: Disk) -> None:
        disk.install()
        try:
            self._attempt.begin()
        except Fenced:
            return
        self._head.begin()
        while self._resume is None:
            self._work()
        self._told[8:16] = struct.pack("q", self._resume_step() + 1)
        while (self._trains or self._queue) and not self._fenced:
            if self._queue and (not self._trains or self._chance.random() < 0.5):
                self._work()
            else:
                self.progress()
        struct.pack_into("q", self._told, 16, disk.calls)

    def progress(self) -> None:
        """Ranks go on for a moment; also in the middle of what the agent does."""
        if self._trains and not self._inside and self._resume is not None:
            self._inside = True
            self._trains = next(self._training, None) is not None
            self._inside = False

    def between(self) -> None:
        if self._chance.random() < 0.3:
            self.progress()

    def _resume_step(self) -> int:
        assert self._resume is not None
        path = self._resume["manifest"]
        return heads.step_in(self._directory / path) if path else 0

    def _train(self) -> Iterator[int]:
        assert self._resume is not None
        begin = self._resume_step()
        for rank in range(WORLD if begin else 0):
            if load(self._directory / self._resume["manifest"], rank).shard.read_bytes() != content(rank, begin):
                os._exit(VIOLATION)
        saves = 0
        for step in range(begin + 1, begin + STEPS + 1):
            if step % 2 == 0:
                for rank in range(WORLD):
                    while self._board.stored(rank) < saves:
                        yield step
                    size = self._stagings[rank].fill(content(rank, step))
                    yield step
                    message = {"step": step, "bytes": size, "save": saves + 1, "extra": {}, "tokens": 0, "seconds": 0.0, "waits": False}
                    self._saving.take(rank, SimpleNamespace(rank=rank, staging=self._stagings[rank]), message)  # type: ignore[arg-type]
                saves += 1
            yield step

    def _background(self, work: Callable[[], Any], then: Callable[[Any], None], _failed: object = None) -> None:
        self._queue.append((work, then))

    def _work(self) -> None:
        work, then = self._queue.pop(self._chance.randrange(len(self._queue)))
        then(work())

    def _tell(self, message: Json) -> None:
        if message["kind"] == "resume":
            self._resume = message
        elif message["kind"] == "committed":
            struct.pack_into("q", self._told, 0, message["step"])
        elif message["kind"] == "stop":
            self._fenced = True


@dataclass
class History:
    """Attempts on one run directory, checked after each."""

    directory: Path
    kept: Retention = Retention()
    faults: Faults = Faults()
    _stopped: List[Tuple[int, Life]] = field(default_factory=list)
    _acknowledged: int = 0
    _begun: int = 0
    _newest: Tuple[int, int] = (0, 0)
    calls: int = 0

    def live(self, life: Life) -> None:
        told = mmap.mmap(-1, 24)
        pid = os.fork()
        if pid == 0:
            self._child(life, told)
        _, status = os.waitpid(pid, os.WUNTRACED)
        self.calls = struct.unpack_from("q", told, 16)[0]
        if os.WIFSTOPPED(status):
            self._stopped.append((pid, life))
        self._judge(life, status, told)

    def wake(self, which: int) -> None:
        """One that was stopped goes on, late."""
        pid, life = self._stopped.pop(which)
        before = set(manifests(self.directory))
        superseded = self._begun > life.number  # one that died before it had sealed the others has superseded nobody
        os.kill(pid, signal.SIGCONT)
        _, status = os.waitpid(pid, 0)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) not in (0,):
            raise Violation(f"attempt {life.number} ended with {os.WEXITSTATUS(status)}")
        late = {path for path in manifests(self.directory)} - before
        if superseded and late:
            raise Violation(f"attempt {life.number} was superseded and committed {sorted(path.name for path in late)}")
        self._check()

    def close(self) -> None:
        for pid, _ in self._stopped:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)

    def _child(self, life: Life, told: mmap.mmap) -> None:
        try:
            storage._BLOCK_BYTES = BLOCK_BYTES
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            node = Node(self.directory, life, self.kept, told)
            disk = Disk(life, node.between)
            plant(self.faults)
            node.run(disk)
        except BaseException:
            os._exit(4)
        os._exit(0)

    def _judge(self, life: Life, status: int, told: mmap.mmap) -> None:
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == VIOLATION:
            raise Violation(f"attempt {life.number} resumed other bits than were saved")
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0:
            raise Violation(f"attempt {life.number} failed by itself")
        acknowledged, resumed, _ = struct.unpack("qqq", told[:])
        if resumed and resumed - 1 < self._acknowledged:
            raise Violation(f"attempt {life.number} resumed step {resumed - 1} although step {self._acknowledged} was said to be committed")
        if resumed > 1 and resumed - 1 not in {heads.step_in(path) for path in manifests(self.directory)}:
            raise Violation(f"attempt {life.number} resumed step {resumed - 1}, which was removed while it ran")
        self._acknowledged = max(self._acknowledged, acknowledged)
        self._begun = life.number if resumed else self._begun
        self._check()

    def _check(self) -> None:
        newest = (0, 0)
        for path in manifests(self.directory):
            fault = fault_of(path)
            if fault is not None:
                raise Violation(f"{path.name} is committed and not whole: {fault}")
            manifest = storage.read_json(path) or {}
            if [shard["rank"] for shard in manifest["shards"]] != list(range(WORLD)):
                raise Violation(f"{path.name} lacks shards")
            for rank in range(WORLD):
                if load(path, rank).shard.read_bytes() != content(rank, manifest["step"]):
                    raise Violation(f"{path.name}: rank {rank} has other bits than it saved")
            newest = max(newest, (manifest["attempt"], manifest["step"]))
        if newest < self._newest:
            raise Violation(f"the newest checkpoint went from {self._newest} to {newest}")
        if newest[1] < self._acknowledged:
            raise Violation(f"step {self._acknowledged} was said to be committed and is gone")
        self._newest = newest


def play(directory: Path, seed: int, faults: Faults = Faults()) -> int:
    """A drawn history of several attempts; returns how many checkpoints there are in the end."""
    chance = random.Random(seed)
    history = History(directory, Retention(chance.randint(1, 3), chance.choice([None, 2, 3])), faults)
    try:
        for number in range(1, chance.randint(3, 6) + 1):
            draw = chance.random()
            at = chance.randint(1, 220)
            history.live(Life(number, chance.randrange(1 << 30), at if draw < 0.6 else 0, at if draw >= 0.7 else 0))
            if history._stopped and chance.random() < 0.6:
                history.wake(chance.randrange(len(history._stopped)))
        while history._stopped:
            history.wake(0)
        return len(list(manifests(directory)))
    finally:
        history.close()
