"""torchtitan's own trainer on processors: it asks for a device by name and for that device's memory, which `torch.cpu` does not tell.

Everything else is torchtitan as installed: its argument parser, meshes, FSDP, pipeline, trainer and log lines. Also makes what
a run of it needs and a machine without a network has not: a tokenizer and a few documents.
"""

from __future__ import annotations

import json
import os
import types
from pathlib import Path

import torch
import torch._utils

GIB = 1 << 30


def stand_in_for_device_memory() -> None:
    torch._utils._get_available_device_type = lambda: "cpu"
    cpu = torch.cpu
    cpu.get_device_name = lambda *_: "processor"
    cpu.get_device_properties = lambda *_: types.SimpleNamespace(total_memory=8 * GIB)
    cpu.memory_stats = lambda *_: {}
    cpu.reset_peak_memory_stats = cpu.empty_cache = lambda *_: None
    cpu.current_device = lambda: 0


def sum_instead_of_scaled_sum() -> None:
    """FSDP scales gradients inside NCCL's reduction, which gloo does not have; the same sum with a division of its own is its other way."""
    from torch.distributed.fsdp._fully_shard import _fsdp_collectives as collectives

    original = collectives._get_gradient_divide_factors
    collectives._get_gradient_divide_factors = lambda *given, **named: original(
        *given[:5], **{**named, "force_sum_reduction_for_comms": True}
    )


def make_assets(folder: Path) -> None:
    """By the first rank to come; the others find them whole, since each file is renamed into place."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    texts = [f"The {number} plans of a fleet are {number * 7} decisions with a price each.\n" * 40 for number in range(64)]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(), decoders.ByteLevel()
    special = ["<|begin_of_text|>", "<|end_of_text|>"]
    trainer = trainers.BpeTrainer(vocab_size=2000, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(texts, trainer)
    config = {"bos_token": special[0], "eos_token": special[1], "tokenizer_class": "PreTrainedTokenizerFast"}
    documents = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    contents = {"tokenizer.json": tokenizer.to_str(), "tokenizer_config.json": json.dumps(config), "documents/data.jsonl": documents}
    for name, text in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}")
        part.write_text(text)
        part.rename(path)


def main() -> None:
    torch.set_num_threads(1)
    stand_in_for_device_memory()
    sum_instead_of_scaled_sum()
    make_assets(Path(os.environ["FRAMEWORK_ASSETS"]) / f"rank-{os.environ['RANK']}")
    os.chdir(Path(os.environ["FRAMEWORK_ASSETS"]) / f"rank-{os.environ['RANK']}")
    from torchtitan.train import main as train
    from torchtitan.train import Trainer

    train(Trainer)


if __name__ == "__main__":
    main()
