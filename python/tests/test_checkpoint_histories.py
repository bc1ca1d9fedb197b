"""The promises of a checkpoint hold when the writer is killed at any call, wakes up late, or loses what was not durable."""

from __future__ import annotations

import os
import tempfile
import time
import unittest
from pathlib import Path
from typing import Optional

from checkpoint_history import History, Life, Violation, play
from planted_checkpoint_bugs import Faults

HISTORIES = int(os.environ.get("IRONLAW_HISTORIES", "20"))
# Of the calls of an attempt each STRIDE-th is tried; 1 tries all.
STRIDE = int(os.environ.get("IRONLAW_HISTORY_STRIDE", "5"))
# Other histories every day; the first seed is printed when one fails.
FIRST = int(os.environ.get("IRONLAW_HISTORY_SEED", str(int(time.time() // 86_400) * 1_000_000)))


class HistoriesTest(unittest.TestCase):
    def folder(self) -> Path:
        # In memory, where there is some: the histories say themselves what a loss of power takes, and thousands of fsyncs take minutes.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        temporary = tempfile.TemporaryDirectory(prefix="ironlaw-history-", dir=memory)
        self.addCleanup(temporary.cleanup)
        return Path(temporary.name)

    def test_a_kill_before_any_call_leaves_whole_checkpoints(self) -> None:
        """One attempt is killed at its first call, the next run at its second and so on; a second attempt goes on each time."""
        whole = History(self.folder())
        whole.live(Life(1, 7))
        self.assertGreater(whole.calls, 100)
        for call in range(1, whole.calls + 1, STRIDE):
            history = History(self.folder())
            history.live(Life(1, 7, dies_at=call))
            history.live(Life(2, 7))

    def test_drawn_histories(self) -> None:
        left = 0
        for seed in range(FIRST, FIRST + HISTORIES):
            with self.subTest(f"IRONLAW_HISTORY_SEED={seed}"):
                left += play(self.folder(), seed)
        self.assertGreater(left, HISTORIES, "most of them committed something")

    def violation(self, faults: Faults) -> Optional[str]:
        for seed in range(60):
            try:
                play(self.folder(), seed, faults)
            except Violation as found:
                return str(found)
        return None

    def test_planted_bugs_are_found(self) -> None:
        for fault, words in (
            ("no_sync", "not whole|is gone|went from|although"),
            ("commits_in_place", "superseded"),
            ("frees_buffer_early", "other bits|not whole"),
            ("commits_early", "lacks shards"),
            ("removes_shards_first", "is missing"),
            ("forgets_what_it_resumed", "removed while it ran"),
        ):
            with self.subTest(fault):
                self.assertRegex(self.violation(Faults(**{fault: True})) or "nothing found", words)


if __name__ == "__main__":
    unittest.main()
