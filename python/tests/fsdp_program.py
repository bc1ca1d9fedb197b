"""A sharded model of PyTorch 2 on CPU: what get_state_dict gives goes to run.save, what was saved goes through set_state_dict. Dies after
a step when told to. Prints the bits of the weights at the end."""

import hashlib
import os
import signal
import sys

import torch
from torch import distributed, nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

import ironlaw
from ironlaw import state_dict

total, dies_after = int(sys.argv[1]), int(sys.argv[2])
run = ironlaw.attach()
torch.set_num_threads(1)
distributed.init_process_group("gloo")
torch.manual_seed(1)
model = nn.Sequential(nn.Linear(33, 65), nn.ReLU(), nn.Linear(65, 7, bias=False))
mesh = init_device_mesh("cpu", (run.world,))
for layer in (model[0], model[2]):
    fully_shard(layer, mesh=mesh)
fully_shard(model, mesh=mesh)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, betas=(0.8, 0.9))


def state():
    weights, moments = get_state_dict(model, optimizer)
    return {"model": weights, "optimizer": moments, "note": ("text", 3, None, 0.5)}


checkpoint = run.resume()
if checkpoint:
    restored = state_dict.restore(checkpoint.shard, state())
    assert restored["note"] == ("text", 3, None, 0.5), restored["note"]
    set_state_dict(model, optimizer, model_state_dict=restored["model"], optim_state_dict=restored["optimizer"])
    print("resumed", checkpoint.step, flush=True)
for step in run.steps(total):
    optimizer.zero_grad()
    torch.manual_seed(1000 * step + run.rank)
    loss = model(torch.randn(8, 33)).square().mean()
    loss.backward()
    optimizer.step()
    run.step(step, tokens=8, loss=float(loss))
    if step % 3 == 0 or run.checkpoint_due():
        run.save(state())
    if step == dies_after and not checkpoint:
        distributed.barrier()
        os.kill(os.getpid(), signal.SIGKILL)
digest = hashlib.sha256()
for parameter in model.parameters():
    digest.update(parameter.full_tensor().detach().numpy().tobytes())
print("weights", digest.hexdigest(), flush=True)
distributed.barrier()
distributed.destroy_process_group()
run.complete()
