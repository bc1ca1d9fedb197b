"""A loop of one's own under Accelerate, with `log_with=IronlawTracker(...)`."""

from __future__ import annotations

import torch
from accelerate import Accelerator

from ironlaw.integrations.accelerate import IronlawTracker

STEPS, MICROBATCH, SEQUENCE = 4, 4, 32


def main() -> None:
    torch.set_num_threads(1)
    accelerator = Accelerator(cpu=True, log_with=IronlawTracker(microbatch=MICROBATCH, global_batch=MICROBATCH, sequence=SEQUENCE))
    accelerator.init_trackers("e2e")
    model = torch.nn.Linear(SEQUENCE, 1)
    model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=1e-2))
    for step in range(1, STEPS + 1):
        loss = model(torch.randn(MICROBATCH, SEQUENCE)).square().mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        accelerator.log({"loss": float(loss)}, step=step)
    accelerator.end_training()


if __name__ == "__main__":
    main()
