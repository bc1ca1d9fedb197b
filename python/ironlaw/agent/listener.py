"""Where the head listens for the other agents of its job: on this node's own address, to peers that prove the secret.

A connection that has not said its hello may hold one of a few places for a few seconds and send one short line; when all
places are taken the oldest goes, so that a client holding connections open does not keep out peers, which say hello at once.
"""

from __future__ import annotations

import hmac
import ipaddress
import selectors
import socket
import sys
import time
from typing import Callable, Dict, Optional

from ironlaw.agent.link import HELLO_BYTES, LINE_BYTES, Link
from ironlaw.agent.messages import check_message
from ironlaw.agent.rendezvous import free_port
from ironlaw.agent.sealed import Sealed, link_context
from ironlaw.environment import Job
from ironlaw.storage import Json

HELLO_LIMIT_S = 5.0
PENDING_LIMIT = 128
# After this many lines about refused links only every hundredth is written: a refused client must not fill the log either.
LOGGED_FAULTS = 20


def _is_loopback(address: str) -> bool:
    return ipaddress.ip_address(address).is_loopback


def _resolve(name: str) -> Optional[str]:
    try:
        return str(socket.getaddrinfo(name, None, socket.AF_INET, socket.SOCK_STREAM)[0][4][0])
    except OSError:
        return None


def _route_address() -> Optional[str]:
    """The address that this host uses towards others. Connecting a datagram socket sends nothing; the target is reserved for documentation."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("198.51.100.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return None


def own_address(job: Job) -> str:
    """What peers connect to: as configured, or as this node's name resolves.

    Distributions map a host's own name to a loopback address in /etc/hosts, while other hosts resolve it to the real one.
    """
    if job.nodes == 1:
        return "127.0.0.1"
    name = job.address or job.head or socket.gethostname()
    found = _resolve(name)
    if found is not None and not (_is_loopback(found) and name not in (found, "localhost")):
        return found
    return _route_address() or found or "127.0.0.1"


class PeerListener:
    """`joined` gets a link whose peer has proved the secret, `said` its messages, `left` a link that was in use and has closed."""

    def __init__(
        self,
        job: Job,
        selector: selectors.BaseSelector,
        joined: Callable[[Link], None],
        said: Callable[[int, Json], None],
        left: Callable[[Link], None],
    ) -> None:
        self._job, self._selector = job, selector
        self._joined, self._said, self._left = joined, said, left
        self._secret = ""
        self._context = link_context(job.run_directory, server_side=True) if job.nodes > 1 else None
        self._pending: Dict[Link, float] = {}
        self.refused = 0
        self.address = own_address(job)
        self._listener = socket.create_server((self.address, free_port()), reuse_port=False)
        self._listener.setblocking(False)
        self.port = int(self._listener.getsockname()[1])

    @property
    def is_sealed(self) -> bool:
        return self._context is not None

    def open(self, secret: str) -> None:
        self._secret = secret
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)

    def close_late(self) -> None:
        """Closes connections that did not say hello in time."""
        now = time.monotonic()
        for link in [link for link, since in self._pending.items() if now - since > HELLO_LIMIT_S]:
            self._drop(link, f"no hello within {HELLO_LIMIT_S:.0f} s")

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        if len(self._pending) >= PENDING_LIMIT:
            self._drop(next(iter(self._pending)), f"more than {PENDING_LIMIT} connections without a hello")
        link = Link(connection, HELLO_BYTES, Sealed(self._context, server_side=True) if self._context else None)
        self._pending[link] = time.monotonic()
        self._selector.register(connection, selectors.EVENT_READ, lambda: self._receive(link))

    def _drop(self, link: Link, fault: str) -> None:
        self._selector.unregister(link.socket)
        self._pending.pop(link, None)
        link.refuse(fault)
        self._count(link)

    def _receive(self, link: Link) -> None:
        descriptor = link.socket
        for message in link.receive():
            try:
                self._take(link, message)
            except Exception as cause:  # whatever a peer sends ends its link, never this agent
                link.refuse(f"{type(cause).__name__}: {cause}")
            if link.closed:
                break
        if link.closed:
            self._selector.unregister(descriptor)
            self._pending.pop(link, None)
            if link.fault:
                self._count(link)
            if link.index is not None:
                self._left(link)

    def _take(self, link: Link, message: Json) -> None:
        if link.index is not None:
            check_message(self._job, link.index, message)
            self._said(link.index, message)
            return
        secret, index = message.get("secret"), message.get("index")
        if not isinstance(secret, str) or not hmac.compare_digest(secret.encode(), self._secret.encode()):
            raise ValueError("the hello lacks the secret of this attempt")
        if not isinstance(index, int) or isinstance(index, bool) or not 0 < index < self._job.nodes:
            raise ValueError(f"a job of {self._job.nodes} nodes has no other agent of that index")
        self._pending.pop(link, None)
        link.index, link.line_bytes = index, LINE_BYTES
        self._joined(link)

    def _count(self, link: Link) -> None:
        self.refused += 1
        if self.refused <= LOGGED_FAULTS or self.refused % 100 == 0:
            fault = (link.fault or "")[:200]
            print(f"ironlaw: closed a link to this agent ({self.refused} so far): {fault}", file=sys.stderr, flush=True)
