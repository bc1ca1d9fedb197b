"""Reports on their way to the API: in order, once by sequence, spooled while the API is away. Training never waits for it.

Nothing here ends the thread: a full disk, an API that refuses, an answer of nonsense. Exits go ahead of what waits, and a
report that the API refuses is taken apart so that its exits arrive alone.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import deque
from typing import Callable, Deque, List, Optional, Tuple

from ironlaw.agent.api import RETRY_S, Api, Answer, backoff_s
from ironlaw.agent.spool import LIMITS, Spool, file_name, is_empty, merged, with_dropped
from ironlaw.environment import Job
from ironlaw.storage import Json

RETRY_REFUSED_S = 30.0
UNREADABLE = (400, 413, 422)  # the same report would be refused for ever
# The API takes a sender's sequences in rising order only; the numbers in between are for exits that overtake.
SEQUENCE_STEP = 32
# While the thread is held up, by storage that hangs or an API that is slow, more reports than this become one.
INCOMING = 256
REFUSED_KEPT = 16


class Outbox(threading.Thread):
    def __init__(self, job: Job, answered: Callable[[Json], None]) -> None:
        super().__init__(daemon=True, name="outbox")
        self._job = job
        self._api = Api(job)
        self._answered = answered
        self._arrival = threading.Condition()
        self._incoming: Deque[Json] = deque()
        self._closing = False
        self._sequence = 0
        self._sent_sequence = 0  # the highest that the API may know
        self._spool = Spool(job.run_directory / "attempts" / f"{job.attempt:04d}" / "spool" / f"node-{job.index}")
        # Go before what is spooled, their sequence and content fixed until they are answered: exits that overtake, parts of a refused report.
        self._ahead: Deque[Tuple[Json, bool]] = deque()
        self._failures = 0
        self._retry_at = 0.0
        self._held = False  # the API named a time itself
        self._complained = False
        self._refused = 0

    def put(self, content: Json) -> None:
        with self._arrival:
            self._incoming.append(content)
            if len(self._incoming) > INCOMING:
                oldest = self._incoming.popleft()
                self._incoming[0] = {**merged(oldest, self._incoming[0]), "beats": self._incoming[0]["beats"]}
            self._arrival.notify()

    def close(self) -> None:
        """Nothing more will come; what is left is still delivered."""
        with self._arrival:
            self._closing = True
            self._arrival.notify()

    def finish(self, limit_s: float) -> None:
        """Delivers what is left, or leaves it on disk."""
        self.close()
        self.join(limit_s)

    def run(self) -> None:
        while True:
            content = self._next()
            try:
                if content is not None:
                    self._take(content)
                if self._has_waiting() and time.monotonic() >= self._retry_at:
                    self._drain()
                if self._closing and not self._incoming:
                    if not self._has_waiting():
                        self._api.close()
                        return
                    self._leave()
            except Exception as cause:  # whatever goes wrong with one report, the next one still goes out
                self._complain(f"a report failed: {cause!r}")
                self._wait(None)

    def _next(self) -> Optional[Json]:
        with self._arrival:
            if not self._incoming:
                self._arrival.wait(RETRY_S / 4)
            return self._incoming.popleft() if self._incoming else None

    def _has_waiting(self) -> bool:
        return len(self._spool) > 0 or len(self._ahead) > 0

    def _take(self, content: Json) -> None:
        self._sequence += SEQUENCE_STEP
        head = {"node": self._job.node, "index": self._job.index, "sequence": self._sequence, "sent_at": time.time()}
        report = {**head, **content}
        attempted = not self._has_waiting() and time.monotonic() >= self._retry_at
        if attempted and self._deliver(report):
            return
        if report["exits"] and not self._held:  # they are worth an attempt of their own
            self._retry_at = min(self._retry_at, time.monotonic() + RETRY_S)
        report["beats"] = []  # a beat says how things are now; later it would mislead
        if not is_empty(report):
            self._spool.add(report, attempted)

    # -- what waits

    def _drain(self) -> None:
        self._spool.settle()
        while self._has_waiting() and not self._incoming:
            if not self._ahead:
                self._overtake()
            if self._ahead:
                report, whole = self._ahead.popleft()
                if not self._deliver(report, whole):
                    self._ahead.appendleft((report, whole))
                    return
                continue
            first = self._spool.first()
            report = self._spool.read(first)
            if report is None:
                if len(self._spool) and self._spool.first() is first:
                    self._retry_at = time.monotonic() + RETRY_S  # storage may come back
                    return
                continue
            first.attempted = True
            lost, self._spool.lost_reports = self._spool.lost_reports, 0
            notes = with_dropped(report["notes"], {"reports": lost}) if lost else report["notes"]
            head = {"node": self._job.node, "index": self._job.index}
            if not self._deliver({**head, **report, "exits": first.exits, "notes": notes}):
                self._spool.lost_reports += lost
                return
            self._spool.remove_first()

    def _overtake(self) -> None:
        """Exits behind the first waiting report go before it, unless that one may have been recorded already."""
        first = self._spool.first()
        if first.attempted or self._sent_sequence + 1 >= first.sequence:
            return
        exits = [*first.exits, *self._spool.take_exits()][: LIMITS["exits"]]
        first.exits = []
        if exits:
            self._ahead.append((self._alone({"exits": exits}, self._sent_sequence + 1), True))

    def _leave(self) -> None:
        """Closing with the API away: what is in memory goes to disk, where the control plane looks when the job is over."""
        self._spool.settle()
        for report, _ in self._ahead:
            self._spool.save(report, file_name(report))

    def _alone(self, parts: Json, sequence: int) -> Json:
        empty: Json = {part: [] for part in ("beats", *LIMITS)}
        return {"node": self._job.node, "index": self._job.index, "sequence": sequence, "sent_at": time.time(), **empty, **parts}

    # -- delivery

    def _deliver(self, report: Json, whole: bool = True) -> bool:
        """True when the report is off our hands. One that is refused as a whole is taken apart."""
        self._sent_sequence = max(self._sent_sequence, report["sequence"])  # from now on it may have been recorded
        answer = self._api.post("reports", json.dumps(report).encode(), "application/json")
        is_refused = False
        if answer is not None and answer.status in UNREADABLE:
            is_refused = True
            self._complain(f"the API answers {answer.status} to a report: {answer.content.get('code', '')}")
            pieces = self._pieces(report) if whole else []
            self._ahead.extendleft((piece, False) for piece in reversed(pieces))
            self._keep_refused(report)
        return is_refused or self._is_taken(answer)

    def _is_taken(self, answer: Optional[Answer]) -> bool:
        if answer is None or answer.status >= 500 or answer.status == 429:
            self._wait(answer.retry_after_s if answer else None)
            return False
        self._failures, self._held = 0, False
        if answer.status == 200:
            self._answered(answer.content)
            return True
        if answer.status == 409 and answer.content.get("code") == "IL_FENCED":
            self._answered({"stop": "fenced"})
            return True
        self._complain(f"the API answers {answer.status} to a report: {answer.content.get('code', '')}")
        self._retry_at, self._held = time.monotonic() + RETRY_REFUSED_S, True
        return False

    def _wait(self, retry_after_s: Optional[float]) -> None:
        self._failures += 1
        self._held = retry_after_s is not None
        self._retry_at = time.monotonic() + max(retry_after_s or 0.0, backoff_s(self._failures))

    def _pieces(self, report: Json) -> List[Json]:
        """Exits first, in the least that names them; then each other part by itself, so that one bad row does not take the rest along."""
        least = [{name: row.get(name) for name in ("node", "index", "rank", "code", "signal", "at")} for row in report["exits"]]
        parts: List[Json] = [{"exits": [{**row, "tail": ""} for row in least]}] if least else []
        others = [{part: report[part]} for part in ("checkpoints", "steps", "notes") if report[part]]
        parts += others if least or len(others) > 1 or report["beats"] else []
        return [self._alone(part, report["sequence"] + 1 + place) for place, part in enumerate(parts)]

    def _keep_refused(self, report: Json) -> None:
        self._refused += 1
        if self._refused <= REFUSED_KEPT:
            self._spool.save(report, f"refused-{report['sequence']:010d}.json")

    def _complain(self, text: str) -> None:
        if not self._complained:
            print(f"ironlaw: {text}", file=sys.stderr, flush=True)
            self._complained = True
