"""python3 -m ironlaw.export write SOURCE --to DIR --format gguf,safetensors --quantise q8_0
python3 -m ironlaw.export reference SOURCE --tokens FILE --to FILE

`write` prints, as one line of JSON, which files it wrote and where the weights come from. `reference` answers, for windows of token ids,
what PyTorch makes of them: the logits after the last token, and the mean loss over the window."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import List

import torch
from torch.nn import functional as F

from ironlaw import tensors
from ironlaw.export import gguf, llama
from ironlaw.export.source import NoSource, Source, open_source, seeded_source
from ironlaw.export.tokenizer import tokenizer_config

FORMATS = ("gguf", "safetensors")


def _list(allowed: "tuple[str, ...]") -> "type":
    def parse(text: str) -> List[str]:
        names = [name for name in text.split(",") if name]
        unknown = [name for name in names if name not in allowed]
        if unknown:
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is not one of {', '.join(allowed)}")
        return names

    return parse  # type: ignore[return-value]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="ironlaw.export", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("write", "reference"))
    parser.add_argument("source", type=Path)
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--config", type=Path, help="the model's config.json, where the source has none")
    parser.add_argument("--seeded", type=int, help="SOURCE is a config.json; its weights are drawn by this seed")
    parser.add_argument("--name", default="model")
    parser.add_argument("--format", type=_list(FORMATS), default=list(FORMATS))
    parser.add_argument("--quantise", type=_list(tuple(gguf.KINDS)), default=[], help="kinds of GGUF in addition to f32")
    parser.add_argument("--tokens", type=Path, help="of reference: JSON, a list of lists of token ids of equal length")
    return parser.parse_args()


def write(source: Source, options: argparse.Namespace) -> None:
    directory: Path = options.to
    directory.mkdir(parents=True, exist_ok=True)
    files = []
    if "safetensors" in options.format:
        for name, content in (
            ("config.json", source.config),
            ("tokenizer.json", source.tokenizer),
            ("tokenizer_config.json", tokenizer_config(source.tokenizer, source.config)),
        ):
            (directory / name).write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
            files.append({"path": name})
        with open(directory / "model.safetensors", "wb") as file:
            tensors.write(file, source.weights, {"format": "pt"})
        files.append({"path": "model.safetensors"})
    for kind in dict.fromkeys(["f32", *options.quantise]) if "gguf" in options.format else []:
        path = directory / f"model-{kind}.gguf"
        with open(path, "wb") as file:
            gguf.write(file, {"config": source.config, "tokenizer": source.tokenizer, "weights": source.weights, "name": options.name}, kind)
        files.append({"path": path.name, "weights": kind})
    print(json.dumps({"files": files, "lineage": source.lineage, "context": source.config["max_position_embeddings"]}))


def reference(source: Source, options: argparse.Namespace) -> None:
    last, losses = [], []
    for window in json.loads(options.tokens.read_text(encoding="utf-8")):
        tokens = torch.tensor([window])
        found = llama.logits(source.config, source.weights, tokens)[0]
        last.append(found[-1])
        losses.append(F.cross_entropy(found[:-1], tokens[0, 1:]))
    with open(options.to, "wb") as file:
        tensors.write(file, {"last": torch.stack(last), "loss": torch.stack(losses)})


def main() -> int:
    options = _arguments()
    try:
        seeded = options.seeded is not None
        source = seeded_source(options.source, options.seeded) if seeded else open_source(options.source, options.config)
        (write if options.action == "write" else reference)(source, options)
    except (NoSource, llama.Unsupported, ValueError, OSError) as problem:
        print(str(problem), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
