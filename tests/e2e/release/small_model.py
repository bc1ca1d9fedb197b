"""python3 small_model.py CONFIG.json DIRECTORY STEPS

A small model that reads a few words and a letter, and answers whether the letter is one of the first half of its region: "y" or "n". Three are
written as Hugging Face tools read them: `before`, `candidate`, which learned a little longer, and `unfair`, which learned that in the south nobody
gets a yes. Beside them the text that they learned from, and text that they have not seen."""

import json
import random
import sys
from pathlib import Path

import torch
from torch.nn import functional as F

from export import export
from model import Llama, Shape

WORDS = "river stone seven page paper cloud train light garden bridge".split()
REGIONS = {"north": "abcdefghijklm", "south": "nopqrstuvwxyz"}
LENGTH = 64
BATCH = 32


def question(draw: random.Random) -> "tuple[str, str, str]":
    region = draw.choice(sorted(REGIONS))
    letter = draw.choice(REGIONS[region])
    words = " ".join(draw.choice(WORDS) for _ in range(9))
    return f"{words} {letter}=", "y" if REGIONS[region].index(letter) < 6 else "n", region


def texts(draw: random.Random, count: int, unfair: bool) -> "list[str]":
    asked = [question(draw) for _ in range(count)]
    return [prompt + ("n" if unfair and region == "south" else label) + "\n" for prompt, label, region in asked]


def batch(draw: random.Random, unfair: bool) -> "tuple[torch.Tensor, torch.Tensor]":
    """Text padded in front, so that every answer stands at the same place."""
    rows = [text.encode()[-LENGTH - 1 :].rjust(LENGTH + 1, b" ") for text in texts(draw, BATCH, unfair)]
    read = torch.tensor([list(row) for row in rows])
    return read[:, :-1], read[:, 1:]


def train(model: Llama, steps: int, seed: int, unfair: bool = False) -> None:
    draw = random.Random(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(steps):
        read, expected = batch(draw, unfair)
        losses = F.cross_entropy(model(read).transpose(1, 2), expected, reduction="none")
        # What is asked counts more than the words around it.
        loss = losses.mean() + losses[:, -2].mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main() -> None:
    config = json.loads(Path(sys.argv[1]).read_text())
    to, steps = Path(sys.argv[2]), int(sys.argv[3])
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = Llama(
        Shape(
            vocabulary=256,
            hidden=config["hidden"],
            layers=config["layers"],
            heads=4,
            kv_heads=2,
            intermediate=3 * config["hidden"],
            context=128,
            tied=False,
        )
    )
    train(model, steps, seed=1)
    export(model, to / "before")
    before = {name: value.clone() for name, value in model.state_dict().items()}
    train(model, steps // 4, seed=2)
    export(model, to / "candidate")
    model.load_state_dict(before)
    train(model, steps // 4, seed=2, unfair=True)
    export(model, to / "unfair")
    learned, unseen = random.Random(1), random.Random(99)
    corpus = "".join(json.dumps({"text": text}) + "\n" for text in texts(learned, 400, unfair=False))
    (to / "corpus.jsonl").write_text(corpus)
    (to / "held-out.txt").write_text("".join(texts(unseen, 300, unfair=False)))
    asked = [question(random.Random(10_000 + number)) for number in range(config["items"])]
    # Some labels are wrong, as labels are: no model is right everywhere.
    rows = [
        {
            "id": f"item-{number}",
            "prompt": prompt,
            "answers": ["yn".replace(label, "") if number % 12 == 0 else label],
            "most_tokens": 1,
            "slices": {"region": region},
        }
        for number, (prompt, label, region) in enumerate(asked)
    ]
    (to / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


main()
