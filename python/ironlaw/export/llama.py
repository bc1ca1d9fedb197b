"""The Llama architecture by its config.json: names and shapes of its parameters, and a plain forward pass. The pass is what
exported files are compared with, so it is written for reading, apart from any trainer's model."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Mapping, Tuple

import torch
from torch import Tensor
from torch.nn import functional as F

Config = Mapping[str, Any]
Weights = Mapping[str, Tensor]


class Unsupported(Exception):
    """What this model has and an export does not know."""


def check(config: Config) -> None:
    if config.get("model_type") != "llama":
        raise Unsupported(f"model_type is {config.get('model_type')!r}; only \"llama\" is exported")
    for field in ("rope_scaling", "attention_bias", "mlp_bias"):
        if config.get(field):
            raise Unsupported(f"{field} is set, which an export does not carry over")


def head_size(config: Config) -> int:
    return int(config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"])


def kv_heads(config: Config) -> int:
    return int(config.get("num_key_value_heads") or config["num_attention_heads"])


def parameters(config: Config) -> List[Tuple[str, Tuple[int, ...]]]:
    """In the order in which a checkpoint of flat buffers holds them: attention, feed-forward, then the norms of each layer."""
    hidden, inner, size = config["hidden_size"], config["intermediate_size"], head_size(config)
    query, key = config["num_attention_heads"] * size, kv_heads(config) * size
    layer = (
        ("self_attn.q_proj", (query, hidden)),
        ("self_attn.k_proj", (key, hidden)),
        ("self_attn.v_proj", (key, hidden)),
        ("self_attn.o_proj", (hidden, query)),
        ("mlp.gate_proj", (inner, hidden)),
        ("mlp.up_proj", (inner, hidden)),
        ("mlp.down_proj", (hidden, inner)),
        ("input_layernorm", (hidden,)),
        ("post_attention_layernorm", (hidden,)),
    )
    embedding = (config["vocab_size"], hidden)
    return [
        ("model.embed_tokens.weight", embedding),
        *((f"model.layers.{index}.{name}.weight", shape) for index in range(config["num_hidden_layers"]) for name, shape in layer),
        ("model.norm.weight", (hidden,)),
        *([] if config.get("tie_word_embeddings") else [("lm_head.weight", embedding)]),
    ]


@torch.no_grad()
def logits(config: Config, weights: Weights, tokens: Tensor) -> Tensor:
    """(batch, length) token ids to (batch, length, vocabulary)."""
    weight: Dict[str, Tensor] = {name: value.float() for name, value in weights.items()}
    size, length = head_size(config), tokens.shape[1]
    epsilon = config["rms_norm_eps"]
    frequencies = float(config.get("rope_theta", 10_000.0)) ** (-torch.arange(0, size, 2).float() / size)
    angles = torch.outer(torch.arange(length).float(), frequencies).repeat(1, 2)
    mask = torch.full((length, length), -math.inf).triu(1)

    def normed(x: Tensor, name: str) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + epsilon) * weight[f"{name}.weight"]

    def heads(x: Tensor, name: str) -> Tensor:
        return F.linear(x, weight[f"{name}.weight"]).unflatten(-1, (-1, size)).transpose(1, 2)

    def rotated(x: Tensor) -> Tensor:
        first, second = x.chunk(2, dim=-1)
        return x * angles.cos() + torch.cat((-second, first), dim=-1) * angles.sin()

    def attended(x: Tensor, layer: str) -> Tensor:
        q, k, v = (heads(x, f"{layer}.self_attn.{part}_proj") for part in "qkv")
        k, v = (part.repeat_interleave(q.shape[1] // part.shape[1], dim=1) for part in (rotated(k), v))
        mixed = F.softmax(rotated(q) @ k.transpose(-1, -2) / math.sqrt(size) + mask, dim=-1) @ v
        return F.linear(mixed.transpose(1, 2).flatten(2), weight[f"{layer}.self_attn.o_proj.weight"])

    x = weight["model.embed_tokens.weight"][tokens]
    for index in range(config["num_hidden_layers"]):
        layer = f"model.layers.{index}"
        x = x + attended(normed(x, f"{layer}.input_layernorm"), layer)
        y = normed(x, f"{layer}.post_attention_layernorm")
        gate, up = (F.linear(y, weight[f"{layer}.mlp.{part}_proj.weight"]) for part in ("gate", "up"))
        x = x + F.linear(F.silu(gate) * up, weight[f"{layer}.mlp.down_proj.weight"])
    return F.linear(normed(x, "model.norm"), weight["model.embed_tokens.weight" if config.get("tie_word_embeddings") else "lm_head.weight"])
