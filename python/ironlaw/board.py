"""Memory shared by an agent and its ranks: where each rank is, and at which step the next checkpoint will be.

A rank reports its phase and asks for a decision several times a step. Through memory this costs no system call and wakes
no process; the alternatives, a socket message per phase or a broadcast per step, cost more than the allowed 1 % of a step.

How all ranks take the same checkpoint without a collective: the agent posts a proposal for a step that lies ahead, then
looks where its ranks are. A rank posts where it is, then looks for a proposal. Whoever is below the proposed step when the
agent looks is bound to see the proposal, and holds at that step until the verdict is there; if any rank of the job was
already past, the verdict is no. Normally the verdict arrives steps before the hold and no rank waits.
"""

from __future__ import annotations

import mmap
import os
import threading
import time
from typing import Tuple

PHASES = ("start", "data", "compute", "communication", "optimizer", "checkpoint", "other")

# Words of 8 bytes: a header written by the agent, then a block for each rank, written by that rank but for _STORED.
_PROPOSAL, _VERDICT, _COMMITTED, _UNSAVED, _HEADER_WORDS = 0, 1, 2, 3, 8
_POSITION, _PHASE, _PHASE_AT, _STEP, _STORED, _CLAIMED, _RANK_WORDS = 0, 1, 2, 3, 4, 5, 8


def proposal_of(step: int, stop: bool) -> int:
    return step * 2 + int(stop)


def step_of(proposal: int) -> int:
    return abs(proposal) // 2


def stops(proposal: int) -> bool:
    return abs(proposal) % 2 == 1


class Board:
    def __init__(self, descriptor: int, ranks: int) -> None:
        self.descriptor = descriptor
        self.ranks = ranks
        self._words = memoryview(mmap.mmap(descriptor, Board.size(ranks))).cast("q")
        self._fence = threading.Lock()

    @staticmethod
    def size(ranks: int) -> int:
        return 8 * (_HEADER_WORDS + _RANK_WORDS * ranks)

    @staticmethod
    def create(ranks: int) -> "Board":
        descriptor = os.memfd_create("ironlaw-board")
        os.ftruncate(descriptor, Board.size(ranks))
        return Board(descriptor, ranks)

    def _order(self) -> None:
        """Own write before the other side's word is read; an atomic instruction is a full barrier."""
        with self._fence:
            pass

    # -- the agent

    def propose(self, proposal: int) -> bool:
        """True when every rank here is bound to see it in time."""
        self._words[_PROPOSAL] = proposal
        self._order()
        return all(self._at(rank, _POSITION) < step_of(proposal) for rank in range(self.ranks))

    def decide(self, verdict: int) -> None:
        self._words[_VERDICT] = verdict

    def announce_committed(self, step: int) -> None:
        self._words[_COMMITTED] = step

    def announce_unsaved(self, step: int) -> None:
        self._words[_UNSAVED] = step

    def announce_stored(self, rank: int, saves: int) -> None:
        """So many of the rank's saves are dealt with; its buffer is free for the next one."""
        self._words[_HEADER_WORDS + _RANK_WORDS * rank + _STORED] = saves

    def furthest(self) -> int:
        return max(self._at(rank, _POSITION) for rank in range(self.ranks))

    def sight(self, rank: int) -> Tuple[int, str, float]:
        """Step, phase and the seconds since the phase began."""
        age = (time.monotonic_ns() - self._at(rank, _PHASE_AT)) / 1e9 if self._at(rank, _PHASE_AT) else 0.0
        return self._at(rank, _STEP), PHASES[self._at(rank, _PHASE)], age

    # -- a rank

    def enter(self, rank: int, phase: int) -> None:
        base = _HEADER_WORDS + _RANK_WORDS * rank
        self._words[base + _PHASE] = phase
        self._words[base + _PHASE_AT] = time.monotonic_ns()

    def show_step(self, rank: int, step: int) -> None:
        self._words[_HEADER_WORDS + _RANK_WORDS * rank + _STEP] = step

    def boundary(self, rank: int, step: int) -> int:
        """The proposal that stands for this step, or 0. From here on the agent knows that the rank is past earlier ones."""
        self._words[_HEADER_WORDS + _RANK_WORDS * rank + _POSITION] = step
        self._order()
        proposal = self._words[_PROPOSAL]
        return proposal if step_of(proposal) == step else 0

    def claim(self, rank: int, size: int) -> int:
        """Says that this rank is about to take so much memory, and returns what the others are about to take. Of two at the same moment each
        sees the other."""
        self._words[_HEADER_WORDS + _RANK_WORDS * rank + _CLAIMED] = size
        self._order()
        return sum(self._at(other, _CLAIMED) for other in range(self.ranks) if other != rank)

    def verdict(self) -> int:
        return self._words[_VERDICT]

    def committed(self) -> int:
        return self._words[_COMMITTED]

    def unsaved(self) -> int:
        """The newest step whose checkpoint could not be written; 0 while there is none."""
        return self._words[_UNSAVED]

    def stored(self, rank: int) -> int:
        return self._at(rank, _STORED)

    def _at(self, rank: int, word: int) -> int:
        return self._words[_HEADER_WORDS + _RANK_WORDS * rank + word]
