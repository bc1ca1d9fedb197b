"""A LightningModule as people have it, with one line more: `callbacks=[IronlawCallback()]`."""

from __future__ import annotations

import sys

import torch
from lightning.pytorch import LightningModule, Trainer

from ironlaw.integrations.lightning import IronlawCallback

STEPS, MICROBATCH, SEQUENCE, ACCUMULATION = 4, 2, 32, 2


class Small(LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.nn.Linear(SEQUENCE, 1)

    def training_step(self, batch: torch.Tensor, _: int) -> torch.Tensor:
        return self.inner(batch).square().mean()

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=1e-2)


def main() -> None:
    torch.set_num_threads(1)
    loader = torch.utils.data.DataLoader(torch.randn(64, SEQUENCE), batch_size=MICROBATCH)
    trainer = Trainer(
        max_steps=STEPS, accelerator="cpu", devices=1, accumulate_grad_batches=ACCUMULATION, logger=False, enable_checkpointing=False,
        enable_progress_bar=False, callbacks=[IronlawCallback(sequence=SEQUENCE)], default_root_dir=sys.argv[1],
    )  # fmt: skip
    trainer.fit(Small(), loader)


if __name__ == "__main__":
    main()
