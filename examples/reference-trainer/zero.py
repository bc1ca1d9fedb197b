"""ZeRO stage 1 over flat buffers: every rank holds all weights and gradients, but the moments of AdamW only for its slice.

All weights are views into one buffer, and so are the gradients: one sum over ranks, one all-gather of updated slices.

Sums of floats depend on their order, and an all-reduce orders them by the number of ranks. Here the gradients of micro-batches are added
along a binary tree: on a rank, as they come; between ranks, by exchanging with the rank at distance 1, 2, 4 and so on. Where all
numbers are powers of two, ranks hold subtrees of the same tree, so a step has the same bits on any number of them that computes the
same micro-batches. It costs log2(ranks) exchanges of all gradients, an all-reduce two: the same up to four ranks."""

from __future__ import annotations

from typing import Dict, List, Sequence, Tuple

import torch
from torch import Tensor, distributed, nn

BUCKET_ELEMENTS = 1_000_000
# Slices of whole vectors: what is left over is computed by other instructions, which may round differently.
VECTOR_ELEMENTS = 64
BETAS = (0.9, 0.95)
EPSILON = 1e-8


class Zero:
    def __init__(self, model: nn.Module, weight_decay: float = 0.1) -> None:
        parameters = list(model.parameters())
        self.rank = distributed.get_rank() if distributed.is_initialized() else 0
        self.world = distributed.get_world_size() if distributed.is_initialized() else 1
        self.size = sum(parameter.numel() for parameter in parameters)
        self.slice = -(-self.size // (self.world * VECTOR_ELEMENTS)) * VECTOR_ELEMENTS
        device = parameters[0].device
        self.weights = torch.zeros(self.slice * self.world, device=device)
        self.gradients = torch.zeros(self.slice * self.world, device=device)
        decayed = torch.zeros(self.slice * self.world, device=device)
        start = 0
        for parameter in parameters:
            end = start + parameter.numel()
            self.weights[start:end].copy_(parameter.data.flatten())
            parameter.data = self.weights[start:end].view_as(parameter)
            parameter.grad = self.gradients[start:end].view_as(parameter)
            decayed[start:end] = float(parameter.dim() >= 2)  # norms are not decayed
            start = end
        self.decay = self._own(decayed).clone() * weight_decay
        self.first = torch.zeros(self.slice, device=device)
        self.second = torch.zeros(self.slice, device=device)
        self.sums: List[Tuple[int, Tensor]] = []  # of micro-batches: how many, and their gradients

    def _own(self, buffer: Tensor) -> Tensor:
        return buffer[self.rank * self.slice : (self.rank + 1) * self.slice]

    def clear(self) -> None:
        self.gradients.zero_()
        self.sums.clear()

    def collect(self) -> None:
        """Takes the gradients of one micro-batch. Two sums of equally many become one, so they form a tree."""
        count, total = 1, self.gradients.clone()
        while self.sums and self.sums[-1][0] == count:
            count, total = 2 * count, self.sums.pop()[1].add_(total)
        self.sums.append((count, total))
        self.gradients.zero_()

    def reduce(self) -> None:
        """Gradients become the mean over the micro-batches of all ranks, the same on each."""
        count = sum(count for count, _ in self.sums)
        for _, total in self.sums:
            self.gradients.add_(total)
        if self.world & (self.world - 1) == 0:
            self._exchange()
        else:
            for handle in [distributed.all_reduce(bucket, async_op=True) for bucket in self.gradients.split(BUCKET_ELEMENTS)]:
                handle.wait()
        self.gradients.div_(count * self.world)

    def _exchange(self) -> None:
        """After the exchange at distance d, groups of 2 d ranks have the same sum: a + b is b + a, to the bit."""
        other, distance = torch.empty_like(self.gradients), 1
        while distance < self.world:
            partner = self.rank ^ distance
            send = distributed.P2POp(distributed.isend, self.gradients, partner)
            receive = distributed.P2POp(distributed.irecv, other, partner)
            for handle in distributed.batch_isend_irecv([send, receive]):
                handle.wait()
            self.gradients.add_(other)
            distance *= 2

    def norm(self) -> float:
        return float(self.gradients[: self.size].norm())

    def update(self, step: int, rate: float, scale: float) -> None:
        """AdamW on this rank's slice with gradients times `scale`."""
        gradient = self._own(self.gradients) * scale
        weights = self._own(self.weights)
        self.first.mul_(BETAS[0]).add_(gradient, alpha=1 - BETAS[0])
        self.second.mul_(BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
        first = self.first / (1 - BETAS[0] ** step)
        second = (self.second / (1 - BETAS[1] ** step)).sqrt_().add_(EPSILON)
        weights.sub_(rate * (first / second + self.decay * weights))

    def share(self) -> None:
        """Every rank gets the slices that the others updated."""
        if self.world > 1:
            distributed.all_gather(list(self.weights.split(self.slice)), self._own(self.weights).clone())

    def state(self) -> Dict[str, Tensor]:
        return {"zero.weights": self._own(self.weights), "zero.first": self.first, "zero.second": self.second}

    def restore(self, shards: Sequence[Dict[str, Tensor]]) -> None:
        """From the shards of all ranks of the saving job, which may have had another number of them."""
        for name, own in self.state().items():
            own.copy_(_slice_of([shard[name] for shard in shards], self.rank * self.slice, own.numel()))
        self.share()


def _slice_of(parts: List[Tensor], start: int, count: int) -> Tensor:
    """Touches only the parts that overlap: files are mapped, so nothing else is read."""
    size, result, done = parts[0].numel(), torch.zeros(count), 0
    while done < count and (start + done) // size < len(parts):
        part, offset = divmod(start + done, size)
        taken = min(count - done, size - offset)
        result[done : done + taken] = parts[part][offset : offset + taken]
        done += taken
    return result
