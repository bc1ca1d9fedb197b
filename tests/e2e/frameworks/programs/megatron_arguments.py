"""Whether Megatron takes exported arguments, read from standard input one word a line.

Always: each flag is a field of megatron-core's own configuration classes or one of those below that Megatron-LM's launcher adds, and the
classes accept the values (they check how the settings go together). With MEGATRON_LM naming a checkout of Megatron-LM, which is not on the
package index: its real argument parser and its validation as well.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from typing import Any, Dict, List, Tuple

# Of megatron/training/arguments.py: what the launcher itself consumes.
LAUNCHER = {
    "--ffn-hidden-size", "--group-query-attention", "--max-position-embeddings", "--vocab-size", "--swiglu", "--position-embedding-type",
    "--disable-bias-linear", "--untie-embeddings-and-output-weights", "--seq-length", "--micro-batch-size", "--global-batch-size",
    "--train-samples", "--use-distributed-optimizer", "--use-megatron-fsdp", "--data-parallel-sharding-strategy", "--ckpt-format",
    "--overlap-grad-reduce", "--overlap-param-gather", "--num-virtual-stages-per-pipeline-rank", "--cp-comm-type", "--grad-reduce-in-bf16",
    "--normalization", "--num-distributed-optimizer-instances", "--tp-comm-overlap", "--num-experts", "--pipeline-model-parallel-layout",
    "--optimizer-cpu-offload", "--use-precision-aware-optimizer", "--add-qkv-bias", "--fp8-format", "--bf16",
}  # fmt: skip
NAMES = {
    "num_experts": "num_moe_experts",
    "swiglu": "gated_linear_unit",
    "group_query_attention": None,
    "disable_bias_linear": None,
    "fp8_format": "fp8",
}


def pairs(words: List[str]) -> List[Tuple[str, Any]]:
    found: List[Tuple[str, Any]] = []
    for word in words:
        if word.startswith("--"):
            found.append((word, True))
        else:
            found[-1] = (found[-1][0], word)
    return found


def typed(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def core(flags: List[Tuple[str, Any]]) -> Dict[str, Any]:
    from megatron.core.transformer import TransformerConfig

    fields = {field.name for field in dataclasses.fields(TransformerConfig)}
    settings: Dict[str, Any] = {"add_bias_linear": not any(name == "--disable-bias-linear" for name, _ in flags)}
    for name, value in flags:
        plain = name[2:].replace("-", "_")
        field = NAMES.get(plain, plain)
        if field in fields:
            settings[field] = [value] if field == "recompute_modules" else typed(value)
        elif name not in LAUNCHER:
            raise SystemExit(f"{name}: neither a setting of megatron-core nor an argument of Megatron-LM")
    if settings.get("bf16"):
        import torch

        settings["params_dtype"] = settings["pipeline_dtype"] = torch.bfloat16
    config = TransformerConfig(**settings)
    optimizer(flags)
    return {
        "tensor": config.tensor_model_parallel_size,
        "pipeline": config.pipeline_model_parallel_size,
        "context": config.context_parallel_size,
        "expert": config.expert_model_parallel_size,
        "dispatcher": config.moe_token_dispatcher_type if config.num_moe_experts else None,
        "recompute": config.recompute_granularity,
    }


def optimizer(flags: List[Tuple[str, Any]]) -> None:
    """Raises where the settings of the optimizer do not go together."""
    from megatron.core.optimizer import OptimizerConfig

    fields = {field.name for field in dataclasses.fields(OptimizerConfig)}
    named = {name[2:].replace("-", "_"): value for name, value in flags}
    settings = {name: value for name, value in named.items() if name in fields and value is True}
    try:
        OptimizerConfig(optimizer="adam", **settings)
    except TypeError:
        # Behind the checks of how settings go together: the version of Transformer Engine, which is not there without a GPU.
        if not settings.get("use_precision_aware_optimizer"):
            raise


def launcher(words: List[str]) -> Dict[str, Any]:
    sys.path.insert(0, os.environ["MEGATRON_LM"])
    import argparse
    import typing

    import typing_extensions

    typing.override = typing_extensions.override  # type: ignore[attr-defined]  # of Python 3.12, which Megatron-LM asks for
    from megatron.training.arguments import add_megatron_arguments

    options = add_megatron_arguments(argparse.ArgumentParser(allow_abbrev=False)).parse_args(words)
    return {
        "tensor": options.tensor_model_parallel_size,
        "pipeline": options.pipeline_model_parallel_size,
        "context": options.context_parallel_size,
        "microbatch": options.micro_batch_size,
        "globalBatch": options.global_batch_size,
        "sequence": options.seq_length,
    }


if __name__ == "__main__":
    given = [line.rstrip("\n") for line in sys.stdin if line.strip()]
    print(json.dumps(launcher(given) if os.environ.get("MEGATRON_LM") else core(pairs(given))))
