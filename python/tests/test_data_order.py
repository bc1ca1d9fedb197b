"""The order in Python is that of TypeScript: both read packages/pure/data/src/order-vectors.json. Also how fast it is."""

from __future__ import annotations

import itertools
import json
import random
import time
import unittest

from testbed import PACKAGE

from ironlaw.data import Order, Permutation

VECTORS = json.loads((PACKAGE.parent / "packages" / "pure" / "data" / "src" / "order-vectors.json").read_text(encoding="utf-8"))
DIGEST = "a" * 64


def document(sources: "dict[str, int]", phases: list, seed: int = 1) -> dict:
    named = [{"name": name, "samples": samples, "digest": DIGEST} for name, samples in sources.items()]
    return {"apiVersion": "ironlaw/v1", "kind": "DataOrder", "seed": seed, "sources": named, "phases": phases}


class OrderTest(unittest.TestCase):
    def test_permutations_are_those_of_typescript(self) -> None:
        for case in VECTORS["permutations"]:
            order = Permutation(case["seed"], case["size"])
            for index, value in case["values"]:
                self.assertEqual((order.at(index), order.inverse(value)), (value, index), case)

    def test_orders_are_those_of_typescript(self) -> None:
        for case in VECTORS["orders"]:
            order = Order(case["document"])
            self.assertEqual(order.id, case["id"])
            for position, *placed in case["placed"]:
                self.assertEqual(list(order.at(position) or ()), placed, position)
                self.assertIn(position, itertools.takewhile(lambda found: found <= position, order.positions_of(placed[1], placed[4])))

    def test_every_size_is_permuted(self) -> None:
        for size in [*range(1, 70), 257, 1000]:
            order = Permutation("seed", size)
            self.assertEqual(sorted(order.at(index) for index in range(size)), list(range(size)))

    def test_the_inverse_names_exactly_the_positions_that_show_a_sample(self) -> None:
        draw = random.Random(7)
        for _ in range(20):
            sources = {name: draw.randint(1, 30) for name in ("web", "code", "books")}
            phases = []
            for number in range(draw.randint(1, 4)):
                shares = [{"source": name, "weight": draw.randint(1, 50)} for name in draw.sample(sorted(sources), draw.randint(1, 3))]
                phases.append({"until": (number + 1) * 60 - draw.randint(0, 50), "sources": shares})
            order = Order(document(sources, phases, seed=draw.randint(0, 9)))
            shown: "dict[tuple, list]" = {}
            for position in range(order.end or 0):
                placed = order.at(position)
                self.assertIsNotNone(placed)
                shown.setdefault((placed.source, placed.sample), []).append(position)
            for name, samples in sources.items():
                for sample in range(samples):
                    self.assertEqual(list(order.positions_of(name, sample)), shown.get((name, sample), []))
            self.assertIsNone(order.at(order.end))

    def test_a_wrong_order_is_refused_at_its_field(self) -> None:
        web = [{"source": "web", "weight": 1}]
        cases = [
            (document({"web": 0}, [{"sources": web}]), "sources.0.samples: expected a whole number of at least 1, found 0"),
            (document({"web": 1}, [{"sources": web}, {"sources": web}]), "phases.0.until: missing"),
            (document({"web": 1}, [{"until": 5, "sources": web}, {"until": 5, "sources": web}]), "phases.1.until: 5 is not behind 5"),
            (document({"web": 1}, [{"sources": [{"source": "wbe", "weight": 1}]}]), "phases.0.sources.0.source: there is no source 'wbe'"),
            (document({"web": 1}, [{"sources": [{"source": "web", "weight": 0.5}]}]), "phases.0.sources.0.weight: expected a whole"),
        ]
        for wrong, problem in cases:
            with self.assertRaisesRegex(ValueError, problem):
                Order(wrong)

    def test_ten_billion_samples_are_ordered_at_once(self) -> None:
        begin = time.process_time()
        shares = [{"source": "web", "weight": 7}, {"source": "code", "weight": 3}]
        order = Order(document({"web": 10**10, "code": 3 * 10**9}, [{"until": 5 * 10**9, "sources": shares[:1]}, {"sources": shares}]))
        order.at(12_345_678_901)
        start_s = time.process_time() - begin
        begin = time.process_time()
        for position in range(2000):
            order.at(position * 7_919_191)
        at_s = (time.process_time() - begin) / 2000
        begin = time.process_time()
        for sample in range(2000):
            order.first_position("web", sample * 4_919_191)
        inverse_s = (time.process_time() - begin) / 2000
        print(f"order of 1e10 samples: start {start_s * 1e3:.2f} ms, {at_s * 1e6:.1f} us a position, {inverse_s * 1e6:.1f} us an inverse")
        self.assertLess(start_s, 1)
        self.assertLess(inverse_s, 1e-3)


if __name__ == "__main__":
    unittest.main()
