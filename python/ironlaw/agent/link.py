"""Lines of JSON between agents over a socket that never blocks the loop.

Whatever arrives is from the network until the peer has proved the secret, so a line has a length limit, its JSON a depth
limit, and a peer that breaks either loses its link: nothing that it sends raises into the loop.
"""

from __future__ import annotations

import json
import select
import socket
import ssl
import time
from typing import Any, List, Optional

from ironlaw.agent.sealed import Sealed
from ironlaw.storage import Json

BACKLOG_BYTES = 8 * 1024 * 1024
# Longest line of a peer that has proved the secret: what a sender may have waiting, and it sends whole lines.
LINE_BYTES = BACKLOG_BYTES
# Longest line before that: a hello is an index and a secret of 32 digits.
HELLO_BYTES = 1024
# Our own messages nest 5 deep, and what a program puts into `extra` of a shard comes on top.
DEPTH = 64


def parse_line(line: bytes) -> Json:
    """An object at most DEPTH deep, else ValueError."""
    try:
        message = json.loads(line)
    except RecursionError:
        raise ValueError("nested too deep to parse") from None
    if not isinstance(message, dict):
        raise ValueError(f"a message is an object, this is {type(message).__name__}")
    level: List[Any] = [message]
    for _ in range(DEPTH):
        inner = [value for part in level for value in (part.values() if isinstance(part, dict) else part)]
        level = [value for value in inner if isinstance(value, (dict, list))]
        if not level:
            return message
    raise ValueError(f"nested more than {DEPTH} deep")


class Link:
    def __init__(self, connection: socket.socket, line_bytes: int = LINE_BYTES, sealed: Optional[Sealed] = None) -> None:
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = connection
        self.line_bytes = line_bytes
        self.index: Optional[int] = None  # known after the hello
        self.closed = False
        self.fault: Optional[str] = None  # why we closed it, when the peer broke a rule
        self._sealed = sealed
        self._incoming = bytearray()
        self._outgoing = bytearray()
        self.flush()  # the handshake begins

    def send(self, message: Json) -> None:
        if self.closed:
            return
        line = json.dumps(message).encode() + b"\n"
        if self._sealed:
            self._sealed.write(line)
        else:
            self._outgoing += line
        self.flush()
        if self._backlog() > BACKLOG_BYTES:
            self._hang_up()

    def _backlog(self) -> int:
        return len(self._outgoing) + (self._sealed.waiting if self._sealed else 0)

    def flush(self) -> None:
        if self._sealed:
            self._outgoing += self._sealed.take()
        while self._outgoing and not self.closed:
            try:
                sent = self.socket.send(self._outgoing)
            except BlockingIOError:
                return
            except OSError:
                self._hang_up()
                return
            del self._outgoing[:sent]

    def finish(self, limit_s: float) -> None:
        """Sends what is left, then closes. Messages of the peer are no longer read, but the handshake may need its bytes."""
        limit = time.monotonic() + limit_s
        while self._backlog() and not self.closed and time.monotonic() < limit:
            left = max(0.0, limit - time.monotonic())
            readable, _, _ = select.select([self.socket], [self.socket] if self._outgoing else [], [], left)
            if readable:
                self.receive()
            self.flush()
        if not self.closed:
            self.close()

    def receive(self) -> List[Json]:
        """Messages that arrived whole. Closes the link when the peer has gone or breaks a rule."""
        try:
            content = self.socket.recv(min(1 << 20, self.line_bytes + 1))
        except BlockingIOError:
            return []
        except OSError:
            content = b""
        if not content:
            self.close()
            return []
        if self._sealed:
            try:
                content = self._sealed.receive(content)
            except ssl.SSLError as cause:
                self.flush()  # the alert tells the peer why
                self.refuse(f"no TLS with the certificate of this run: {cause.reason or cause}")
                return []
            self.flush()
        if b"\n" not in content:
            self._incoming += content
            lines: List[bytes] = []
        else:
            *lines, rest = (bytes(self._incoming) + content).split(b"\n")
            self._incoming = bytearray(rest)
        if len(self._incoming) > self.line_bytes or any(len(line) > self.line_bytes for line in lines):
            self.refuse(f"a line of more than {self.line_bytes} bytes")
            return []
        try:
            return [parse_line(line) for line in lines]
        except ValueError as cause:
            self.refuse(f"not a message: {cause}")
            return []

    def _hang_up(self) -> None:
        """Closing here would leave the selector with a number that the next connection takes over; so the loop reads an end and closes."""
        self._outgoing.clear()
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it is down already, and reads as ended

    def refuse(self, fault: str) -> None:
        self.fault = fault
        self.close()

    def close(self) -> None:
        self.closed = True
        self._incoming.clear()
        self.socket.close()
