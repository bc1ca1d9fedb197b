"""The one thread that everything of an attempt runs on: what it waits for, and how other threads and signals reach it."""

from __future__ import annotations

import queue
import selectors
import signal
import socket
import sys
import threading
from typing import Any, Callable, Dict


class Loop:
    def __init__(self) -> None:
        self.selector = selectors.DefaultSelector()
        self._calls: "queue.SimpleQueue[Callable[[], None]]" = queue.SimpleQueue()
        self._wake_read, self._wake_write = socket.socketpair()
        self._closed = False

    def catch_signals(self, caught: Callable[[int], None]) -> None:
        self._wake_write.setblocking(False)
        self._wake_read.setblocking(False)
        signal.set_wakeup_fd(self._wake_write.fileno(), warn_on_full_buffer=False)
        self.selector.register(self._wake_read, selectors.EVENT_READ, lambda: self._wake_read.recv(4096))
        for number in (signal.SIGTERM, signal.SIGUSR1):
            signal.signal(number, lambda which, _: self.call(lambda: caught(which)))
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def turn(self, timeout_s: float) -> None:
        for key, _ in self.selector.select(timeout=timeout_s):
            key.data()
        while not self._calls.empty():
            self._calls.get()()

    def call(self, function: Callable[[], None]) -> None:
        """Runs a function on the loop, from any thread."""
        self._calls.put(function)
        try:
            self._wake_write.send(b"\0")
        except BlockingIOError:
            pass  # it is awake
        except OSError:
            if not self._closed:
                raise

    def background(self, work: Callable[[], Any], then: Callable[[Any], None], failed: Callable[[], None]) -> None:
        def act() -> None:
            try:
                result = work()
            except Exception as cause:  # the waiter gets the error instead of a result
                print(f"ironlaw: {cause!r}", file=sys.stderr, flush=True)
                self.call(failed)
                return
            self.call(lambda: then(result))

        threading.Thread(target=act, daemon=True).start()

    def close(self) -> None:
        self._closed = True
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self.selector.close()
        self._wake_write.close()


class Timers:
    """When what is done again and again was done last."""

    def __init__(self) -> None:
        self._next: Dict[str, float] = {}

    def due(self, what: str, every_s: float, now: float) -> bool:
        if now < self._next.get(what, 0.0):
            return False
        self._next[what] = now + every_s
        return True
