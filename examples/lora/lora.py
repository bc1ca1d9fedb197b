"""Fine-tunes the model of ../reference-trainer by LoRA (https://arxiv.org/abs/2106.09685), alone or under Ironlaw.

    python3 lora.py --base ../reference-trainer/trained --steps 40

Its weights stay as they are. Beside every attention projection a product of two thin matrices is trained, and merged into the weights at the end.
Checkpoints hold these adapters and their moments, not the model.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Dict

import torch
from torch import Tensor, nn

import ironlaw
from ironlaw import tensors

sys.path.append(str(Path(__file__).resolve().parent.parent / "reference-trainer"))
from corpus import Corpus, licences  # noqa: E402
from export import export  # noqa: E402
from model import SHAPES, Llama  # noqa: E402

BATCH, RATE = 16, 5e-3
RANK, ALPHA = 8, 16


class Adapted(nn.Module):
    """A frozen linear layer with an adapter beside it, which adds nothing at first: `up` begins with zeros."""

    def __init__(self, frozen: nn.Linear) -> None:
        super().__init__()
        self.frozen = frozen.requires_grad_(False)
        self.down = nn.Linear(frozen.in_features, RANK, bias=False)
        self.up = nn.Linear(RANK, frozen.out_features, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x: Tensor) -> Tensor:
        return self.frozen(x) + ALPHA / RANK * self.up(self.down(x))

    def merged(self) -> nn.Linear:
        with torch.no_grad():
            self.frozen.weight += ALPHA / RANK * self.up.weight @ self.down.weight
        return self.frozen


def adapt(model: Llama) -> None:
    model.requires_grad_(False)
    for layer in model.model.layers:
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            setattr(layer.self_attn, name, Adapted(getattr(layer.self_attn, name)))


def merge(model: Llama) -> None:
    for layer in model.model.layers:
        for name, module in list(layer.self_attn.named_children()):
            if isinstance(module, Adapted):
                setattr(layer.self_attn, name, module.merged())


def adapters(model: Llama) -> Dict[str, Tensor]:
    return {name: weight for name, weight in model.named_parameters() if weight.requires_grad}


@torch.no_grad()
def held_out(model: Llama, corpus: Corpus) -> float:
    return float(model.loss(corpus.held_out(64)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", type=Path, required=True, help="what the reference trainer wrote")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--out", type=Path, default=Path("trained"), help="where the merged model goes")
    options = parser.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = Llama(SHAPES["tiny"])
    model.load_state_dict(tensors.read(options.base / "model.safetensors"))
    corpus = Corpus(model.shape.context, seed=1, paths=licences())
    before = held_out(model, corpus)
    adapt(model)
    trained = adapters(model)
    optimizer = torch.optim.AdamW(trained.values(), lr=RATE, weight_decay=0.0)
    share = sum(weight.numel() for weight in trained.values()) / sum(weight.numel() for weight in model.parameters())
    print(f"training {share:.1%} of the weights", flush=True)

    run = ironlaw.attach()
    run.running_with(data=1, microbatch=BATCH, global_batch=BATCH, sequence=model.shape.context, precision="lora", recompute="none")
    checkpoint = run.resume()
    if checkpoint:
        saved = tensors.read(checkpoint.shard)
        model.load_state_dict(saved["adapters"], strict=False)
        optimizer.load_state_dict(saved["optimizer"])

    for step in run.steps(options.steps):
        with run.phase("data"):
            windows = corpus.batch((step - 1) * BATCH, BATCH)
        with run.phase("compute"):
            optimizer.zero_grad()
            loss = model.loss(windows)
            loss.backward()
        with run.phase("optimizer"):
            optimizer.step()
        run.step(step, tokens=BATCH * model.shape.context, loss=float(loss))
        if run.checkpoint_due():
            run.save({"adapters": trained, "optimizer": optimizer.state_dict()})

    merge(model)
    export(model, options.out)
    print(f"held out: {before:.3f} nats per byte before, {held_out(model, corpus):.3f} after", flush=True)
    run.complete()


if __name__ == "__main__":
    main()
