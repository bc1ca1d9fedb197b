"""Reports on their way to the API: in order, once by sequence, on disk while the API is away. Training never waits for it."""

from __future__ import annotations

import http.client
import json
import queue
import sys
import threading
import time
from pathlib import Path
from typing import Callable, List, Optional, Tuple
from urllib.parse import urlsplit

from ironlaw.environment import Job
from ironlaw.storage import Json

TIMEOUT_S = 5.0
RETRY_S = 1.0
RETRY_REFUSED_S = 30.0
SPOOL_BYTES = 64 * 1024 * 1024
UNREADABLE = (400, 413, 422)  # the same report would be refused for ever

Answer = Tuple[int, Json]


class Api:
    """One kept connection. Any failure to get an answer is None."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._parts = urlsplit(job.api or "")
        self._connection: Optional[http.client.HTTPConnection] = None

    def post(self, what: str, body: bytes, kind: str) -> Optional[Answer]:
        """Twice when the connection was kept: the server may have closed it meanwhile, and every request may be repeated."""
        kept = self._connection is not None
        return self._post(what, body, kind) or (self._post(what, body, kind) if kept else None)

    def _post(self, what: str, body: bytes, kind: str) -> Optional[Answer]:
        try:
            token = (self._job.run_directory / "token").read_text(encoding="utf-8").strip()
            if self._connection is None:
                maker = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
                self._connection = maker(self._parts.netloc, timeout=TIMEOUT_S)
            path = f"{self._parts.path}/v1/runs/{self._job.run}/attempts/{self._job.attempt}/{what}"
            headers = {"Authorization": f"Bearer {token}", "Content-Type": kind}
            self._connection.request("POST", path, body, headers)
            response = self._connection.getresponse()
            content = response.read()
            answer = json.loads(content) if content.strip() else {}
            return response.status, answer if isinstance(answer, dict) else {}
        except (OSError, http.client.HTTPException, ValueError):
            self.close()
            return None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


class Outbox(threading.Thread):
    def __init__(self, job: Job, answered: Callable[[Json], None]) -> None:
        super().__init__(daemon=True, name="outbox")
        self._job = job
        self._api = Api(job)
        self._answered = answered
        self._queue: "queue.Queue[Optional[Json]]" = queue.Queue()
        self._sequence = 0
        self._spool = job.run_directory / "attempts" / f"{job.attempt:04d}" / "spool" / f"node-{job.index}"
        self._spool.mkdir(parents=True, exist_ok=True)
        self._waiting: List[Path] = []
        self._spooled_bytes = 0
        self._stripped = 0  # how many of the oldest files have lost their step rows
        self._retry_at = 0.0
        self._complained = False

    def put(self, content: Json) -> None:
        self._queue.put(content)

    def finish(self, limit_s: float) -> None:
        """Delivers what is left, or leaves it on disk."""
        self._queue.put(None)
        self.join(limit_s)

    def run(self) -> None:
        closing = False
        while True:
            try:
                content = self._queue.get(timeout=RETRY_S / 4)
                closing = closing or content is None
                if content is not None:
                    self._take(content)
            except queue.Empty:
                pass
            if self._waiting and time.monotonic() >= self._retry_at:
                self._drain()
            if closing and self._queue.empty() and not self._waiting:
                self._api.close()
                return

    def _take(self, content: Json) -> None:
        self._sequence += 1
        report = {"node": self._job.node, "index": self._job.index, "sequence": self._sequence, "sent_at": time.time(), **content}
        if not self._waiting and time.monotonic() >= self._retry_at and self._deliver(json.dumps(report).encode()):
            return
        report["beats"] = []  # a beat says how things are now; later it would mislead
        if any(report[part] for part in ("exits", "steps", "checkpoints", "notes")):
            self._store(report)

    def _deliver(self, body: bytes) -> bool:
        answer = self._api.post("reports", body, "application/json")
        if answer is None or answer[0] >= 500:
            self._retry_at = time.monotonic() + RETRY_S
            return False
        status, content = answer
        if status == 200:
            self._answered(content)
            return True
        if status == 409 and content.get("code") == "IL_FENCED":
            self._answered({"stop": "fenced"})
            return True
        if not self._complained:
            print(f"ironlaw: the API answers {status} to a report: {content.get('code', '')}", file=sys.stderr, flush=True)
            self._complained = True
        if status in UNREADABLE:
            (self._spool / f"refused-{self._sequence:06d}.json").write_bytes(body)
            return True
        self._retry_at = time.monotonic() + RETRY_REFUSED_S
        return False

    def _store(self, report: Json) -> None:
        path = self._spool / f"{report['sequence']:06d}.json"
        body = json.dumps(report)
        path.write_text(body, encoding="utf-8")
        self._waiting.append(path)
        self._spooled_bytes += len(body)
        while self._spooled_bytes > SPOOL_BYTES and self._stripped < len(self._waiting):
            self._strip(self._waiting[self._stripped])
            self._stripped += 1

    def _strip(self, path: Path) -> None:
        """Step rows go first, oldest first, and their number stays."""
        body = path.read_text(encoding="utf-8")
        report = json.loads(body)
        note = {"kind": "dropped", "at": time.time(), "detail": {"steps": len(report["steps"])}}
        if report["steps"]:
            report = {**report, "steps": [], "notes": [*report["notes"], note]}
        smaller = json.dumps(report)
        path.write_text(smaller, encoding="utf-8")
        self._spooled_bytes += len(smaller) - len(body)

    def _drain(self) -> None:
        while self._waiting and self._queue.empty():
            body = self._waiting[0].read_bytes()
            if not self._deliver(body):
                return
            self._waiting.pop(0).unlink()
            self._spooled_bytes -= len(body)
            self._stripped = max(0, self._stripped - 1)
