"""A script as people have it, with one line more: `callbacks=[IronlawCallback()]`."""

from __future__ import annotations

import sys

import torch
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

from ironlaw.integrations.transformers import IronlawCallback

STEPS, SEQUENCE, MICROBATCH, ACCUMULATION = 4, 32, 2, 2


class Documents(torch.utils.data.Dataset):
    def __len__(self) -> int:
        return 256

    def __getitem__(self, index: int) -> dict:
        tokens = torch.randint(0, 128, (SEQUENCE,), generator=torch.Generator().manual_seed(index))
        return {"input_ids": tokens, "labels": tokens}


def main() -> None:
    torch.set_num_threads(1)
    shape = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2, "vocab_size": 128}
    settings = TrainingArguments(
        output_dir=sys.argv[1], max_steps=STEPS, per_device_train_batch_size=MICROBATCH, gradient_accumulation_steps=ACCUMULATION,
        logging_steps=1, save_strategy="no", report_to=[], use_cpu=True, bf16="--bf16" in sys.argv,
    )  # fmt: skip
    Trainer(LlamaForCausalLM(LlamaConfig(**shape)), settings, train_dataset=Documents(), callbacks=[IronlawCallback()]).train()


if __name__ == "__main__":
    main()
