"""GGUF version 3, written by hand after the format's description (ggml, docs/gguf.md): header, metadata, table of tensors, data aligned
to 32 bytes; blocks of 32 weights for Q8_0 and Q4_0 as ggml's reference quantisers make them."""

from __future__ import annotations

import struct
from typing import Any, BinaryIO, Callable, Dict, List, Mapping, NamedTuple, Sequence, Tuple

import numpy as np
from torch import Tensor

from ironlaw.export import llama
from ironlaw.export.tokenizer import gguf_fields

ALIGNMENT = 32
BLOCK = 32


class Kind(NamedTuple):
    type: int
    file_type: int
    bytes_per_block: int
    weights_per_block: int
    packed: Callable[[np.ndarray], np.ndarray]


def _q8_0(rows: np.ndarray) -> np.ndarray:
    blocks = rows.reshape(-1, BLOCK)
    scale = np.abs(blocks).max(axis=1, keepdims=True) / 127
    quants = _half_away(blocks * _inverse(scale)).astype(np.int8)
    return np.concatenate((scale.astype("<f2").view(np.uint8), quants.view(np.uint8)), axis=1)


def _q4_0(rows: np.ndarray) -> np.ndarray:
    """The weight of the largest magnitude becomes -8, so that all 16 levels are used."""
    blocks = rows.reshape(-1, BLOCK)
    extreme = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=1, keepdims=True), axis=1)
    scale = extreme / -8
    quants = np.minimum(15, np.floor(blocks * _inverse(scale) + 8.5)).astype(np.uint8)
    nibbles = quants[:, : BLOCK // 2] | (quants[:, BLOCK // 2 :] << 4)
    return np.concatenate((scale.astype("<f2").view(np.uint8), nibbles), axis=1)


def _inverse(scale: np.ndarray) -> np.ndarray:
    return np.divide(1, scale, out=np.zeros_like(scale), where=scale != 0)


def _half_away(x: np.ndarray) -> np.ndarray:
    """C's roundf; numpy rounds halves to even."""
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


KINDS: Dict[str, Kind] = {
    "f32": Kind(0, 0, 4, 1, lambda rows: rows.astype("<f4")),
    "f16": Kind(1, 1, 2, 1, lambda rows: rows.astype("<f2")),
    "q8_0": Kind(8, 7, 34, BLOCK, _q8_0),
    "q4_0": Kind(2, 2, 18, BLOCK, _q4_0),
}

_LAYER_NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}
_NAMES = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight", "lm_head.weight": "output.weight"}


def tensor_name(name: str) -> str:
    if name in _NAMES:
        return _NAMES[name]
    _, _, layer, rest = name.split(".", 3)
    return f"blk.{layer}.{_LAYER_NAMES[rest.rsplit('.', 1)[0]]}.weight"


def _rows(name: str, weight: Tensor, config: llama.Config) -> np.ndarray:
    """llama.cpp turns neighbouring pairs where Hugging Face turns halves: rows of queries and keys change places for it."""
    array = weight.detach().float().cpu().numpy()
    for part, heads in (("q_proj", config["num_attention_heads"]), ("k_proj", llama.kv_heads(config))):
        if f"self_attn.{part}" in name:
            return array.reshape(heads, 2, -1, array.shape[1]).swapaxes(1, 2).reshape(array.shape)
    return array


def _kind_for(wanted: str, shape: Sequence[int]) -> Kind:
    """Norms stay whole; a row that is no multiple of a block is kept in 16 bits, as llama.cpp's own quantiser does."""
    if len(shape) == 1:
        return KINDS["f32"]
    return KINDS[wanted] if shape[-1] % KINDS[wanted].weights_per_block == 0 else KINDS["f16"]


def _fields(config: llama.Config, tokenizer: Dict[str, Any], name: str, kind: Kind) -> List[Tuple[str, Any]]:
    return [
        ("general.architecture", "llama"),
        ("general.name", name),
        ("general.alignment", ALIGNMENT),
        ("general.file_type", kind.file_type),
        ("general.quantization_version", 2),
        ("llama.vocab_size", config["vocab_size"]),
        ("llama.context_length", config["max_position_embeddings"]),
        ("llama.embedding_length", config["hidden_size"]),
        ("llama.block_count", config["num_hidden_layers"]),
        ("llama.feed_forward_length", config["intermediate_size"]),
        ("llama.attention.head_count", config["num_attention_heads"]),
        ("llama.attention.head_count_kv", llama.kv_heads(config)),
        ("llama.attention.key_length", llama.head_size(config)),
        ("llama.attention.value_length", llama.head_size(config)),
        ("llama.attention.layer_norm_rms_epsilon", float(config["rms_norm_eps"])),
        ("llama.rope.dimension_count", llama.head_size(config)),
        ("llama.rope.freq_base", float(config.get("rope_theta", 10_000.0))),
        *gguf_fields(tokenizer, dict(config)),
    ]


_U32, _I32, _F32, _BOOL, _STRING, _ARRAY = 4, 5, 6, 7, 8, 9


def _text(value: str) -> bytes:
    raw = value.encode("utf-8")
    return struct.pack("<Q", len(raw)) + raw


def _value(value: Any) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<IB", _BOOL, value)
    if isinstance(value, int):
        return struct.pack("<II", _U32, value)
    if isinstance(value, float):
        return struct.pack("<If", _F32, value)
    if isinstance(value, str):
        return struct.pack("<I", _STRING) + _text(value)
    numbers = bool(value) and isinstance(value[0], int)
    head = struct.pack("<IIQ", _ARRAY, _I32 if numbers else _STRING, len(value))
    return head + (struct.pack(f"<{len(value)}i", *value) if numbers else b"".join(map(_text, value)))


def _padding(size: int) -> bytes:
    return b"\0" * (-size % ALIGNMENT)


def write(file: BinaryIO, model: Mapping[str, Any], kind_name: str) -> None:
    """`model`: config, tokenizer, weights, name. Weights are converted one at a time, so memory holds one of them."""
    config, weights = model["config"], model["weights"]
    fields = _fields(config, model["tokenizer"], model["name"], KINDS[kind_name])
    table, offset = b"", 0
    for name, weight in weights.items():
        kind = _kind_for(kind_name, weight.shape)
        shape = tuple(reversed(weight.shape))
        table += _text(tensor_name(name)) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind.type, offset)
        size = weight.numel() // kind.weights_per_block * kind.bytes_per_block
        offset += size + len(_padding(size))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(weights), len(fields)) + b"".join(_text(key) + _value(value) for key, value in fields) + table
    file.write(head + _padding(len(head)))
    for name, weight in weights.items():
        data = _kind_for(kind_name, weight.shape).packed(_rows(name, weight, config)).tobytes()
        file.write(data + _padding(len(data)))
