"""Lines of JSON between agents over a socket that never blocks the loop."""

from __future__ import annotations

import json
import socket
from typing import List, Optional

from ironlaw.storage import Json

BACKLOG_BYTES = 8 * 1024 * 1024


class Link:
    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = connection
        self.index: Optional[int] = None  # known after the hello
        self.closed = False
        self._incoming = b""
        self._outgoing = bytearray()

    def send(self, message: Json) -> None:
        if self.closed:
            return
        self._outgoing += json.dumps(message).encode() + b"\n"
        self.flush()
        if len(self._outgoing) > BACKLOG_BYTES:
            self.close()

    def flush(self) -> None:
        while self._outgoing and not self.closed:
            try:
                sent = self.socket.send(self._outgoing)
            except BlockingIOError:
                return
            except OSError:
                self.close()
                return
            del self._outgoing[:sent]

    def receive(self) -> List[Json]:
        """What arrived whole; closes when the other side has gone or talks nonsense."""
        try:
            content = self.socket.recv(1 << 20)
        except BlockingIOError:
            return []
        except OSError:
            content = b""
        if not content:
            self.close()
            return []
        *lines, self._incoming = (self._incoming + content).split(b"\n")
        try:
            return [json.loads(line) for line in lines]
        except ValueError:
            self.close()
            return []

    def close(self) -> None:
        self.closed = True
        self.socket.close()
