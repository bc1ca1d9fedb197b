"""What an attempt on a node knows of the agent around it, and that agent of what an attempt leaves behind."""

from __future__ import annotations

from typing import Protocol


class Lingering(Protocol):
    """What still sends after an attempt has ended."""

    def is_alive(self) -> bool: ...

    def finish(self, limit_s: float) -> None: ...


class Superior(Protocol):
    """Decides, in an allocation, whether this attempt still counts, and is notified when it is over here."""

    def is_superseded(self, attempt: int) -> bool: ...

    def finishing(self, attempt: int) -> None: ...

    def leave(self, why: str) -> None: ...
