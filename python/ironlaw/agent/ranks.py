"""The processes of one node: torchrun's environment, a log file and a channel each, reaped at once."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

from ironlaw.agent.descendants import adopt_orphans, kill_orphans
from ironlaw.board import Board
from ironlaw.environment import Job
from ironlaw.secret_files import read_secrets
from ironlaw.staging import Staging
from ironlaw.storage import Json

TAIL_BYTES = 2048
STRATEGIES_LIMIT = 8  # a program settles on one before its first step
_PR_SET_PDEATHSIG = 1
# Of what a scheduler hands out to a job: Slurm sets the first for NVIDIA and the second for AMD.
_VISIBLE = ("CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")


@dataclass
class Rank:
    rank: int
    process: "subprocess.Popen[bytes]"
    channel: socket.socket
    log: Path
    staging: Staging
    code: Optional[int] = None
    killed: bool = False
    started: bool = True  # False where the node has no such program
    attached: bool = False
    resume_asked: bool = field(default=False)
    strategy: Optional[Json] = None
    strategies: int = 0

    @property
    def alive(self) -> bool:
        return self.code is None


def device_problem(environment: Mapping[str, str]) -> Optional[str]:
    """Why ranks may take accelerators of other jobs. Every rank sees all that the node gives to the job, and LOCAL_RANK counts among these, as
    under torchrun: with one visible device each, programs that select device LOCAL_RANK fail."""
    requested = environment.get("IRONLAW_DEVICES")
    if requested is None:
        return None
    listed = next((environment[name] for name in _VISIBLE if environment.get(name)), None)
    if listed is None:
        return f"{requested} accelerators were requested, and none of {', '.join(_VISIBLE)} says which are ours"
    count = len(listed.split(","))
    return None if count == int(requested) else f"{requested} accelerators were requested, {count} are visible: {listed}"


_REPORT_MISSING = "import sys; print(sys.argv[1], file=sys.stderr); sys.exit(127)"


def missing_program(program: Sequence[str]) -> Optional[str]:
    """Why there is nothing to start on this node, in words that people know from their shell."""
    name = program[0]
    if not name.endswith(".py"):
        return None if shutil.which(name) else f"{name}: command not found, or not executable, on this node"
    return None if os.path.isfile(name) else f"can't open file '{os.path.abspath(name)}': no such file on this node"


def _command(job: Job, program: Sequence[str]) -> List[str]:
    pattern = os.environ.get("IRONLAW_STEP_PATTERN")
    if pattern is not None and not job.check:
        return [sys.executable, "-m", "ironlaw.watch_log", f"--pattern={pattern}", "--", *program]
    return [sys.executable, *program] if program[0].endswith(".py") else list(program)


def _secrets(job: Job) -> Tuple[Dict[str, str], Optional[str]]:
    """None for a check of the nodes, which runs nothing of the user's."""
    try:
        return ({} if job.check else read_secrets(os.environ)), None
    except OSError as cause:
        return {}, f"cannot read the secrets of the job: {cause}"


def spawn(job: Job, program: Sequence[str], rendezvous: Mapping[str, str], board: Board) -> List[Rank]:
    """Called from the main thread: the kernel kills the ranks when the thread that made them dies."""
    problem = device_problem(os.environ)
    if problem is not None:
        print(f"ironlaw: {problem}", file=sys.stderr, flush=True)
    adopt_orphans()
    libc = ctypes.CDLL(None)
    secrets, withheld = _secrets(job)
    missing = withheld or missing_program(program)
    command = _command(job, program) if missing is None else [sys.executable, "-c", _REPORT_MISSING, missing]

    def die_with_parent() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    ranks: List[Rank] = []
    for local in range(job.processes):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        staging = Staging.create()
        number = job.index * job.processes + local
        log = job.run_directory / "attempts" / f"{job.attempt:04d}" / "logs" / f"rank-{number:05d}.log"
        environment = {
            "OMP_NUM_THREADS": "1",  # as torchrun: ranks that each take all cores starve one another
            "PYTHONUNBUFFERED": "1",
            **os.environ,
            **secrets,
            **rendezvous,
            "IRONLAW_ATTEMPT": str(job.attempt),
            "IRONLAW_NODES": str(job.nodes),
            "IRONLAW_NODE_INDEX": str(job.index),
            "RANK": str(number),
            "WORLD_SIZE": str(job.world),
            "LOCAL_RANK": str(local),
            "LOCAL_WORLD_SIZE": str(job.processes),
            "IRONLAW_CHANNEL": f"{theirs.fileno()},{board.descriptor},{job.processes}",
            "IRONLAW_STAGING": str(staging.descriptor),
        }
        with open(log, "ab", buffering=0) as output:
            process = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(theirs.fileno(), board.descriptor, staging.descriptor),
                preexec_fn=die_with_parent,
            )
        theirs.close()
        ours.setblocking(False)
        ranks.append(Rank(number, process, ours, log, staging, started=missing is None))
    return ranks


def is_news(rank: Rank, running: object) -> bool:
    """What a rank runs with, once per change: every note becomes an event, and a program may say the same with every step."""
    if not isinstance(running, dict) or running == rank.strategy or rank.strategies >= STRATEGIES_LIMIT:
        return False
    rank.strategy, rank.strategies = running, rank.strategies + 1
    return True


def reap(ranks: Sequence[Rank]) -> List[Rank]:
    """Those that have ended since the last call."""
    ended: List[Rank] = []
    for rank in ranks:
        if rank.alive:
            rank.code = rank.process.poll()
            if not rank.alive:
                ended.append(rank)
    return ended


def kill(ranks: Sequence[Rank]) -> None:
    """At once: a rank in a dead collective runs no handler, and there is nothing left that it could save."""
    for rank in ranks:
        if rank.alive and rank.process.poll() is None:
            rank.killed = True
            rank.process.kill()


def end(ranks: Sequence[Rank]) -> None:
    """Ranks and all that they started."""
    kill(ranks)
    for rank in ranks:
        rank.process.wait()
        rank.staging.close()
    kill_orphans()


def exit_row(job: Job, rank: Rank) -> Json:
    code = rank.code or 0
    return {
        "node": job.node,
        "index": job.index,
        "rank": rank.rank,
        "code": code if code >= 0 else None,
        "signal": -code if code < 0 else None,
        "at": time.time(),
        "tail": "" if rank.killed else _tail(rank.log),
        "killed": rank.killed,
        "started": rank.started,
    }


def _tail(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL_BYTES))
            return file.read(TAIL_BYTES).decode("utf-8", "replace")
    except OSError as cause:
        return f"(the log cannot be read: {cause})"  # the exit matters more than its last words


def status_of(code: int) -> int:
    return code if code >= 0 else 128 - code
