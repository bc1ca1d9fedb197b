"""Token shards, mapped into memory. A directory holds, per shard, `tokens-00000.bin` (little-endian uint16 or uint32, no header) and
`documents-00000.idx` (uint64: where each document begins, and at last how many tokens there are), one `dataset.json`, and where it is known
the `tokenizer.json` that made the tokens.

Sample i is the window of sequence + 1 tokens from i * sequence on, over all shards as one text."""

from __future__ import annotations

import bisect
import hashlib
import itertools
import json
import mmap
import os
import sys
from array import array
from pathlib import Path
from typing import Any, BinaryIO, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from ironlaw.data.order import digest_of
from ironlaw.data.text import Decode, decoder

TOKENIZER = "tokenizer.json"
SHARD_TOKENS = 2**29  # a gigabyte of uint16: few files, and one is copied in seconds
CODES = {"uint16": "H", "uint32": "I"}


def shard_files(directory: Path, shard: int) -> Tuple[Path, Path]:
    return directory / f"tokens-{shard:05}.bin", directory / f"documents-{shard:05}.idx"


class _Mapped(Sequence[int]):
    """A file of numbers, of which only the pages that are touched are read."""

    def __init__(self, path: Path, code: str, count: int) -> None:
        size = array(code).itemsize
        found = path.stat().st_size
        if found != count * size:
            raise ValueError(f"{path} has {found} bytes, and dataset.json says {count * size}; copy the dataset again")
        with open(path, "rb") as file:
            self.map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.size = size
        self.numbers = memoryview(self.map).cast(code)

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: Any) -> Any:
        return self.numbers[index]

    def will_need(self, start: int, end: int) -> None:
        """Asks the system to read ahead; it answers at once."""
        if hasattr(mmap, "MADV_WILLNEED"):
            first = start * self.size // mmap.PAGESIZE * mmap.PAGESIZE
            self.map.madvise(mmap.MADV_WILLNEED, first, end * self.size - first)


class TokenDataset:
    def __init__(self, path: Union[str, Path]) -> None:
        self.path = Path(path)
        self.document: Dict[str, Any] = json.loads((self.path / "dataset.json").read_text(encoding="utf-8"))
        if self.document.get("kind") != "TokenDataset" or self.document.get("apiVersion") != "ironlaw/v1":
            raise ValueError(f"{self.path / 'dataset.json'}: expected a TokenDataset of ironlaw/v1, found {self.document.get('kind')!r}")
        if sys.byteorder != "little":
            raise OSError("token shards are little-endian, and this machine is not")
        self.digest = digest_of(self.document)
        self.samples: int = self.document["samples"]
        self.sequence: int = self.document["sequence"]
        self.code = CODES[self.document["dtype"]]
        shards = self.document["shards"]
        self._tokens = [_Mapped(shard_files(self.path, number)[0], self.code, shard["tokens"]) for number, shard in enumerate(shards)]
        self._indexes = [_Mapped(shard_files(self.path, number)[1], "Q", shard["documents"] + 1) for number, shard in enumerate(shards)]
        self._token_starts = [0, *itertools.accumulate(shard["tokens"] for shard in shards)]
        self._document_starts = [0, *itertools.accumulate(shard["documents"] for shard in shards)]
        self._decode: Optional[Decode] = None

    def __reduce__(self) -> Any:
        return (TokenDataset, (self.path,))  # a worker process maps the files itself

    def __len__(self) -> int:
        return self.samples

    def __getitem__(self, sample: int) -> "array[int]":
        """Its sequence + 1 tokens."""
        tokens = array(self.code)
        for shard, start, end in self._pieces(*self.range_of(sample)):
            tokens.frombytes(self._tokens[shard][start:end].cast("B"))
        return tokens

    def will_need(self, sample: int) -> None:
        for shard, start, end in self._pieces(*self.range_of(sample)):
            self._tokens[shard].will_need(start, end)

    def range_of(self, sample: int) -> Tuple[int, int]:
        if not 0 <= sample < self.samples:
            raise IndexError(f"{self.path} has no sample {sample}; it has {self.samples}")
        return sample * self.sequence, sample * self.sequence + self.sequence + 1

    def documents_of(self, sample: int) -> range:
        """Documents, counted over all shards, that have a token in the sample."""
        start, end = self.range_of(sample)
        return range(self._document_at(start), self._document_at(end - 1) + 1)

    def tokens_of(self, document: int) -> Tuple[int, int]:
        """Where a document begins and ends, in tokens over all shards."""
        if not 0 <= document < self._document_starts[-1]:
            raise IndexError(f"{self.path} has no document {document}; it has {self._document_starts[-1]}")
        shard = bisect.bisect_right(self._document_starts, document) - 1
        entry, before = document - self._document_starts[shard], self._token_starts[shard]
        return before + self._indexes[shard][entry], before + self._indexes[shard][entry + 1]

    def samples_of(self, document: int) -> range:
        """Samples that hold a token of the document; none for a last piece that fills no window."""
        start, end = self.tokens_of(document)
        return range(min(self.samples, max(0, (start - 1) // self.sequence)), min(self.samples, (end - 1) // self.sequence + 1))

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of tokens. What is cut in the middle of a character shows U+FFFD there."""
        if self._decode is None:
            self._decode = self._load_decoder()
        return self._decode(tokens).decode("utf-8", "replace")

    def _load_decoder(self) -> Decode:
        path = self.path / TOKENIZER
        if path.exists():
            self._verify_file(path, self.document.get("tokenizerDigest"))
            return decoder(json.loads(path.read_text(encoding="utf-8")))
        if self.document["vocabulary"] == 256:
            return lambda tokens: bytes(int(token) for token in tokens)  # without a tokenizer, 256 tokens are bytes
        raise ValueError(f"{self.path} holds no {TOKENIZER}, so its tokens have no text; write_dataset(tokenizer_file=...) puts it there")

    def _verify_file(self, path: Path, expected: Optional[str]) -> None:
        found = _file_digest(path) if expected else expected
        if found != expected:
            raise ValueError(f"{path} has the digest {found}, and dataset.json says {expected}; copy the dataset again")

    def verify(self) -> None:
        """Reads every file: are these the bytes that dataset.json names?"""
        if "tokenizerDigest" in self.document:
            self._verify_file(self.path / TOKENIZER, self.document["tokenizerDigest"])
        for number, shard in enumerate(self.document["shards"]):
            for path, field in zip(shard_files(self.path, number), ("tokensDigest", "documentsDigest")):
                self._verify_file(path, shard[field])

    def _document_at(self, token: int) -> int:
        shard = bisect.bisect_right(self._token_starts, token) - 1
        return self._document_starts[shard] + bisect.bisect_right(self._indexes[shard], token - self._token_starts[shard]) - 1

    def _pieces(self, start: int, end: int) -> Iterable[Tuple[int, int, int]]:
        shard = bisect.bisect_right(self._token_starts, start) - 1
        while start < end:
            before, after = self._token_starts[shard], self._token_starts[shard + 1]
            yield shard, start - before, min(end, after) - before
            start, shard = min(end, after), shard + 1


def open_dataset(path: Union[str, Path]) -> TokenDataset:
    return TokenDataset(path)


def write_dataset(
    path: Union[str, Path],
    documents: Iterable[Sequence[int]],
    *,
    sequence: int,
    vocabulary: int,
    tokenizer: str,
    tokenizer_file: Optional[Union[str, Path]] = None,
    shard_tokens: int = SHARD_TOKENS,
) -> TokenDataset:
    """dataset.json is written last: a directory without one is unfinished. With the tokenizer.json that made the tokens, whoever has the
    dataset can read them as text."""
    directory = Path(path)
    directory.mkdir(parents=True, exist_ok=True)
    dtype = "uint16" if vocabulary <= 2**16 else "uint32"
    shards: List[Dict[str, Any]] = []
    writer: Optional[_ShardWriter] = None
    for number, document in enumerate(documents):
        # An array takes bytes for its memory, not for numbers.
        tokens = array(CODES[dtype], list(document) if isinstance(document, (bytes, bytearray)) else document)
        if len(tokens) == 0 or max(tokens) >= vocabulary:
            problem = "is empty" if len(tokens) == 0 else f"has the token {max(tokens)}, and the vocabulary is {vocabulary}"
            if writer is not None:
                writer.file.close()
            raise ValueError(f"document {number} {problem}")
        if writer is not None and writer.offsets[-1] + len(tokens) > shard_tokens:
            shards.append(writer.finish())
            writer = None
        writer = writer or _ShardWriter(*shard_files(directory, len(shards)))
        writer.add(tokens)
    if writer is None:
        raise ValueError(f"{directory}: a dataset needs at least one document")
    shards.append(writer.finish())
    total = sum(shard["tokens"] for shard in shards)
    if tokenizer_file is not None and Path(tokenizer_file) != directory / TOKENIZER:
        (directory / TOKENIZER).write_bytes(Path(tokenizer_file).read_bytes())
    held = {} if tokenizer_file is None else {"tokenizerDigest": _file_digest(directory / TOKENIZER)}
    record = {
        "apiVersion": "ironlaw/v1", "kind": "TokenDataset", "tokenizer": tokenizer, **held, "vocabulary": vocabulary, "dtype": dtype,
        "sequence": sequence, "tokens": total, "documents": sum(shard["documents"] for shard in shards),
        "samples": max(0, (total - 1) // sequence), "shards": shards,
    }  # fmt: skip
    partial = directory / "dataset.json.partial"
    partial.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    os.replace(partial, directory / "dataset.json")
    return TokenDataset(directory)


class _ShardWriter:
    def __init__(self, tokens: Path, documents: Path) -> None:
        self.file: BinaryIO = open(tokens, "wb")
        self.documents = documents
        self.hash = hashlib.sha256()
        self.offsets = array("Q", [0])

    def add(self, tokens: "array[int]") -> None:
        data = tokens.tobytes()
        self.file.write(data)
        self.hash.update(data)
        self.offsets.append(self.offsets[-1] + len(tokens))

    def finish(self) -> Dict[str, Any]:
        index = self.offsets.tobytes()
        self.documents.write_bytes(index)
        self.file.close()
        digests = {"tokensDigest": self.hash.hexdigest(), "documentsDigest": hashlib.sha256(index).hexdigest()}
        return {"tokens": self.offsets[-1], "documents": len(self.offsets) - 1, **digests}


def _file_digest(path: Path) -> str:
    found = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(2**20), b""):
            found.update(block)
    return found.hexdigest()
