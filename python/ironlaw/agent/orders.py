"""What the control plane wants of an agent in an allocation: asked for again and again, often while the agent waits for work."""

from __future__ import annotations

import json
import random
import threading
import time
from typing import Optional

from ironlaw.agent.api import Api
from ironlaw.environment import Job, Place
from ironlaw.storage import Json

POLL_S = 0.25  # until the API says how often
# At work the head speaks for all agents; one whose head is stuck still learns within seconds that a later attempt has begun.
AT_WORK = 20.0
AT_WORK_MOST_S = 15.0
# Nobody may be there to take the nodes back, so an agent that cannot ask leaves by itself in the end. A control plane that is down
# for repair is back within an hour; one that refuses us for a minute has forgotten the run.
UNREACHABLE_LIMIT_S = 3600.0
REFUSED_LIMIT_S = 60.0


class Orders(threading.Thread):
    def __init__(self, place: Place, job: Job) -> None:
        super().__init__(daemon=True, name="orders")
        self._place, self._api = place, Api(job, f"/v1/runs/{job.run}")
        self._announcement = {
            "allocation": place.allocation,
            "index": place.index,
            "node": job.node,
            "host": place.host,
            "incarnation": place.incarnation,
        }
        self._ended = 0
        self._changed = threading.Condition()
        self._asking = threading.Event()
        self._order: Optional[Json] = None
        self._leave: Optional[str] = None
        self._at_work = False
        self._poll_s = POLL_S
        self._answered_at = time.monotonic()
        self._refused_since: Optional[float] = None

    def wait(self, beyond: int) -> Optional[Json]:
        """An order for a later attempt than that; None when the agent is to leave."""
        with self._changed:
            self._ended = beyond  # also where it could not start
            self._at_work = False
            self._asking.set()
            # With a time limit, so that signals are handled meanwhile.
            while self._leave is None and not self._is_later(beyond):
                self._changed.wait(0.5)
            self._at_work = True
            return None if self._leave is not None else self._order

    def is_superseded(self, attempt: int) -> bool:
        return self._is_later(attempt)

    def leave(self, why: str) -> None:
        """Also from a signal handler, which may interrupt the holder of the lock: the waiter polls every half second."""
        self._leave = self._leave or why

    @property
    def why(self) -> str:
        return self._leave or ""

    def finishing(self, attempt: int) -> None:
        """Its ranks have ended; the next order is awaited from now on, whatever has still to be sent."""
        self._ended = attempt
        self._at_work = False
        self._asking.set()

    def _is_later(self, attempt: int) -> bool:
        return self._order is not None and int(self._order["attempt"]) > attempt

    def run(self) -> None:
        while self._leave is None:
            self._ask()
            pause_s = min(self._poll_s * AT_WORK, AT_WORK_MOST_S) if self._at_work else self._poll_s
            self._asking.clear()
            self._asking.wait(pause_s * random.uniform(0.75, 1.25))

    def _ask(self) -> None:
        body = json.dumps({**self._announcement, "ended_attempt": self._ended}).encode()
        answer = self._api.post("agents", body, "application/json")
        now = time.monotonic()
        if answer is not None:
            self._answered_at = now
        status = answer.status if answer else 0
        if not (400 <= status < 500 and status != 429):
            self._refused_since = None
        elif self._refused_since is None:
            self._refused_since = now
        if answer and status == 200:
            self._take(answer.content)
        elif self._refused_since is not None and now - self._refused_since > REFUSED_LIMIT_S:
            self._end(f"the control plane refuses this run ({status})")
        elif status == 0 and now - self._answered_at > UNREACHABLE_LIMIT_S:
            self._end(f"no control plane for {UNREACHABLE_LIMIT_S:.0f} s")

    def _take(self, content: Json) -> None:
        order, poll_s = content.get("order"), content.get("poll_s")
        with self._changed:
            if isinstance(poll_s, (int, float)) and 0 < poll_s <= 60:
                self._poll_s = float(poll_s)
            if isinstance(order, dict) and (self._order is None or order["attempt"] > self._order["attempt"]):
                self._order = order
            if content.get("leave") is True:
                self._leave = self._leave or "the run needs this node no longer"
            self._changed.notify_all()

    def _end(self, why: str) -> None:
        with self._changed:
            self._leave = self._leave or why
            self._changed.notify_all()
