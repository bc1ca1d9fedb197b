"""TLS between the agents of a run, as bytes in and bytes out: the link sends and receives them.

The control plane puts one certificate with its key into the run directory, which only the run's user reads. Both sides present it and
trust nothing else, so a peer that completes the handshake could read the run directory.
"""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Optional

# In the run directory: a certificate and its key. Control planes of earlier versions wrote none.
CERTIFICATE = "link.pem"
# Enough for any record, whose plain text is at most 16 KiB.
READ_BYTES = 1 << 16


def link_context(run_directory: Path, server_side: bool) -> Optional[ssl.SSLContext]:
    """None where the run has no certificate."""
    file = run_directory / CERTIFICATE
    if not file.exists():
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server_side else ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname = False  # the certificate is the run's, whichever node presents it
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_cert_chain(file)
    context.load_verify_locations(file)
    if server_side:
        context.num_tickets = 0  # links are not resumed
    return context


class Sealed:
    """What the link writes waits here until the handshake is over."""

    def __init__(self, context: ssl.SSLContext, server_side: bool) -> None:
        self._received, self._to_send = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._session = context.wrap_bio(self._received, self._to_send, server_side=server_side)
        self._waiting = bytearray()
        self._open = False
        self._advance()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def write(self, content: bytes) -> None:
        self._waiting += content
        self._advance()

    def take(self) -> bytes:
        """What is to be sent now."""
        return self._to_send.read()

    def receive(self, content: bytes) -> bytes:
        """The plain text that these bytes complete; ssl.SSLError for a peer that does not hold the certificate."""
        self._received.write(content)
        self._advance()
        plain = bytearray()
        while self._open:
            try:
                part = self._session.read(READ_BYTES)
            except ssl.SSLWantReadError:
                break
            if not part:
                break
            plain += part
        return bytes(plain)

    def _advance(self) -> None:
        if not self._open:
            try:
                self._session.do_handshake()
            except ssl.SSLWantReadError:
                return
            self._open = True
        while self._waiting:
            try:
                sent = self._session.write(self._waiting)
            except ssl.SSLWantReadError:
                return
            del self._waiting[:sent]


def seal(run_directory: Path, server_side: bool) -> Optional[Sealed]:
    """For one link; None where the run has no certificate."""
    context = link_context(run_directory, server_side)
    return Sealed(context, server_side) if context else None
