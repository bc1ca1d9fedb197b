"""An agent in an allocation: runs one attempt after another in place, as the control plane orders, and leaves when ordered to.

Where ranks have died, or a node of the attempt was lost, this agent and its node stay: the next attempt starts here.
"""

from __future__ import annotations

import signal
import sys
import traceback
from dataclasses import replace
from typing import List, Sequence

from ironlaw.agent.node import Node
from ironlaw.agent.orders import Orders
from ironlaw.agent.roles import Lingering
from ironlaw.environment import Job, Place
from ironlaw.storage import Fenced, Json

LEAVE_FLUSH_S = 10.0
CHECK = (sys.executable, "-m", "ironlaw.measure.check")


class Member:
    def __init__(self, place: Place, job: Job, program: Sequence[str]) -> None:
        self._job, self._program = job, program
        self._orders = Orders(place, job)
        self._lingering: List[Lingering] = []

    def run(self) -> int:
        self._catch_signals()
        self._orders.start()
        attempt = code = 0
        while True:
            order = self._orders.wait(beyond=attempt)
            if order is None:
                break
            attempt = int(order["attempt"])
            code = self._attempt(order)
            self._catch_signals()
        print(f"ironlaw: leaves: {self._orders.why}", file=sys.stderr, flush=True)
        for each in self._lingering:
            each.finish(LEAVE_FLUSH_S)
        return code

    def _attempt(self, order: Json) -> int:
        before = order.get("resume_before")
        job = replace(
            self._job,
            attempt=int(order["attempt"]),
            nodes=int(order["nodes"]),
            index=int(order["index"]),
            owner=str(order["head"]),
            checkpoint_every_s=float(order["checkpoint_every_s"]),
            resume_before=None if before is None else int(before),
            check=order.get("check") is True,
        )
        node = Node(job, CHECK if job.check else self._program, self._orders)
        try:
            return node.run()
        except Fenced:
            return 0  # a later attempt has begun: its order is on the way
        except Exception:  # this attempt cannot start here, which the control plane learns by its silence; the next one may
            traceback.print_exc()
            return 1
        finally:
            self._lingering = [each for each in self._lingering if each.is_alive()] + node.close()

    def _catch_signals(self) -> None:
        """While there is nothing to save."""
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGUSR1):
            signal.signal(number, lambda caught, _: self._orders.leave(signal.Signals(caught).name))
