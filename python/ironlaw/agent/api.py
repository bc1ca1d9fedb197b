"""The control plane's API as an agent sees it: one kept connection, and patience that grows when the answers are late."""

from __future__ import annotations

import http.client
import json
import random
import socket
import ssl
from dataclasses import dataclass
from typing import Optional
from urllib.parse import urlsplit

from ironlaw.environment import Job
from ironlaw.storage import Json

TIMEOUT_S = 5.0
# An overloaded control plane was measured to take 14 s for one report in a hundred; giving up sooner makes it do the work twice.
TIMEOUT_LIMIT_S = 60.0
ANSWER_BYTES = 1024 * 1024
RETRY_S = 1.0
# Silence of an agent holds up nothing while the API is away; this bounds how long after its return the first report comes.
RETRY_LIMIT_S = 10.0
RETRY_AFTER_LIMIT_S = 120.0


@dataclass(frozen=True)
class Answer:
    status: int
    content: Json
    retry_after_s: Optional[float] = None


def backoff_s(failures: int) -> float:
    """Doubles from RETRY_S, each wait drawn from its upper half: agents that lost the API together do not return together."""
    return min(RETRY_LIMIT_S, RETRY_S * 2.0 ** min(failures - 1, 16)) * random.uniform(0.5, 1.0)


def _retry_after(text: Optional[str]) -> Optional[float]:
    """In seconds. The other form, a date, would trust two clocks."""
    if text is None or not text.strip().isdigit():
        return None
    return min(float(text), RETRY_AFTER_LIMIT_S)


class Api:
    """Any failure to get an answer is None."""

    def __init__(self, job: Job, base: Optional[str] = None) -> None:
        self._job = job
        self._base = base or f"/v1/runs/{job.run}/attempts/{job.attempt}"
        self._parts = urlsplit(job.api or "")
        self._connection: Optional[http.client.HTTPConnection] = None
        self._trust: Optional[ssl.SSLContext] = None
        self._token: Optional[str] = None
        self.timeout_s = TIMEOUT_S

    def post(self, what: str, body: bytes, kind: str) -> Optional[Answer]:
        """Once more when a kept connection turns out closed: the server may have closed it meanwhile, and every request may be repeated."""
        for again in ([False, True] if self._connection is not None else [True]):
            try:
                return self._post(what, body, kind)
            except socket.timeout:
                self.timeout_s = min(TIMEOUT_LIMIT_S, 2 * self.timeout_s)
                again = True  # the server has the request: the same again would only add to its load
            except (OSError, http.client.HTTPException, ValueError, RecursionError):
                pass
            self.close()
            if again:
                break
        return None

    def _post(self, what: str, body: bytes, kind: str) -> Answer:
        if self._connection is None:
            self._connection = self._connect()
        path = f"{self._parts.path}{self._base}/{what}"
        headers = {"Authorization": f"Bearer {self._read_token()}", "Content-Type": kind}
        self._connection.request("POST", path, body, headers)
        response = self._connection.getresponse()
        content = response.read(ANSWER_BYTES)
        if response.status == 401:
            self._token = None  # it may have been replaced
        self.timeout_s = max(TIMEOUT_S, 0.9 * self.timeout_s)
        answer = json.loads(content) if content.strip() else {}
        return Answer(response.status, answer if isinstance(answer, dict) else {}, _retry_after(response.getheader("Retry-After")))

    def _connect(self) -> http.client.HTTPConnection:
        if self._parts.scheme != "https":
            return http.client.HTTPConnection(self._parts.netloc, timeout=self.timeout_s)
        if self._trust is None:
            self._trust = ssl.create_default_context(cafile=self._job.authority)
        return http.client.HTTPSConnection(self._parts.netloc, timeout=self.timeout_s, context=self._trust)

    def _read_token(self) -> str:
        """Read once: storage that fails later must not silence the agent."""
        if self._token is None:
            self._token = (self._job.run_directory / "token").read_text(encoding="utf-8").strip()
        return self._token

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None
