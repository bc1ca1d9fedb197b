"""What is measured on one device. Every case is a row of data (its shape) and a call; the rows are what `ironlaw calibrate` fits."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, NamedTuple

import torch
from torch import Tensor

from ironlaw import tensors
from ironlaw.measure.layer import Stack, attention
from ironlaw.measure.timing import cycled
from ironlaw.staging import Staging


class Case(NamedTuple):
    row: Dict[str, Any]
    call: Callable[[], object]


class Device(NamedTuple):
    device: torch.device
    dtype: torch.dtype

    @property
    def bytes(self) -> int:
        return torch.empty(0, dtype=self.dtype).element_size()

    def random(self, *shape: int) -> Tensor:
        return torch.randn(*shape, device=self.device, dtype=self.dtype)


# Rows, outputs and inner length: a processor core works on models of millions of parameters, an accelerator on those of billions.
PRODUCTS = {
    "cpu": [(512, 128, 128), (1024, 256, 128), (1024, 704, 256), (2048, 128, 352), (512, 512, 512), (1024, 256, 704), (512, 1024, 1024)],
    "cuda": [(2048, 1024, 1024), (2048, 4096, 1024), (4096, 4096, 4096), (4096, 14336, 4096), (8192, 8192, 8192), (512, 4096, 4096)],
}
# Sequences, heads, heads of keys and values, length, width of a head: one width each, since softmax costs the same for any.
ATTENTIONS = {
    "cpu": [(4, 4, 2, 128, 32), (8, 4, 2, 128, 32), (8, 6, 3, 192, 32), (4, 8, 4, 256, 32), (4, 6, 3, 384, 32)],
    "cuda": [(2, 32, 8, 2048, 128), (1, 32, 8, 4096, 128), (1, 32, 8, 8192, 128), (4, 16, 16, 1024, 128)],
}
# Sequences, length, width, heads, heads of keys and values, inner width, layers.
LAYERS = {
    "cpu": [(4, 128, 192, 6, 3, 512, 3), (8, 128, 160, 5, 5, 448, 4), (4, 256, 192, 6, 3, 512, 4), (8, 192, 288, 9, 3, 768, 3),
            (8, 256, 224, 7, 7, 640, 5)],  # fmt: skip
    "cuda": [(1, 2048, 4096, 32, 8, 14336, 2), (2, 2048, 2048, 16, 16, 5632, 2), (1, 4096, 2048, 16, 8, 5632, 2)],
}
ELEMENTS = {"cpu": [500_000, 2_000_000, 6_000_000], "cuda": [16_000_000, 128_000_000, 512_000_000]}
# A checkpoint on its way to host memory: short ones show what each costs at least, long ones the rate.
STAGED = {"cpu": [1 << 16, 1 << 24, 1 << 26], "cuda": [1 << 16, 1 << 26, 1 << 30]}
COPIES = {"cpu": [1 << 20, 1 << 23, 1 << 25], "cuda": [1 << 24, 1 << 28, 1 << 30]}


def products(on: Device, quick: bool) -> Iterator[Case]:
    """Forward, and both products of the backward pass, each in the memory layout in which training makes it."""
    for m, n, k in PRODUCTS[on.device.type][: 2 if quick else None]:
        yield _product("forward", (m, n, k), _forward(on, (m, n, k)))
        yield _product("input", (m, k, n), _input(on, (m, n, k)))
        yield _product("weight", (n, k, m), _weight(on, (m, n, k)))


def _product(way: str, shape: "tuple[int, int, int]", call: Callable[[], object]) -> Case:
    m, n, k = shape
    return Case({"measured": "product", "way": way, "m": m, "n": n, "k": k}, call)


def _forward(on: Device, shape: "tuple[int, int, int]") -> Callable[[], object]:
    m, n, k = shape
    weight, x = on.random(n, k), cycled(lambda: on.random(m, k), m * k * on.bytes)
    return lambda: torch.nn.functional.linear(x(), weight)


def _input(on: Device, shape: "tuple[int, int, int]") -> Callable[[], object]:
    m, n, k = shape
    weight, gradient = on.random(n, k), cycled(lambda: on.random(m, n), m * n * on.bytes)
    return lambda: gradient() @ weight


def _weight(on: Device, shape: "tuple[int, int, int]") -> Callable[[], object]:
    m, n, k = shape
    pairs = cycled(lambda: (on.random(m, n), on.random(m, k)), m * (n + k) * on.bytes)

    def call() -> object:
        gradient, x = pairs()
        return gradient.t() @ x

    return call


def attentions(on: Device, quick: bool) -> Iterator[Case]:
    for sequences, heads, kv_heads, length, width in ATTENTIONS[on.device.type][: 1 if quick else None]:
        row = {"sequences": sequences, "heads": heads, "kv_heads": kv_heads, "length": length, "width": width}
        count = sequences * length * width
        made = cycled(lambda: _heads(on, row), count * (heads + 2 * kv_heads) * on.bytes)
        yield Case({"measured": "attention", "way": "forward", **row}, lambda: attention(*(part.detach() for part in made())))
        yield Case({"measured": "attention", "way": "both", **row}, lambda: attention(*made()).float().sum().backward())


def _heads(on: Device, row: Dict[str, int]) -> "tuple[Tensor, ...]":
    counts = (row["heads"], row["kv_heads"], row["kv_heads"])
    return tuple(on.random(row["sequences"], heads, row["length"], row["width"]).requires_grad_() for heads in counts)


def layers(on: Device, quick: bool) -> Iterator[Case]:
    for sequences, length, width, heads, kv_heads, inner, count in LAYERS[on.device.type][: 1 if quick else None]:
        row = {"sequences": sequences, "length": length, "width": width, "heads": heads, "kv_heads": kv_heads, "inner": inner, "layers": count}
        stack = Stack(row, on.device, on.dtype)
        x = cycled(stack.input, sequences * length * width * on.bytes)
        yield Case({"measured": "layer", **row}, lambda: stack.step(x()))


def launches(on: Device) -> Iterator[Case]:
    """Layers too small to keep any device busy: what is left is the host."""
    row = {"sequences": 1, "length": 8, "width": 16, "heads": 2, "kv_heads": 1, "inner": 32, "layers": 4}
    stack = Stack(row, on.device, on.dtype)
    x = stack.input()

    def forward() -> None:
        with torch.no_grad():
            stack(x)

    yield Case({"measured": "launch", "way": "forward", "layers": row["layers"]}, forward)
    yield Case({"measured": "launch", "way": "both", "layers": row["layers"]}, lambda: stack.step(x))


def copies(on: Device, quick: bool) -> Iterator[Case]:
    for size in COPIES[on.device.type][: 1 if quick else None]:
        source, target = (torch.ones(size // 4, device=on.device) for _ in range(2))
        yield Case({"measured": "copy", "bytes": 2 * size}, lambda: target.copy_(source))


def stagings(on: Device, quick: bool) -> Iterator[Case]:
    """The copy for which `run.save` holds up training, into memory that was touched before."""
    for size in STAGED[on.device.type][: 2 if quick else None]:
        state = cycled(lambda: {"state": torch.ones(size // 4, device=on.device)}, size)
        staging = Staging.create()
        yield Case({"measured": "staging", "bytes": size}, lambda: staging.fill(lambda file: tensors.write(file, state())))
        staging.close()


def optimizers(on: Device, quick: bool) -> Iterator[Case]:
    """AdamW of PyTorch with gradients cleared and clipped around it, in FP32."""
    for elements in ELEMENTS[on.device.type][: 1 if quick else None]:
        weights = torch.nn.Parameter(torch.randn(elements, device=on.device))
        weights.grad = torch.randn(elements, device=on.device)
        optimizer = torch.optim.AdamW([weights], lr=1e-4)

        def call() -> None:
            torch.nn.utils.clip_grad_norm_([weights], 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)

        yield Case({"measured": "optimizer", "elements": elements}, call)
