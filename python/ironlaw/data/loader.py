"""Batches by position. The state is one number, how many samples were taken in all; ranks, workers and interruptions leave the
order as it is.

    loader = Loader({"web": open_dataset("web")}, Order(document), batch=512, rank=run.rank, world=run.world, position=position)
    for tokens in loader: ...                          # (batch / world) x (sequence + 1)
    for tokens in loader.in_workers(num_workers=4): ...  # the same, read by processes of torch's DataLoader
"""

from __future__ import annotations

import importlib.util
import itertools
from array import array
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from ironlaw.data.order import Order, Placed

FORMS = ("torch", "numpy", "list")


class Loader:
    """`datasets` by the name of their source: anything with `samples`, `digest` and `[sample]`. What comes out is of the form `torch`,
    `numpy` or `list`, by default the first that is installed. A last part of the order that fills no batch is left out."""

    def __init__(
        self,
        datasets: Mapping[str, Any],
        order: Order,
        batch: int,
        *,
        rank: int = 0,
        world: int = 1,
        position: int = 0,
        prefetch: int = 2,
        form: Optional[str] = None,
    ) -> None:
        if batch < 1 or batch % world:
            raise ValueError(f"a global batch of {batch} samples does not divide among {world} ranks")
        if not 0 <= rank < world:
            raise ValueError(f"there is no rank {rank} among {world}")
        if form not in (None, *FORMS):
            raise ValueError(f"form {form!r}: expected one of {', '.join(FORMS)}")
        check_datasets(datasets, order)
        self.datasets, self.order, self.batch = dict(datasets), order, batch
        self.rank, self.world, self.position, self.prefetch = rank, world, position, prefetch
        self.form = form or next(each for each in FORMS if each == "list" or importlib.util.find_spec(each))

    def __iter__(self) -> "Loader":
        return self

    def __next__(self) -> Any:
        own = self.own_positions(self.position)
        if own is None:
            raise StopIteration
        self._read_ahead()
        samples = [self.sample_at(position) for position in own]
        self.position += self.batch
        return stacked(samples, self.form)

    def state_dict(self) -> Dict[str, int]:
        return {"position": self.position}

    def load_state_dict(self, state: Mapping[str, int]) -> None:
        self.position = int(state["position"])

    def own_positions(self, start: int) -> Optional[range]:
        """This rank's part of the batch that begins at a position; None where the order ends within it."""
        if self.order.end is not None and start + self.batch > self.order.end:
            return None
        own = self.batch // self.world
        return range(start + self.rank * own, start + (self.rank + 1) * own)

    def sample_at(self, position: int) -> Any:
        placed = self.order.at(position)
        if placed is None:
            raise IndexError(f"the order ends at {self.order.end}, before position {position}")
        return in_form(self.datasets[placed.source][placed.sample], self.form)

    def in_workers(self, num_workers: int, **options: Any) -> Iterator[Any]:
        """Through torch's DataLoader, with its options. `position` counts what was handed out, not what workers have read ahead."""
        from torch import Generator
        from torch.utils.data import DataLoader

        # Without a generator of its own a DataLoader draws from torch's, and training would see other random numbers than without it.
        options.setdefault("generator", Generator())
        batches = DataLoader(self.as_torch_dataset(), batch_sampler=self.batch_sampler(), num_workers=num_workers, **options)
        for tokens in batches:
            self.position += self.batch
            yield tokens

    def as_torch_dataset(self) -> "PositionDataset":
        """Samples by position, for a DataLoader with `batch_sampler()`."""
        return PositionDataset(self)

    def batch_sampler(self) -> Iterator[List[int]]:
        """Positions of this rank, batch by batch, from where the loader stands."""
        start = self.position
        while True:
            own = self.own_positions(start)
            if own is None:
                return
            yield list(own)
            start += self.batch

    def documents_of_step(self, step: int) -> List[Tuple[int, Placed, range]]:
        """Position, sample and documents of all that a step, counted from one, was trained on, whatever the ranks."""
        placed = [(position, self.order.at(position)) for position in range((step - 1) * self.batch, step * self.batch)]
        return [(position, each, self.datasets[each.source].documents_of(each.sample)) for position, each in placed if each is not None]

    def steps_that_saw(self, source: str, document: int, until: int) -> List[int]:
        """Steps before the position `until` that were trained on a token of the document."""
        steps: Set[int] = set()
        for sample in self.datasets[source].samples_of(document):
            seen = itertools.takewhile(lambda position: position < until, self.order.positions_of(source, sample))
            steps.update(position // self.batch + 1 for position in seen)
        return sorted(steps)

    def _read_ahead(self) -> None:
        ahead = self.own_positions(self.position + self.prefetch * self.batch) if self.prefetch else None
        for position in ahead or ():
            placed = self.order.at(position)
            if placed is not None and hasattr(self.datasets[placed.source], "will_need"):
                self.datasets[placed.source].will_need(placed.sample)


class PositionDataset:
    """A map-style dataset of torch: an index is a position."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def __getitem__(self, position: int) -> Any:
        return self.loader.sample_at(position)

    def __len__(self) -> int:
        if self.loader.order.end is None:
            raise TypeError("an order without end has no length")
        return self.loader.order.end


def check_datasets(datasets: Mapping[str, Any], order: Order) -> None:
    """A run that goes on with other data than it began with would neither fail nor be what its record says."""
    for name, source in order.sources.items():
        if name not in datasets:
            raise ValueError(f'the order needs the source "{name}"; given are {", ".join(datasets) or "none"}')
        for field in ("samples", "digest"):
            found, expected = getattr(datasets[name], field), source[field]
            if found != expected:
                problem = f"its dataset has {field} {found}, and the order was made for {expected}"
                raise ValueError(f'source "{name}": {problem}; give that dataset, or make another order')


def in_form(tokens: Any, form: str) -> Any:
    if not isinstance(tokens, array):
        return tokens
    if form == "list":
        return tokens.tolist()
    wide = tokens.itemsize == 4
    if form == "numpy":
        import numpy

        return numpy.frombuffer(tokens, dtype="<u4" if wide else "<u2").astype(numpy.int64)
    import torch

    # torch knows no unsigned numbers of these sizes: read them as signed ones and take the sign away.
    return torch.frombuffer(tokens, dtype=torch.int32 if wide else torch.int16).long() & (0xFFFFFFFF if wide else 0xFFFF)


def stacked(samples: Sequence[Any], form: str) -> Any:
    if form == "list":
        return list(samples)
    if form == "numpy":
        import numpy

        return numpy.stack(samples)
    import torch

    return torch.stack(list(samples))
