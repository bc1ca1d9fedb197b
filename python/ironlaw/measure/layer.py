"""One decoder layer of the Llama kind, operator by operator as PyTorch programs write it. What it takes beyond its products and its
attention is the price of elementwise work, allocation and the host."""

from __future__ import annotations

import math
from typing import Any, Dict

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Causal, keys and values shared by groups of heads; by the fused kernel where PyTorch has one."""
    k, v = (part.repeat_interleave(q.shape[1] // k.shape[1], dim=1) for part in (k, v))
    fused = getattr(F, "scaled_dot_product_attention", None)
    if fused is not None:
        mixed = fused(q, k, v, is_causal=True)
    else:
        mask = torch.full((q.shape[2], q.shape[2]), -math.inf, device=q.device).triu(1)
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + mask
        mixed = F.softmax(scores.float(), dim=-1).to(v.dtype) @ v
    return mixed.transpose(1, 2).reshape(q.shape[0], q.shape[2], -1)


class Norm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        scale = torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-5)
        return (x.float() * scale).to(x.dtype) * self.weight


class Layer(nn.Module):
    def __init__(self, shape: Dict[str, int]) -> None:
        super().__init__()
        width, heads, kv_heads, inner = shape["width"], shape["heads"], shape["kv_heads"], shape["inner"]
        self.size, self.heads, self.kv_heads = width // heads, heads, kv_heads
        self.q = nn.Linear(width, heads * self.size, bias=False)
        self.k = nn.Linear(width, kv_heads * self.size, bias=False)
        self.v = nn.Linear(width, kv_heads * self.size, bias=False)
        self.o = nn.Linear(heads * self.size, width, bias=False)
        self.gate = nn.Linear(width, inner, bias=False)
        self.up = nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)
        self.before, self.between = Norm(width), Norm(width)

    def forward(self, x: Tensor, turns: Any) -> Tensor:
        batch, length, _ = x.shape
        normed = self.before(x)
        q = rotated(self.q(normed).view(batch, length, self.heads, self.size).transpose(1, 2), turns)
        k = rotated(self.k(normed).view(batch, length, self.kv_heads, self.size).transpose(1, 2), turns)
        v = self.v(normed).view(batch, length, self.kv_heads, self.size).transpose(1, 2)
        x = x + self.o(attention(q, k, v))
        normed = self.between(x)
        return x + self.down(F.silu(self.gate(normed)) * self.up(normed))


def rotated(x: Tensor, turns: Any) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    return x * turns[0] + torch.cat((-second, first), dim=-1) * turns[1]


class Stack(nn.Module):
    """Layers one after the other, with `step` as a trainer makes it: forward, a scalar, backward."""

    def __init__(self, shape: Dict[str, int], device: torch.device, dtype: torch.dtype) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape["layers"]))
        self.to(device=device, dtype=dtype)
        angles = torch.outer(torch.arange(shape["length"]).float(), torch.ones(shape["width"] // shape["heads"]))
        self.turns = angles.cos().to(device, dtype), angles.sin().to(device, dtype)
        self.shape = shape

    def input(self) -> Tensor:
        weight = self.layers[0].q.weight
        return torch.randn(self.shape["sequences"], self.shape["length"], self.shape["width"], device=weight.device, dtype=weight.dtype)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x, self.turns)
        return x

    def step(self, x: Tensor) -> None:
        self(x).float().pow(2).mean().backward()
