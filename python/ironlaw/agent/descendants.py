"""What ranks have started and left behind: a shell that is killed leaves its programs running, and these would hold what the next attempt needs."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from typing import Dict, List

_PR_SET_CHILD_SUBREAPER = 36
# A process that the kernel does not let go of, as in a read from storage that hangs, is left to the end of the job.
LIMIT_S = 5.0


def adopt_orphans() -> None:
    """Processes whose parent died become children of this one, so that they can be found."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def kill_orphans() -> None:
    """Called when every rank has ended: whatever this process has below itself is an orphan then."""
    limit = time.monotonic() + LIMIT_S
    while time.monotonic() < limit:
        found = _below(os.getpid())
        if not found:
            return
        for pid in found:
            _kill(pid)
        _reap()
        time.sleep(0.005)


def _below(pid: int) -> List[int]:
    children: Dict[int, List[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            children.setdefault(_parent_of(int(name)), []).append(int(name))
    found = list(children.get(pid, []))
    for each in found:
        found += children.get(each, [])
    return found


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass  # it ended by itself


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _parent_of(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The program's name, in brackets, may itself hold spaces and brackets.
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0
