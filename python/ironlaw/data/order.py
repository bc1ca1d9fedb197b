"""The order of samples as a function of position: data-order.json, read. The same numbers as packages/pure/data/src/data-order.ts and
mixture.ts, where they are explained."""

from __future__ import annotations

import bisect
import hashlib
import json
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ironlaw.data.permutation import LARGEST, Permutation

MOST_WEIGHT = 2**26


class Placed(NamedTuple):
    phase: int
    source: str
    k: int  # samples of this source before, over all phases
    epoch: int
    sample: int


def canonical_json(value: Any) -> str:
    """As packages/pure/contracts/src/canonical-json.ts writes it."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest_of(value: Any) -> str:
    return hashlib.sha256(canonical_json(value).encode("utf-8")).hexdigest()


Turn = Tuple[int, int, bool]  # weight of the first half, weight of both, whether the first half is taken


class Mixture:
    """Which source an index of a phase is of."""

    def __init__(self, shares: Sequence[Tuple[str, int]]) -> None:
        self.turns: Dict[str, List[Turn]] = {}
        self.tree = self._divided(list(shares), [])

    def _divided(self, shares: List[Tuple[str, int]], way: List[Turn]) -> Any:
        if len(shares) == 1:
            self.turns[shares[0][0]] = way
            return shares[0][0]
        middle = (len(shares) + 1) // 2
        first, whole = (sum(weight for _, weight in part) for part in (shares[:middle], shares))
        halves = [self._divided(part, [*way, (first, whole, taken)]) for part, taken in ((shares[:middle], True), (shares[middle:], False))]
        return (first, whole, *halves)

    def at(self, index: int) -> Tuple[str, int]:
        node = self.tree
        while not isinstance(node, str):
            weight, whole, first, second = node
            before = (index * weight + whole // 2) // whole
            if ((index + 1) * weight + whole // 2) // whole > before:
                node, index = first, before
            else:
                node, index = second, index - before
        return node, index

    def count(self, source: str, length: int) -> int:
        """How many of a source are among the first `length`."""
        if source not in self.turns:
            return 0
        for weight, whole, first in self.turns[source]:
            share = (length * weight + whole // 2) // whole
            length = share if first else length - share
        return length

    def index_of(self, source: str, nth: int) -> Optional[int]:
        if source not in self.turns:
            return None
        for weight, whole, first in reversed(self.turns[source]):
            own, offset = (weight, whole // 2) if first else (whole - weight, whole - 1 - whole // 2)
            nth = -((offset - (nth + 1) * whole) // own) - 1
        return nth


class Order:
    """`document` is data-order.json as parsed."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        check_order(document)
        self.document = document
        self.seed: int = document["seed"]
        self.sources: Dict[str, Mapping[str, Any]] = {source["name"]: source for source in document["sources"]}
        self.starts: List[int] = []
        self.mixtures: List[Mixture] = []
        self.taken_before: Dict[str, List[int]] = {name: [] for name in self.sources}
        self.end: Optional[int] = 0
        for phase in document["phases"]:
            start = self.end or 0
            for name, counts in self.taken_before.items():
                counts.append(counts[-1] + self.mixtures[-1].count(name, start - self.starts[-1]) if counts else 0)
            self.starts.append(start)
            self.mixtures.append(Mixture([(share["source"], share["weight"]) for share in phase["sources"]]))
            self.end = phase.get("until")
        self._epochs: Dict[str, Tuple[int, Permutation]] = {}

    @property
    def id(self) -> str:
        return f"order-{digest_of(self.document)}"

    def at(self, position: int) -> Optional[Placed]:
        """None at and after the end of a last phase that has one."""
        if not 0 <= position <= LARGEST:
            raise IndexError(f"there is no position {position}")
        if self.end is not None and position >= self.end:
            return None
        phase = bisect.bisect_right(self.starts, position) - 1
        source, nth = self.mixtures[phase].at(position - self.starts[phase])
        k = self.taken_before[source][phase] + nth
        epoch, place = divmod(k, self.sources[source]["samples"])
        return Placed(phase, source, k, epoch, self._epoch(source, epoch).at(place))

    def positions_of(self, source: str, sample: int) -> Iterator[int]:
        """Every position that shows the sample, from the first on; without end where the last phase has none."""
        samples, epoch = self._source(source)["samples"], 0
        while True:
            position = self._position(source, epoch * samples + self._epoch(source, epoch).inverse(sample))
            if position is None:
                return
            yield position
            epoch += 1

    def first_position(self, source: str, sample: int) -> Optional[int]:
        return next(self.positions_of(source, sample), None)

    def taken(self, source: str, position: int) -> int:
        """Samples of a source before a position."""
        self._source(source)
        position = position if self.end is None else min(position, self.end)
        phase = max(0, bisect.bisect_right(self.starts, position) - 1)
        return self.taken_before[source][phase] + self.mixtures[phase].count(source, position - self.starts[phase])

    def _position(self, source: str, k: int) -> Optional[int]:
        phase = bisect.bisect_right(self.taken_before[source], k) - 1
        index = self.mixtures[phase].index_of(source, k - self.taken_before[source][phase])
        if index is None:
            return None
        position = self.starts[phase] + index
        return position if position < (LARGEST + 1 if self.end is None else self.end) else None

    def _source(self, name: str) -> Mapping[str, Any]:
        if name not in self.sources:
            raise KeyError(f'the order has no source "{name}"; it has {", ".join(self.sources)}')
        return self.sources[name]

    def _epoch(self, source: str, epoch: int) -> Permutation:
        known = self._epochs.get(source)
        if known is None or known[0] != epoch:
            seed = canonical_json(["ironlaw/v1 DataOrder", self.seed, source, epoch])
            known = (epoch, Permutation(seed, self.sources[source]["samples"]))
            self._epochs[source] = known
        return known[1]


def check_order(document: Mapping[str, Any]) -> None:
    """The rules of packages/pure/contracts/src/data-order.ts that the arithmetic rests on."""
    for field, expected in (("apiVersion", "ironlaw/v1"), ("kind", "DataOrder")):
        _require(document.get(field) == expected, field, f"expected {expected!r}, found {document.get(field)!r}")
    _whole(document.get("seed"), "seed", least=0)
    names = [source.get("name") for source in document.get("sources", [])]
    _require(len(names) > 0 and len(set(names)) == len(names), "sources", f"expected sources with different names, found {names}")
    for number, source in enumerate(document["sources"]):
        _whole(source.get("samples"), f"sources.{number}.samples")
    phases = document.get("phases", [])
    _require(len(phases) > 0, "phases", "expected at least one")
    before = 0
    for number, phase in enumerate(phases):
        path = f"phases.{number}"
        until = phase.get("until")
        _require(until is not None or number == len(phases) - 1, f"{path}.until", "missing; only the last phase may be without end")
        if until is not None:
            _require(_whole(until, f"{path}.until") > before, f"{path}.until", f"{until} is not behind {before}, where the phase begins")
            before = until
        _check_shares(phase.get("sources", []), f"{path}.sources", names)


def _check_shares(shares: Sequence[Mapping[str, Any]], path: str, names: Sequence[Any]) -> None:
    listed = [share.get("source") for share in shares]
    _require(len(listed) > 0 and len(set(listed)) == len(listed), path, f"expected different sources, found {listed}")
    for number, share in enumerate(shares):
        _require(share.get("source") in names, f"{path}.{number}.source", f"there is no source {share.get('source')!r}")
        _whole(share.get("weight"), f"{path}.{number}.weight")
    weight = sum(share["weight"] for share in shares)
    _require(weight <= MOST_WEIGHT, path, f"the weights add up to {weight}; at most {MOST_WEIGHT}")


def _whole(value: Any, path: str, least: int = 1) -> int:
    fits = isinstance(value, int) and not isinstance(value, bool) and least <= value <= LARGEST
    _require(fits, path, f"expected a whole number of at least {least}, found {value!r}")
    return int(value)


def _require(holds: bool, path: str, problem: str) -> None:
    if not holds:
        raise ValueError(f"data-order.json: {path}: {problem}")
