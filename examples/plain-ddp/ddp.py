"""A plain PyTorch script: data-parallel over gloo, nothing of Ironlaw in it. Runs alone and under torchrun as well.

    torchrun --nproc_per_node=2 ddp.py --steps 100
"""

import argparse

import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
options = parser.parse_args()

torch.set_num_threads(1)
torch.manual_seed(1)
distributed.init_process_group("gloo")  # RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT are set as under torchrun
rank = distributed.get_rank()

model = DistributedDataParallel(nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1)))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
weights = torch.randn(32, 1)  # what there is to learn; the same on every rank
generator = torch.Generator().manual_seed(1 + rank)

for step in range(1, options.steps + 1):
    inputs = torch.randn(256, 32, generator=generator)
    loss = nn.functional.mse_loss(model(inputs), inputs @ weights)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if rank == 0 and step % 10 == 0:
        print(f"step {step} loss {loss.item():.4f}", flush=True)

distributed.barrier()
distributed.destroy_process_group()
