"""The Trainer of Hugging Face on the text of Python's standard library, byte by byte. One line of it is Ironlaw's: the callback."""

import argparse
import sysconfig
from pathlib import Path

import torch
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

from ironlaw.integrations.transformers import IronlawCallback

SEQUENCE = 128


class Text(torch.utils.data.Dataset):
    """Windows of so many bytes; a token is a byte."""

    def __init__(self) -> None:
        library = Path(sysconfig.get_paths()["stdlib"])
        self.text = b"".join(path.read_bytes() for path in sorted(library.glob("*.py")))

    def __len__(self) -> int:
        return len(self.text) // SEQUENCE

    def __getitem__(self, index: int) -> dict:
        window = torch.tensor(list(self.text[index * SEQUENCE : (index + 1) * SEQUENCE]))
        return {"input_ids": window, "labels": window}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True, help="config.json of the model")
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = LlamaForCausalLM(LlamaConfig.from_json_file(options.config))
    settings = TrainingArguments(
        output_dir="trained", max_steps=options.steps, per_device_train_batch_size=8, gradient_accumulation_steps=2,
        learning_rate=2e-3, logging_steps=5, save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True,
    )  # fmt: skip
    Trainer(model, settings, train_dataset=Text(), callbacks=[IronlawCallback()]).train()
    model.save_pretrained("trained")


if __name__ == "__main__":
    main()
