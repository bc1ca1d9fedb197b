"""Reports that wait for the API: on disk, and in memory while the disk is full or fails. Both are bounded.

Step rows are given up first, oldest first, and counted. Exits are small and decide about recovery: they stay in memory
whatever the disk does.
"""

from __future__ import annotations

import json
import sys
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Deque, List, Optional

from ironlaw.storage import Json

SPOOL_BYTES = 64 * 1024 * 1024
# What the API takes in one report, and so what one report in memory may grow to: 3 MB of step rows.
LIMITS = {"exits": 4096, "steps": 10_000, "checkpoints": 1000, "notes": 1000}
DISK_RETRY_S = 5.0
READ_ATTEMPTS = 3


def is_empty(report: Json) -> bool:
    return not any(report[part] for part in LIMITS)


def merged(older: Json, newer: Json) -> Json:
    """One report that says what both say, within the limits: of exits, checkpoints and notes the first stay, of steps the last."""
    together = {part: [*older[part], *newer[part]] for part in LIMITS}
    lost = {part: len(rows) - LIMITS[part] for part, rows in together.items() if len(rows) > LIMITS[part] and part != "notes"}
    result = {**older, "beats": [], **{part: rows[: LIMITS[part]] for part, rows in together.items()}}
    result["steps"] = together["steps"][-LIMITS["steps"] :]
    if lost:
        result["notes"] = with_dropped(together["notes"], lost)
    return result


def with_dropped(notes: List[Json], lost: Json) -> List[Json]:
    """All that was dropped in one note, or a long outage would have more notes than a report may."""
    total = dict(lost)
    for note in notes:
        if note["kind"] == "dropped":
            for what, number in note["detail"].items():
                total[what] = total.get(what, 0) + number
    others = [note for note in notes if note["kind"] != "dropped"]
    return [*others[: LIMITS["notes"] - 1], {"kind": "dropped", "at": time.time(), "detail": total}]


def without_steps(report: Json) -> Json:
    if not report["steps"]:
        return report
    return {**report, "steps": [], "notes": with_dropped(report["notes"], {"steps": len(report["steps"])})}


def file_name(report: Json) -> str:
    return f"{report['sequence']:010d}.json"


@dataclass
class Waiting:
    sequence: int
    exits: List[Json]
    size: int = 0
    path: Optional[Path] = None
    report: Optional[Json] = None  # when it is not on disk
    attempted: bool = False  # its sequence may have been recorded, so its content must stay
    failed_reads: int = 0


class Spool:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._waiting: Deque[Waiting] = deque()
        self._bytes = 0
        self._stripped = 0  # how many of the oldest have lost their step rows
        self._disk_retry_at = 0.0
        self._complained = False
        self.lost_reports = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def first(self) -> Waiting:
        return self._waiting[0]

    def take_exits(self) -> List[Json]:
        """Exits of all that waits behind the first."""
        exits: List[Json] = []
        for waiting in list(self._waiting)[1:]:
            exits += waiting.exits
            waiting.exits = []
            if waiting.report is not None:
                waiting.report = {**waiting.report, "exits": []}
        return exits

    def add(self, report: Json, attempted: bool) -> None:
        entry = Waiting(report["sequence"], list(report["exits"]), attempted=attempted)
        written = self._write(report)
        if written is not None:
            entry.path, entry.size = written
            self._bytes += entry.size
            self._waiting.append(entry)
            self._shrink()
            return
        last = self._waiting[-1] if self._waiting else None
        if last is not None and last.report is not None and not last.attempted:
            last.report = merged(last.report, report)
            last.exits = last.report["exits"]
            return
        entry.report = report
        self._waiting.append(entry)

    def read(self, entry: Waiting) -> Optional[Json]:
        """None when it cannot be read: now, or, when it has left the spool, ever."""
        if entry.report is not None:
            return entry.report
        assert entry.path is not None
        try:
            report: Json = json.loads(entry.path.read_bytes())
            return report
        except (OSError, ValueError) as cause:
            entry.failed_reads += 1
            self._complain(cause)
            if entry.failed_reads >= READ_ATTEMPTS or isinstance(cause, (FileNotFoundError, ValueError)):
                self.lost_reports += 1
                if entry.exits:  # they are still known here
                    entry.report = {"sequence": entry.sequence, "sent_at": time.time(), "beats": [], **{part: [] for part in LIMITS}}
                    return entry.report
                self.remove_first()
            return None

    def remove_first(self) -> None:
        entry = self._waiting.popleft()
        self._bytes -= entry.size
        self._stripped = max(0, self._stripped - 1)
        if entry.path is not None:
            try:
                entry.path.unlink()
            except OSError as cause:
                self._complain(cause)  # found later it is a repetition, which its sequence shows

    def settle(self) -> None:
        """Moves to disk what had to stay in memory, when the disk takes it again."""
        for entry in self._waiting:
            if entry.report is None or entry.path is not None:
                continue
            written = self._write(entry.report)
            if written is None:
                return
            entry.path, entry.size = written
            entry.report = None
            self._bytes += entry.size
        self._shrink()

    def save(self, report: Json, name: str) -> None:
        """Leaves a report that is no longer waited for: for the control plane to find, or for a person."""
        try:
            self._replace(self.directory / name, json.dumps(report).encode())
        except OSError as cause:
            self._complain(cause)

    def _write(self, report: Json) -> "Optional[tuple[Path, int]]":
        if time.monotonic() < self._disk_retry_at:
            return None
        path = self.directory / file_name(report)
        body = json.dumps(report).encode()
        try:
            self._replace(path, body)
        except OSError as cause:
            self._complain(cause)
            self._disk_retry_at = time.monotonic() + DISK_RETRY_S
            return None
        self._complained = False
        return path, len(body)

    def _replace(self, path: Path, body: bytes) -> None:
        """Whole or not at all: the control plane reads what is left here when the job is over."""
        self.directory.mkdir(parents=True, exist_ok=True)
        staging = path.with_suffix(".new")
        try:
            staging.write_bytes(body)
            staging.replace(path)
        except OSError:
            try:
                staging.unlink()
            except OSError:
                pass  # it was never made, or the disk is gone altogether
            raise

    def _shrink(self) -> None:
        while self._bytes > SPOOL_BYTES and self._stripped < len(self._waiting):
            self._strip(self._waiting[self._stripped])
            self._stripped += 1

    def _strip(self, entry: Waiting) -> None:
        if entry.path is None or entry.attempted:
            return
        try:
            report = without_steps(json.loads(entry.path.read_bytes()))
            body = json.dumps(report).encode()
            self._replace(entry.path, body)
        except (OSError, ValueError) as cause:
            self._complain(cause)
            return
        self._bytes += len(body) - entry.size
        entry.size = len(body)

    def _complain(self, cause: Exception) -> None:
        if not self._complained:
            print(f"ironlaw: the spool {self.directory} fails: {cause}; exits are kept in memory", file=sys.stderr, flush=True)
            self._complained = True
