"""Ships the ranks' log files while they grow. The offset makes a repeated request harmless."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Dict

from ironlaw.agent.api import Api
from ironlaw.environment import Job

EVERY_S = 1.0
CHUNK_BYTES = 256 * 1024


class LogShipper(threading.Thread):
    def __init__(self, job: Job, logs: Dict[int, Path]) -> None:
        super().__init__(daemon=True, name="logs")
        self._job = job
        self._api = Api(job)
        self._logs = logs
        self._offsets = {rank: 0 for rank in logs}
        self._closing = threading.Event()

    def close(self) -> None:
        self._closing.set()

    def finish(self, limit_s: float) -> None:
        self.close()
        self.join(limit_s)

    def run(self) -> None:
        while not self._closing.wait(EVERY_S):
            self._ship()
        while self._ship():
            time.sleep(0.01)

    def _ship(self) -> bool:
        """True when more may be sent at once."""
        more = False
        for rank, path in self._logs.items():
            offset = self._offsets[rank]
            try:
                with open(path, "rb") as file:
                    file.seek(offset)
                    chunk = file.read(CHUNK_BYTES)
            except OSError:
                continue  # storage that fails now may come back
            if not chunk:
                continue
            answer = self._api.post(f"logs?node={self._job.index}&rank={rank}&offset={offset}", chunk, "text/plain; charset=utf-8")
            if answer is None or answer.status != 200:
                return False
            stored = answer.content.get("offset")
            self._offsets[rank] = stored if isinstance(stored, int) and stored >= 0 else offset + len(chunk)
            more = more or len(chunk) == CHUNK_BYTES
        return more
