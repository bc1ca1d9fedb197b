"""A decoder of the Llama architecture: RMSNorm, rotary positions, grouped-query attention, SwiGLU. Names of parameters are those
of Hugging Face's LlamaForCausalLM, so a checkpoint needs no translation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Dict, Tuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass(frozen=True)
class Shape:
    vocabulary: int
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    intermediate: int
    context: int
    tied: bool = True
    theta: float = 10_000.0
    epsilon: float = 1e-5


SHAPES: Dict[str, Shape] = {
    "tiny": Shape(vocabulary=256, hidden=128, layers=4, heads=4, kv_heads=2, intermediate=352, context=128),
    "small": Shape(vocabulary=256, hidden=256, layers=6, heads=8, kv_heads=4, intermediate=704, context=256),
}


class RMSNorm(nn.Module):
    def __init__(self, size: int, epsilon: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        scale = torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + self.epsilon)
        return (x.float() * scale).to(x.dtype) * self.weight


def rotary_tables(shape: Shape) -> Tuple[Tensor, Tensor]:
    size = shape.hidden // shape.heads
    frequencies = shape.theta ** (-torch.arange(0, size, 2).float() / size)
    angles = torch.outer(torch.arange(shape.context).float(), frequencies)
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos(), angles.sin()


def rotated(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    return x * cosine + torch.cat((-second, first), dim=-1) * sine


class Attention(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads, self.kv_heads, self.size = shape.heads, shape.kv_heads, shape.hidden // shape.heads
        self.q_proj = nn.Linear(shape.hidden, shape.heads * self.size, bias=False)
        self.k_proj = nn.Linear(shape.hidden, shape.kv_heads * self.size, bias=False)
        self.v_proj = nn.Linear(shape.hidden, shape.kv_heads * self.size, bias=False)
        self.o_proj = nn.Linear(shape.heads * self.size, shape.hidden, bias=False)

    def forward(self, x: Tensor, tables: Tuple[Tensor, Tensor, Tensor]) -> Tensor:
        cosine, sine, mask = tables
        batch, length, _ = x.shape
        q = rotated(self.q_proj(x).view(batch, length, self.heads, self.size).transpose(1, 2), cosine, sine)
        k = rotated(self.k_proj(x).view(batch, length, self.kv_heads, self.size).transpose(1, 2), cosine, sine)
        v = self.v_proj(x).view(batch, length, self.kv_heads, self.size).transpose(1, 2)
        k, v = (part.repeat_interleave(self.heads // self.kv_heads, dim=1) for part in (k, v))
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.size) + mask
        mixed = F.softmax(scores.float(), dim=-1).to(v.dtype) @ v
        return self.o_proj(mixed.transpose(1, 2).reshape(batch, length, -1))


class FeedForward(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(shape.hidden, shape.intermediate, bias=False)
        self.up_proj = nn.Linear(shape.hidden, shape.intermediate, bias=False)
        self.down_proj = nn.Linear(shape.intermediate, shape.hidden, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.self_attn, self.mlp = Attention(shape), FeedForward(shape)
        self.input_layernorm = RMSNorm(shape.hidden, shape.epsilon)
        self.post_attention_layernorm = RMSNorm(shape.hidden, shape.epsilon)

    def forward(self, x: Tensor, tables: Tuple[Tensor, Tensor, Tensor]) -> Tensor:
        x = x + self.self_attn(self.input_layernorm(x), tables)
        return x + self.mlp(self.post_attention_layernorm(x))


class Trunk(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(shape.vocabulary, shape.hidden)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.norm = RMSNorm(shape.hidden, shape.epsilon)


class Llama(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.model = Trunk(shape)
        if not shape.tied:
            self.lm_head = nn.Linear(shape.hidden, shape.vocabulary, bias=False)
        cosine, sine = rotary_tables(shape)
        self.register_buffer("cosine", cosine, persistent=False)
        self.register_buffer("sine", sine, persistent=False)
        self.register_buffer("mask", torch.full((shape.context, shape.context), -math.inf).triu(1), persistent=False)
        self.apply(self._initialise)

    def _initialise(self, module: nn.Module) -> None:
        """Normal with 0.02; what adds to the residual stream is scaled down by its depth, as in GPT-2."""
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, Layer):
            for last in (module.self_attn.o_proj, module.mlp.down_proj):
                nn.init.normal_(last.weight, std=0.02 / math.sqrt(2 * self.shape.layers))

    def forward(self, tokens: Tensor) -> Tensor:
        length = tokens.shape[1]
        tables = (self.cosine[:length], self.sine[:length], self.mask[:length, :length])
        x = self.model.embed_tokens(tokens)
        for layer in self.model.layers:
            x = layer(x, tables)
        x = self.model.norm(x)
        return F.linear(x, self.model.embed_tokens.weight) if self.shape.tied else self.lm_head(x)

    @torch.no_grad()
    def continued(self, prompt: bytes, count: int) -> bytes:
        """The prompt and the most likely `count` bytes after it."""
        tokens = torch.tensor([list(prompt)], device=self.mask.device)
        for _ in range(count):
            logits = self(tokens[:, -self.shape.context :])[:, -1]
            tokens = torch.cat((tokens, logits.argmax(-1, keepdim=True)), dim=1)
        return bytes(tokens[0].tolist())

    def loss(self, tokens: Tensor) -> Tensor:
        """Mean over the positions of a window of context + 1 tokens, in nats."""
        logits = self(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1).float(), tokens[:, 1:].flatten())
