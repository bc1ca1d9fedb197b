"""Byte-level tokenizers: the one of 256 bytes, and what llama.cpp wants to know of any."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

Json = Dict[str, Any]

# A model trained on bytes has no token for the end. Byte 0 is in no text, so it stands for it, and is never shown.
END_BYTE = 0
CHAT_TEMPLATE = "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}assistant:"

_NORMAL, _CONTROL, _USER_DEFINED = 1, 3, 4


def byte_characters() -> List[str]:
    """The character that byte-level tokenizers (GPT-2 and later) write for each byte."""
    plain = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    others = iter(range(256, 512))
    return [chr(byte) if byte in plain else chr(next(others)) for byte in range(256)]


def byte_tokenizer() -> Json:
    step = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    return {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": step,
        "decoder": step,
        "model": {"type": "BPE", "vocab": {character: byte for byte, character in enumerate(byte_characters())}, "merges": []},
    }


def tokenizer_config(tokenizer: Json, config: Json) -> Json:
    end = _end(tokenizer, config)
    names = {number: name for name, number in _vocabulary(tokenizer).items()}
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": config["max_position_embeddings"],
        "add_bos_token": False,
        "eos_token": names[end],
        "chat_template": CHAT_TEMPLATE,
        "clean_up_tokenization_spaces": False,
    }


def gguf_fields(tokenizer: Json, config: Json) -> List[Tuple[str, Any]]:
    model = tokenizer["model"]
    if model["type"] != "BPE" or (tokenizer.get("pre_tokenizer") or {}).get("type") != "ByteLevel":
        raise ValueError("only byte-level BPE tokenizers are exported to GGUF")
    vocabulary = _vocabulary(tokenizer)
    names = {number: name for name, number in vocabulary.items()}
    special = {added["id"]: _CONTROL if added.get("special") else _USER_DEFINED for added in tokenizer.get("added_tokens", [])}
    end, size = _end(tokenizer, config), config["vocab_size"]
    return [
        ("tokenizer.ggml.model", "gpt2"),
        ("tokenizer.ggml.pre", "gpt-2"),
        ("tokenizer.ggml.tokens", [names.get(number, f"<unused{number}>") for number in range(size)]),
        ("tokenizer.ggml.token_type", [_CONTROL if number == end else special.get(number, _NORMAL) for number in range(size)]),
        ("tokenizer.ggml.merges", [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]),
        ("tokenizer.ggml.bos_token_id", end),
        ("tokenizer.ggml.eos_token_id", end),
        ("tokenizer.ggml.add_bos_token", False),
        ("tokenizer.chat_template", CHAT_TEMPLATE),
    ]


def _vocabulary(tokenizer: Json) -> Dict[str, int]:
    return {**tokenizer["model"]["vocab"], **{added["content"]: added["id"] for added in tokenizer.get("added_tokens", [])}}


def _end(tokenizer: Json, config: Json) -> int:
    named = config.get("eos_token_id")
    return END_BYTE if named is None else int(named[0] if isinstance(named, list) else named)
