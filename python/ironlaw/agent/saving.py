"""From the memory of ranks to storage, off the loop: each shard is hashed, written and made durable by a thread of its own."""

from __future__ import annotations

import sys
import time
from typing import Callable, Dict, List

from ironlaw.agent.local_copies import LocalCopies
from ironlaw.agent.ranks import Rank
from ironlaw.board import Board
from ironlaw.staging import Staging
from ironlaw.storage import Attempt, Json


class Saving:
    """The head gets `saving` when a rank has left a shard, then `shard` or `unsaved`. A rank's next save waits until this one is dealt
    with, so at most one a rank is on its way. What the head has not answered yet is said again when the link to it is new: a message on a
    link that breaks is lost, and the head would wait for it, and take no further checkpoint, for ever."""

    def __init__(
        self, attempt: Attempt, copies: LocalCopies, board: Board, background: Callable[..., None], to_head: Callable[[Json], None]
    ) -> None:
        self._attempt, self._copies, self._board, self._background, self._to_head = attempt, copies, board, background, to_head
        self._under_way: Dict[int, int] = {}
        self._unanswered: Dict[int, List[Json]] = {}  # by rank, of its newest step

    @property
    def pending(self) -> bool:
        return bool(self._under_way)

    def tell_head(self, message: Json) -> None:
        said = self._unanswered.setdefault(message["rank"], [])
        self._unanswered[message["rank"]] = [*(each for each in said if each["step"] == message["step"]), message]
        self._to_head(message)

    def tell_again(self) -> None:
        for said in self._unanswered.values():
            for message in said:
                self._to_head(message)

    def settle(self, step: int) -> None:
        """The head has committed that checkpoint, or given it up, and with it all before."""
        for rank, said in list(self._unanswered.items()):
            if said[-1]["step"] <= step:
                del self._unanswered[rank]

    def take(self, slot: int, rank: Rank, message: Json) -> None:
        step, number = int(message["step"]), rank.rank
        size, saves = int(message.pop("bytes")), int(message.pop("save"))
        self._under_way[number] = step
        self.tell_head({"kind": "saving", "step": step, "rank": number})

        def done(answer: Json) -> None:
            self._board.announce_stored(slot, saves)
            del self._under_way[number]
            self.tell_head({**message, "rank": number, **answer})

        def failed() -> None:
            done({"kind": "unsaved", "why": "a fault of the agent, which is in its log"})

        self._background(lambda: self._store(step, number, rank.staging, size), done, failed)

    def _store(self, step: int, rank: int, staging: Staging, size: int) -> Json:
        began = time.monotonic()
        try:
            written = self._write(step, rank, staging, size)
        except OSError as cause:  # storage that is full or gone costs this checkpoint; training goes on, and the next one is tried
            print(f"ironlaw: the shard of rank {rank} at step {step} is not written: {cause}", file=sys.stderr, flush=True)
            return {"kind": "unsaved", "why": str(cause)}
        return {"kind": "shard", **written, "write_s": time.monotonic() - began}

    def _write(self, step: int, rank: int, staging: Staging, size: int) -> Json:
        content = memoryview(staging.content(size) if size else b"")
        self._copies.write(step, rank, content)
        return self._attempt.write_shard(step, rank, content)
