"""Trains a small classifier. A plain PyTorch script: nothing of Ironlaw in it."""

import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=400)
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--width", type=int, default=1024)
options = parser.parse_args()

torch.set_num_threads(1)
torch.manual_seed(1)
centers = torch.randn(10, 256)  # ten classes that overlap
model = nn.Sequential(nn.Linear(256, options.width), nn.ReLU(), nn.Linear(options.width, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=options.lr, momentum=0.9)
generator = torch.Generator().manual_seed(2)

for step in range(1, options.steps + 1):
    labels = torch.randint(10, (512,), generator=generator)
    inputs = centers[labels] + 4 * torch.randn(512, 256, generator=generator)
    loss = nn.functional.cross_entropy(model(inputs), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.4f}", flush=True)
