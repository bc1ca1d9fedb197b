"""A permutation of 0 .. size - 1 that is computed, not stored: the same numbers as packages/pure/data/src/permutation.ts, where it is
explained."""

from __future__ import annotations

import hashlib
import math
import struct

LARGEST = 2**53 - 1


class Permutation:
    def __init__(self, seed: str, size: int) -> None:
        if not 1 <= size <= LARGEST:
            raise ValueError(f"a permutation of {size} elements: expected 1 to 2^53 - 1")
        self.size = size
        # The square root as a double, as JavaScript takes it: for the largest sizes it differs from that of integers.
        self.rows = math.ceil(math.sqrt(size))
        self.columns = -(-size // self.rows)
        self.keys = struct.unpack(">8I", hashlib.sha256(seed.encode("utf-8")).digest())

    def at(self, index: int) -> int:
        left, right = divmod(self._checked(index), self.columns)
        rows, columns, keys = self.rows, self.columns, self.keys
        while True:
            for even in range(0, 8, 2):
                left = (left + _mixed(right ^ keys[even])) % rows
                right = (right + _mixed(left ^ keys[even + 1])) % columns
            value = left * columns + right
            if value < self.size:
                return value

    def inverse(self, value: int) -> int:
        """The index at which `value` stands."""
        left, right = divmod(self._checked(value), self.columns)
        rows, columns, keys = self.rows, self.columns, self.keys
        while True:
            for even in range(6, -1, -2):
                right = (right - _mixed(left ^ keys[even + 1])) % columns
                left = (left - _mixed(right ^ keys[even])) % rows
            index = left * columns + right
            if index < self.size:
                return index

    def _checked(self, index: int) -> int:
        if not 0 <= index < self.size:
            raise IndexError(f"there is no element {index} among {self.size}")
        return index


def _mixed(word: int) -> int:
    """The finalizer of MurmurHash3."""
    word ^= word >> 16
    word = word * 0x85EBCA6B & 0xFFFFFFFF
    word ^= word >> 13
    word = word * 0xC2B2AE35 & 0xFFFFFFFF
    return word ^ word >> 16
