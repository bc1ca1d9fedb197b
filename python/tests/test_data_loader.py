"""The loader: the same batches for any number of ranks and workers and after any interruption, and only of the data it was made for."""

from __future__ import annotations

import json
import random
import tempfile
import unittest
import warnings
from pathlib import Path
from typing import Any, List

from test_data_order import document
from test_run import has_torch

from ironlaw.data import Loader, Order, TokenDataset, open_dataset, write_dataset

BATCH, SEQUENCE = 16, 8


def texts(seed: int, count: int, vocabulary: int) -> List[List[int]]:
    draw = random.Random(seed)
    return [[draw.randrange(vocabulary) for _ in range(draw.randint(1, 40))] for _ in range(count)]


class DataTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def dataset(self, name: str, vocabulary: int = 1000, documents: int = 60) -> TokenDataset:
        made = texts(len(name), documents, vocabulary)
        return write_dataset(self.folder / name, made, sequence=SEQUENCE, vocabulary=vocabulary, tokenizer="test", shard_tokens=200)

    def mixed(self) -> "tuple[dict, Order]":
        datasets = {"web": self.dataset("web"), "code": self.dataset("code", vocabulary=100_000)}
        both = [{"source": "web", "weight": 3}, {"source": "code", "weight": 1}]
        samples = {name: each.samples for name, each in datasets.items()}
        written = document(samples, [{"until": 100, "sources": both[:1]}, {"sources": both}])
        for source in written["sources"]:
            source["digest"] = datasets[source["name"]].digest
        return datasets, Order(written)


class ShardsTest(DataTest):
    def test_samples_are_windows_over_all_shards(self) -> None:
        for vocabulary in (1000, 100_000):
            made = texts(3, 60, vocabulary)
            text = [token for each in made for token in each]
            name = f"v{vocabulary}"
            dataset = write_dataset(self.folder / name, made, sequence=SEQUENCE, vocabulary=vocabulary, tokenizer="t", shard_tokens=200)
            self.assertGreater(len(dataset.document["shards"]), 3)
            self.assertEqual(dataset.samples, (len(text) - 1) // SEQUENCE)
            owners = [number for number, each in enumerate(made) for _ in each]
            for sample in range(dataset.samples):
                start = sample * SEQUENCE
                self.assertEqual(dataset[sample].tolist(), text[start : start + SEQUENCE + 1])
                self.assertEqual(list(dataset.documents_of(sample)), sorted(set(owners[start : start + SEQUENCE + 1])))
            for number in range(len(made)):
                expected = [sample for sample in range(dataset.samples) if number in dataset.documents_of(sample)]
                self.assertEqual(list(dataset.samples_of(number)), expected)

    def test_bytes_are_tokens(self) -> None:
        dataset = write_dataset(self.folder / "bytes", [b"hello ", bytearray(b"world")], sequence=4, vocabulary=256, tokenizer="bytes")
        self.assertEqual(bytes(dataset[0].tolist()), b"hello")
        self.assertEqual(dataset.document["documents"], 2)

    def test_a_damaged_file_is_named(self) -> None:
        dataset = self.dataset("web")
        dataset.verify()
        path = self.folder / "web" / "tokens-00001.bin"
        data = path.read_bytes()
        path.write_bytes(bytes([data[0] ^ 1]) + data[1:])
        with self.assertRaisesRegex(ValueError, r"tokens-00001\.bin has the digest"):
            open_dataset(self.folder / "web").verify()
        path.write_bytes(data[:-2])
        with self.assertRaisesRegex(ValueError, rf"tokens-00001\.bin has {len(data) - 2} bytes, and dataset\.json says {len(data)}"):
            open_dataset(self.folder / "web")

    def test_a_token_outside_the_vocabulary_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "document 1 has the token 9, and the vocabulary is 9"):
            write_dataset(self.folder / "x", [[1], [9]], sequence=4, vocabulary=9, tokenizer="test")


class LoaderTest(DataTest):
    def batches(self, count: int, **options: Any) -> List[Any]:
        datasets, order = self.mixed()
        loader = Loader(datasets, order, BATCH, form="list", **options)
        return [next(loader) for _ in range(count)]

    def test_ranks_divide_the_same_batches(self) -> None:
        whole = self.batches(20)
        for world in (2, 4, 8, 16):
            parts = [self.batches(20, rank=rank, world=world) for rank in range(world)]
            self.assertEqual([[sample for part in parts for sample in part[step]] for step in range(20)], whole, world)

    def test_interrupted_anywhere_on_any_number_of_ranks_it_goes_on(self) -> None:
        whole, draw = self.batches(30), random.Random(5)
        datasets, order = self.mixed()
        done: List[Any] = []
        state = {"position": 0}
        while len(done) < 30:
            world = draw.choice([1, 2, 4, 8])
            loaders = [Loader(datasets, order, BATCH, rank=rank, world=world, form="list") for rank in range(world)]
            for loader in loaders:
                loader.load_state_dict(json.loads(json.dumps(state)))
            for _ in range(draw.randint(1, 6)):
                done.append([sample for loader in loaders for sample in next(loader)])
                state = loaders[0].state_dict()
        self.assertEqual(done[:30], whole)

    @unittest.skipUnless(has_torch(), "PyTorch is not installed")
    def test_workers_leave_the_order_as_it_is(self) -> None:
        whole = self.batches(6, position=2 * BATCH, rank=1, world=2)
        datasets, order = self.mixed()
        warnings.filterwarnings("ignore", message="This DataLoader will create", category=UserWarning)
        for workers in range(5):
            loader = Loader(datasets, order, BATCH, position=2 * BATCH, rank=1, world=2, form="torch")
            found = [tokens.tolist() for tokens, _ in zip(loader.in_workers(workers), range(6))]
            self.assertEqual(found, whole, workers)
        straight = Loader(datasets, order, BATCH, position=2 * BATCH, rank=1, world=2)
        self.assertEqual([next(straight).tolist() for _ in range(6)], whole)
        self.assertEqual(straight.position, 8 * BATCH)

    def test_other_data_than_the_order_was_made_for_is_refused_with_both_values(self) -> None:
        datasets, order = self.mixed()
        other = self.dataset("other", documents=61)
        with self.assertRaisesRegex(ValueError, f'source "web": its dataset has samples {other.samples}, .* for {datasets["web"].samples}'):
            Loader({**datasets, "web": other}, order, BATCH)
        with self.assertRaisesRegex(ValueError, 'needs the source "code"; given are web'):
            Loader({"web": datasets["web"]}, order, BATCH)
        with self.assertRaisesRegex(ValueError, "16 samples does not divide among 3 ranks"):
            Loader(datasets, order, BATCH, world=3)

    def test_the_steps_that_saw_a_document_are_those_that_show_it(self) -> None:
        datasets, order = self.mixed()
        loader = Loader(datasets, order, BATCH)
        shown = {step: loader.documents_of_step(step) for step in range(1, 21)}
        for source in datasets:
            for document in range(60):
                expected = [
                    step for step, found in shown.items() if any(each.source == source and document in owners for _, each, owners in found)
                ]
                self.assertEqual(loader.steps_that_saw(source, document, until=20 * BATCH), expected)

    def test_it_ends_with_the_last_whole_batch(self) -> None:
        web = self.dataset("web")
        written = document({"web": web.samples}, [{"until": 3 * BATCH + 5, "sources": [{"source": "web", "weight": 1}]}])
        written["sources"][0]["digest"] = web.digest
        loader = Loader({"web": web}, Order(written), BATCH, form="numpy")
        self.assertEqual([each.shape for each in loader], [(BATCH, SEQUENCE + 1)] * 3)
        self.assertEqual(loader.state_dict(), {"position": 3 * BATCH})


if __name__ == "__main__":
    unittest.main()
