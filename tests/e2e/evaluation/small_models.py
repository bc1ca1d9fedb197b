"""python3 small_models.py SETTINGS.json OUT.json

Small transformers on a made-up language, and what each of them scores on the same items: a prompt and choices, of which the likeliest counts as
chosen. They differ by their seeds. Of each there is a worse one as well: trained for fewer steps, with noise in its weights, or with weights of few
bits. Scores are bits in the order of the items, as hexadecimal digits."""

import json
import sys
from typing import Any, Dict

import numpy
import torch
from torch import Tensor, nn
from torch.nn import functional as F


Settings = Dict[str, Any]


class Language:
    """The next word depends on the two before it; each pair of words is followed by a few words only."""

    def __init__(self, seed: int, words: int, followers: int) -> None:
        random = numpy.random.default_rng(seed)
        self.words = words
        chances = numpy.zeros((words * words, words))
        for row in chances:
            row[random.choice(words, followers, replace=False)] = random.dirichlet(numpy.full(followers, 0.7))
        self.sums = chances.cumsum(axis=1)

    def follow(self, random: numpy.random.Generator, start: numpy.ndarray, count: int) -> numpy.ndarray:
        """`count` words after each row of `start`, which has two or more."""
        text = start
        for _ in range(count):
            sums = self.sums[text[:, -2] * self.words + text[:, -1]]
            drawn = (random.random((len(text), 1)) * sums[:, -1:] > sums).sum(axis=1)
            text = numpy.concatenate([text, drawn[:, None]], axis=1)
        return text

    def texts(self, random: numpy.random.Generator, rows: int, length: int) -> numpy.ndarray:
        return self.follow(random, random.integers(self.words, size=(rows, 2)), length - 2)


class Model(nn.Module):
    def __init__(self, words: int, width: int, context: int) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(context, width)
        self.blocks = nn.ModuleList([nn.TransformerEncoderLayer(width, 4, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True)])
        self.head = nn.Linear(width, words)

    def forward(self, text: Tensor) -> Tensor:
        length = text.shape[1]
        mask = torch.full((length, length), -torch.inf).triu(1)
        state = self.words(text) + self.places.weight[:length]
        for block in self.blocks:
            state = block(state, mask)
        return self.head(state)


def train(language: Language, seed: int, of: Settings) -> Dict[int, Dict[str, Tensor]]:
    """The weights after `steps`, and after the fewer ones that are asked for."""
    torch.manual_seed(seed)
    random = numpy.random.default_rng([seed, 1])
    model = Model(language.words, of["width"], of["context"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=of["rate"])
    kept: Dict[int, Dict[str, Tensor]] = {}
    for step in range(1, of["steps"] + 1):
        text = torch.from_numpy(language.texts(random, of["batch"], of["context"] + 1))
        loss = F.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step in (of["fewer"], of["steps"]):
            kept[step] = {name: value.clone() for name, value in model.state_dict().items()}
    return kept


def with_noise(weights: Dict[str, Tensor], share: float, seed: int) -> Dict[str, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return {
        name: value + share * value.std() * torch.randn(value.shape, generator=generator) if value.dim() > 1 else value
        for name, value in weights.items()
    }


def quantised(weights: Dict[str, Tensor], levels: int) -> Dict[str, Tensor]:
    """Each row by its largest value, as formats of few bits do it."""

    def rounded(value: Tensor) -> Tensor:
        scale = value.abs().amax(dim=-1, keepdim=True) / levels
        return (value / scale).round() * scale

    return {name: rounded(value) if value.dim() > 1 else value for name, value in weights.items()}


def items_of(language: Language, of: Settings) -> numpy.ndarray:
    """Items, choices, words; the first choice is right."""
    random = numpy.random.default_rng(of["items_seed"])
    prompts = language.texts(random, of["items"], of["context"])
    right = language.follow(random, prompts, 2)
    # As often in the language, but after another text.
    others = (language.texts(random, of["items"], of["context"] + 2)[:, -2:] for _ in range(2))
    return numpy.stack([right, *(numpy.concatenate([prompts, other], axis=1) for other in others)], axis=1)


def scores(model: Model, weights: Dict[str, Tensor], items: numpy.ndarray) -> str:
    """The model reads a few words at a time, so what follows each text of that length is computed once."""
    model.load_state_dict(weights)
    words, context = model.words.num_embeddings, model.places.num_embeddings
    texts = torch.cartesian_prod(*[torch.arange(words)] * context)
    with torch.no_grad():
        chances = torch.cat([F.log_softmax(model(some)[:, -1], dim=-1) for some in texts.split(4096)]).numpy()
    place = words ** numpy.arange(context)[::-1]
    of_choices = sum(
        chances[(items[:, :, start : start + context] * place).sum(axis=2), items[:, :, start + context]] for start in range(2)
    )
    return numpy.packbits(of_choices.argmax(axis=1) == 0).tobytes().hex()


def main() -> None:
    of = json.loads(open(sys.argv[1], encoding="utf-8").read())
    torch.set_num_threads(1)
    language = Language(of["language_seed"], of["words"], of["followers"])
    items = items_of(language, of)
    model = Model(language.words, of["width"], of["context"]).eval()
    models = []
    for number in range(of["models"]):
        kept = train(language, number, of)
        weights = kept[of["steps"]]
        kind, worse = (
            ("fewer steps", kept[of["fewer"]]),
            ("noise", with_noise(weights, of["noise"], number)),
            ("few bits", quantised(weights, of["levels"])),
        )[number % 3]
        models.append({"scores": scores(model, weights, items), "kind": kind, "worse": scores(model, worse, items)})
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        json.dump({"models": models}, out)


main()
