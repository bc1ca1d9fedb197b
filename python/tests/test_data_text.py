"""Tokens as text: the decoder in Python is that of TypeScript, both read packages/pure/text/src/tokenizer/decoder-vectors.json."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

from testbed import PACKAGE

from ironlaw.data import open_dataset, write_dataset
from ironlaw.data.text import decoder

VECTORS = json.loads(
    (PACKAGE.parent / "packages" / "pure" / "text" / "src" / "tokenizer" / "decoder-vectors.json").read_text(encoding="utf-8")
)


class TextTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_text_is_that_of_typescript(self) -> None:
        for case in VECTORS["cases"]:
            decode = decoder(case["file"])
            for tokens, text in case["decoded"]:
                self.assertEqual(decode(tokens).decode("utf-8", "replace"), text, case["name"])
            with self.assertRaisesRegex(ValueError, f"there is no token {case['unknown']}"):
                decode([case["unknown"]])

    def test_what_cannot_be_decoded_is_refused(self) -> None:
        for case in VECTORS["refused"]:
            with self.assertRaisesRegex(ValueError, "^tokenizer.json", msg=case["name"]):
                decoder(case["file"])

    def test_a_dataset_decodes_with_the_tokenizer_that_it_holds(self) -> None:
        file = self.folder / "llama.json"
        file.write_text(json.dumps(VECTORS["cases"][0]["file"]), encoding="utf-8")
        dataset = write_dataset(
            self.folder / "web", [[9, 10], [8, 20]], sequence=3, vocabulary=21, tokenizer="llama", tokenizer_file=file
        )  # fmt: skip
        self.assertEqual(dataset.decode(dataset[0]), "hello hello\u00e9<|end|>")
        dataset.verify()
        (self.folder / "web" / "tokenizer.json").write_text("{}", encoding="utf-8")
        damaged = open_dataset(self.folder / "web")
        for reading in (damaged.verify, lambda: damaged.decode([9])):
            with self.assertRaisesRegex(ValueError, r"tokenizer\.json has the digest"):
                reading()

    def test_a_dataset_without_one_says_so_unless_its_tokens_are_bytes(self) -> None:
        numbers = write_dataset(self.folder / "numbers", [[1, 2, 3]], sequence=2, vocabulary=1000, tokenizer="mine")
        with self.assertRaisesRegex(ValueError, "holds no tokenizer.json"):
            numbers.decode([1])
        raw = write_dataset(self.folder / "bytes", [b"hello"], sequence=4, vocabulary=256, tokenizer="bytes")
        self.assertEqual(raw.decode(raw[0]), "hello")


if __name__ == "__main__":
    unittest.main()
