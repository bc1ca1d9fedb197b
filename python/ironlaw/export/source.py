"""Where the weights are: a directory as Hugging Face tools write it, the directory of a run, or the manifest of one checkpoint."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional

import torch
from torch import Tensor

from ironlaw import tensors
from ironlaw.export import llama
from ironlaw.export.tokenizer import byte_tokenizer
from ironlaw.storage import choose, fault_of, load

Json = Dict[str, Any]


class NoSource(Exception):
    """Nothing to export is there; the message says what was looked for."""


@dataclass(frozen=True)
class Source:
    config: Json
    tokenizer: Json
    weights: Dict[str, Tensor]
    lineage: Json


def open_source(path: Path, config: Optional[Path]) -> Source:
    if (path / "model.safetensors").is_file():
        return _exported(path, config)
    if path.is_file():
        fault = fault_of(path)
        if fault:
            raise NoSource(f"{path} cannot be used: {fault}")
        return _checkpoint(path, config)
    choice = choose(path, None)
    if choice.manifest is None:
        faults = "; ".join(f"{bad.name}: {fault}" for bad, fault in choice.corrupt)
        raise NoSource(f"{path} holds neither model.safetensors nor a usable checkpoint{': ' if faults else ''}{faults}")
    return _checkpoint(choice.manifest, config)


def seeded_source(config_path: Path, seed: int) -> Source:
    """Weights drawn by a seed, for measurements where the real ones are not at hand: scaled so that activations keep their size."""
    config = json.loads(config_path.read_text(encoding="utf-8"))
    generator = torch.Generator().manual_seed(seed)
    weights = {
        name: torch.ones(shape) if len(shape) == 1 else torch.randn(shape, generator=generator) / shape[-1] ** 0.5
        for name, shape in llama.parameters(config)
    }
    return _checked(config, weights, config_path.parent / "tokenizer.json", {"seed": seed})


def _exported(path: Path, config_path: Optional[Path]) -> Source:
    config = json.loads((config_path or path / "config.json").read_text(encoding="utf-8"))
    weights = tensors.read(path / "model.safetensors")
    return _checked(config, weights, path / "tokenizer.json", {"directory": path.name})


def _checkpoint(manifest: Path, config_path: Optional[Path]) -> Source:
    if config_path is None:
        raise NoSource("a checkpoint holds weights without their shapes; name the model's config.json with --config")
    config = json.loads(config_path.read_text(encoding="utf-8"))
    found = load(manifest, 0)
    shards = [tensors.read_flat(shard) for shard in found.shards]
    record = json.loads(manifest.read_text(encoding="utf-8"))
    lineage = {
        "run": record.get("run"),
        "attempt": found.attempt,
        "step": found.step,
        "tokens": found.tokens,
        "ranks": found.world,
        "saved_at": record.get("at"),
        "shards": [{"file": shard["file"], "sha256": shard["sha256"]} for shard in record["shards"]],
        "data": {"position": found.extras[0].get("position")},
    }
    weights = shards[0] if "model.embed_tokens.weight" in shards[0] else _divided(config, [shard["zero.weights"] for shard in shards])
    return _checked(config, weights, config_path.parent / "tokenizer.json", lineage)


def _divided(config: Json, slices: List[Tensor]) -> Dict[str, Tensor]:
    """ZeRO's flat buffer, whose slices lie in the shards of the ranks; the last one is padded."""
    flat, start = torch.cat(slices), 0
    weights: Dict[str, Tensor] = {}
    for name, shape in llama.parameters(config):
        size = torch.Size(shape).numel()
        weights[name] = flat[start : start + size].view(shape)
        start += size
    if not 0 <= flat.numel() - start < len(slices):
        raise NoSource(f"the checkpoint has {flat.numel()} weights, the config.json asks for {start}: they do not belong together")
    return weights


def _checked(config: Json, weights: Dict[str, Tensor], tokenizer_path: Path, lineage: Json) -> Source:
    llama.check(config)
    wanted = dict(llama.parameters(config))
    for name, shape in wanted.items():
        if name not in weights or tuple(weights[name].shape) != shape:
            found = tuple(weights[name].shape) if name in weights else "nothing"
            raise NoSource(f"{name}: the config.json asks for {shape}, the weights have {found}")
    if tokenizer_path.is_file():
        tokenizer = json.loads(tokenizer_path.read_text(encoding="utf-8"))
    elif config["vocab_size"] == 256:
        tokenizer = byte_tokenizer()
    else:
        raise NoSource(f"there is no {tokenizer_path}, and {config['vocab_size']} tokens are not the 256 bytes")
    return Source(config, tokenizer, {name: weights[name] for name in wanted}, lineage)
