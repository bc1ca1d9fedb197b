"""The trained model as Hugging Face tools read it: config.json, model.safetensors, tokenizer.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List

from model import Llama, Shape

from ironlaw import tensors


def config_of(shape: Shape) -> Dict[str, Any]:
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": shape.vocabulary,
        "hidden_size": shape.hidden,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "intermediate_size": shape.intermediate,
        "max_position_embeddings": shape.context,
        "rope_theta": shape.theta,
        "rms_norm_eps": shape.epsilon,
        "hidden_act": "silu",
        "tie_word_embeddings": shape.tied,
        "torch_dtype": "float32",
    }


def byte_characters() -> List[str]:
    """The character that byte-level tokenizers (GPT-2 and later) write for each byte."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = iter(range(256, 512))
    return [chr(byte) if byte in plain else chr(next(others)) for byte in range(256)]


def tokenizer() -> Dict[str, Any]:
    step = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    vocabulary = {character: byte for byte, character in enumerate(byte_characters())}
    return {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": step,
        "decoder": step,
        "model": {"type": "BPE", "vocab": vocabulary, "merges": []},
    }


def export(model: Llama, directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "config.json").write_text(json.dumps(config_of(model.shape), indent=2) + "\n")
    (directory / "tokenizer.json").write_text(json.dumps(tokenizer(), ensure_ascii=False) + "\n", encoding="utf-8")
    with open(directory / "model.safetensors", "wb") as file:
        tensors.write(file, dict(model.named_parameters()), {"format": "pt"})
