"""Memory in which a rank leaves a checkpoint for its agent, which writes it to storage while training goes on.

It is a file without a name (memfd) that both processes hold: a rank that dies leaves its checkpoint to the agent, and when
both are gone nothing is left behind, in no directory and under no name. The rank maps it once and copies into it, so bytes
move once and nothing is serialised; later checkpoints reuse the pages, whose first touch costs several times the copy.

There is one buffer a rank. A save that comes while the previous one is still being written waits for it. A second buffer would
save that wait and cost the state of all ranks once more in host memory; checkpoints are no closer together than one takes to
write (packages/effects/control/src/services/checkpoint-interval.ts), so the wait is the exception.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from typing import Any, Callable, Optional

from ironlaw.memory import available_bytes
from ironlaw.storage import Shard

# Left to others of what is available: checkpoints must not push out the training that they are for.
_SPARE_SHARE = 0.1
# By how much a buffer grows while the size of a shard is not known before its end.
_GROWTH = 1.5
_STEP_BYTES = 1 << 21
_POPULATE_WRITE = 23  # of madvise, Linux 5.14
_DO_NOT_FORK = 10


class NoRoom(Exception):
    """Host memory does not take the shard."""

    def __init__(self, needed: int, available: int) -> None:
        super().__init__(f"{needed / 1e6:.0f} MB of host memory are needed, {available / 1e6:.0f} MB are available")


class Staging:
    """What a rank sees is a file that can be written from its beginning to its end; `window` is for those who write into memory."""

    def __init__(self, descriptor: int, claim: Callable[[int], int] = lambda _: 0, available: Callable[[], int] = available_bytes) -> None:
        """`claim` gets how much more this rank takes, 0 when it has it, and returns what the others of its node are about to take."""
        self.descriptor = descriptor
        self.size = 0
        self._claim, self._available = claim, available
        self._map: Optional[mmap.mmap] = None

    @staticmethod
    def create() -> "Staging":
        return Staging(os.memfd_create("ironlaw-checkpoint"))

    @property
    def capacity(self) -> int:
        return len(self._map) if self._map is not None else 0

    # -- the rank

    def fill(self, shard: Shard) -> int:
        """Copies the shard and returns its size. NoRoom leaves nothing."""
        self.size = 0
        if callable(shard):
            shard(self)  # type: ignore[arg-type]
        else:
            self.write(shard)
        return self.size

    def write(self, content: Any) -> int:
        view = memoryview(content).cast("B")
        begin, end = self.size, self.size + len(view)
        self.reserve(end)
        if self._map is not None:
            self._map[begin:end] = view  # type: ignore[assignment]
        self.size = end
        return len(view)

    def window(self, size: int) -> memoryview:
        """The next `size` bytes, to be written in place. It has to be let go of before more is reserved."""
        begin, self.size = self.size, self.size + size
        self.reserve(self.size)
        assert self._map is not None
        return memoryview(self._map)[begin : self.size]

    def flush(self) -> None:
        pass

    def reserve(self, size: int) -> None:
        """Makes sure that so much fits, with its pages at hand."""
        if size <= self.capacity:
            return
        wanted = size if self.size == 0 else max(size, int(self.capacity * _GROWTH))
        wanted = -(-wanted // _STEP_BYTES) * _STEP_BYTES
        begin, growth = self.capacity, wanted - self.capacity
        try:
            available = max(0, int(self._available() * (1 - _SPARE_SHARE)) - self._claim(growth))
            if growth > available:
                raise NoRoom(growth, available)
            os.ftruncate(self.descriptor, wanted)
            self._map = self._grown(wanted)
            self._touch(begin, growth)
        finally:
            self._claim(0)

    def _grown(self, size: int) -> mmap.mmap:
        try:
            if self._map is not None:
                self._map.resize(size)
                return self._map
        except BufferError:
            pass  # a reference to a window remains, as the traceback of a save that failed does; the pages are those of the file
        return mmap.mmap(self.descriptor, size)

    def _touch(self, begin: int, size: int) -> None:
        """All pages in one call instead of one fault each, and without the lock of the interpreter. Older kernels fault as the copy goes."""
        assert self._map is not None
        first = ctypes.c_char.from_buffer(self._map)
        madvise = ctypes.CDLL(None).madvise
        madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        madvise(ctypes.addressof(first) + begin, size, _DO_NOT_FORK)  # workers that load data have no use for it
        madvise(ctypes.addressof(first) + begin, size, _POPULATE_WRITE)

    # -- the agent

    def content(self, size: int) -> mmap.mmap:
        return mmap.mmap(self.descriptor, size, prot=mmap.PROT_READ)

    def close(self) -> None:
        os.close(self.descriptor)
