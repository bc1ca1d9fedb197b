"""Writes text files as a token dataset: a token is a byte, a file is a document.

python3 tokens.py DIRECTORY --out DATASET
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ironlaw.data import write_dataset


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sequence", type=int, default=128)
    options = parser.parse_args()
    files = sorted(path for path in options.directory.rglob("*") if path.is_file() and path.stat().st_size > 0)
    dataset = write_dataset(
        options.out, (path.read_bytes() for path in files), sequence=options.sequence, vocabulary=256, tokenizer="bytes"
    )
    print(f"{len(files)} documents, {dataset.samples} samples of {options.sequence} tokens in {options.out}")


if __name__ == "__main__":
    main()
