"""What is exported: the same weights from a checkpoint as from the trainer, files in the formats' own terms, refusals that say why."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List, Tuple

from test_run import has_torch
from testbed import PACKAGE

TRAINER = PACKAGE.parent / "examples" / "reference-trainer"
CONFIG = TRAINER / "tiny.config.json"


def exporter(*arguments: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "ironlaw.export", *map(str, arguments)]
    return subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True)


@unittest.skipUnless(has_torch(), "PyTorch is not installed")
class ExportTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        sys.path.insert(0, str(TRAINER))
        self.addCleanup(sys.path.remove, str(TRAINER))

    def model(self) -> Any:
        import torch
        from model import SHAPES, Llama

        torch.manual_seed(3)
        return Llama(SHAPES["tiny"])

    def checkpoint(self, model: Any, ranks: int) -> Path:
        """As the reference trainer saves it: ZeRO's slices, one shard a rank, the last one padded."""
        import torch

        from ironlaw import tensors
        from ironlaw.storage import Attempt, manifest_of

        flat = torch.cat([parameter.detach().flatten() for parameter in model.parameters()])
        size = -(-flat.numel() // ranks)
        flat = torch.cat((flat, torch.zeros(size * ranks - flat.numel())))
        attempt = Attempt(self.folder / "run", 2)
        attempt.begin()
        shards: List[Dict[str, Any]] = []
        for rank, part in enumerate(flat.split(size)):
            shard = attempt.write_shard(7, rank, lambda file, part=part: tensors.write(file, {"zero.weights": part}))
            shards.append({**shard, "extra": {"position": 112}, "tokens": 1000})
        attempt.commit(manifest_of(attempt, 7, {"run": "r-1", "world": ranks, "shards": shards}))
        return self.folder / "run"

    def test_a_checkpoint_of_several_ranks_is_the_model_that_was_saved(self) -> None:
        import torch

        from ironlaw import tensors

        model, out = self.model(), self.folder / "out"
        done = exporter("write", self.checkpoint(model, 3), "--config", CONFIG, "--to", out, "--quantise", "q8_0")
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        lineage = answer["lineage"]
        self.assertEqual((lineage["run"], lineage["attempt"], lineage["step"], lineage["tokens"]), ("r-1", 2, 7, 3000))
        self.assertEqual(lineage["data"], {"position": 112})
        found = tensors.read(out / "model.safetensors")
        for name, parameter in model.named_parameters():
            self.assertTrue(torch.equal(found[name], parameter), name)
        self.assertEqual(len(found), len(list(model.parameters())))
        self.assertEqual([each["path"] for each in answer["files"] if "weights" in each], ["model-f32.gguf", "model-q8_0.gguf"])

    def test_the_reference_says_what_the_trainers_model_says(self) -> None:
        import torch

        from ironlaw import tensors
        from ironlaw.export import llama

        model = self.model()
        tokens = torch.randint(0, 256, (2, 40), generator=torch.Generator().manual_seed(1))
        with torch.no_grad():
            wanted = model(tokens)
            loss = model.loss(tokens[:1])
        config = json.loads(CONFIG.read_text())
        found = llama.logits(config, dict(model.named_parameters()), tokens)
        self.assertLess(float((found - wanted).abs().max()), 1e-5)
        (self.folder / "tokens.json").write_text(json.dumps(tokens[:1].tolist()))
        run = self.checkpoint(model, 1)
        done = exporter("reference", run, "--config", CONFIG, "--tokens", self.folder / "tokens.json", "--to", self.folder / "answers")
        self.assertEqual(done.returncode, 0, done.stderr)
        answers = tensors.read(self.folder / "answers")
        self.assertLess(float((answers["last"][0] - wanted[0, -1]).abs().max()), 1e-5)
        self.assertAlmostEqual(float(answers["loss"][0]), float(loss), places=5)

    def test_a_gguf_holds_what_its_table_says(self) -> None:
        import numpy as np

        model, out = self.model(), self.folder / "out"
        run = self.checkpoint(model, 1)
        done = exporter("write", run, "--config", CONFIG, "--to", out, "--format", "gguf", "--quantise", "f16,q8_0,q4_0")
        self.assertEqual(done.returncode, 0, done.stderr)
        down = model.model.layers[1].mlp.down_proj.weight.detach().numpy()
        # Half a step of each kind at the largest weight of a block, and half a unit of the 16-bit scale.
        step = float(np.abs(down).max())
        for kind, allowed in (("f32", 0.0), ("f16", step / 2**11), ("q8_0", step / 127 * 0.51), ("q4_0", step / 8 * 1.01)):
            fields, table, data = read_gguf(out / f"model-{kind}.gguf")
            self.assertEqual(fields["general.architecture"], "llama")
            self.assertEqual(fields["llama.attention.head_count_kv"], 2)
            self.assertEqual(len(fields["tokenizer.ggml.tokens"]), 256)
            self.assertEqual(len(table), len(list(model.parameters())))
            found = unpacked(table["blk.1.ffn_down.weight"], data)
            self.assertLessEqual(float(np.abs(found.reshape(down.shape) - down).max()), allowed, kind)
            self.assertEqual(table["output_norm.weight"][1], 0, "norms stay whole")

    def test_refusals_say_why(self) -> None:
        run = self.checkpoint(self.model(), 1)
        self.assertIn("--config", exporter("write", run, "--to", self.folder / "out").stderr)
        self.assertIn("neither", exporter("write", self.folder, "--to", self.folder / "out").stderr)
        config = json.loads(CONFIG.read_text())
        other = self.folder / "config.json"
        for change, reason in (
            ({"num_hidden_layers": 3}, "do not belong together"),
            ({"model_type": "qwen3"}, "only \"llama\""),
            ({"rope_scaling": {"type": "linear"}}, "rope_scaling"),
        ):
            other.write_text(json.dumps({**config, **change}))
            done = exporter("write", run, "--config", other, "--to", self.folder / "out")
            self.assertEqual(done.returncode, 1)
            self.assertIn(reason, done.stderr)
        shard = next(run.rglob("rank-*.safetensors"))
        shard.write_bytes(shard.read_bytes()[:-1] + b"\x7f")
        self.assertIn("checksum", exporter("write", run, "--config", CONFIG, "--to", self.folder / "out").stderr)

    def test_a_seed_draws_the_same_weights_again(self) -> None:
        files = []
        for name in ("one", "two"):
            done = exporter("write", CONFIG, "--seeded", 5, "--to", self.folder / name, "--format", "gguf")
            self.assertEqual(done.returncode, 0, done.stderr)
            files.append((self.folder / name / "model-f32.gguf").read_bytes())
        self.assertEqual(files[0], files[1])


def read_gguf(path: Path) -> Tuple[Dict[str, Any], Dict[str, Tuple[Tuple[int, ...], int, int]], bytes]:
    """A reader after the format's description, apart from the writer."""
    raw, at = path.read_bytes(), 0

    def take(form: str) -> Any:
        nonlocal at
        values = struct.unpack_from(f"<{form}", raw, at)
        at += struct.calcsize(f"<{form}")
        return values[0] if len(values) == 1 else values

    def text() -> str:
        nonlocal at
        length = take("Q")
        at += length
        return raw[at - length : at].decode("utf-8")

    def value(kind: int) -> Any:
        if kind == 8:
            return text()
        if kind == 9:
            inner, count = take("I"), take("Q")
            return [value(inner) for _ in range(count)]
        return take({4: "I", 5: "i", 6: "f", 7: "?"}[kind])

    magic, version, tensors, fields = take("4s"), take("I"), take("Q"), take("Q")
    assert (magic, version) == (b"GGUF", 3)
    metadata = {}
    for _ in range(fields):
        name = text()
        metadata[name] = value(take("I"))
    table = {}
    for _ in range(tensors):
        name, dimensions = text(), take("I")
        shape = tuple(take("Q") for _ in range(dimensions))
        table[name] = (shape, take("I"), take("Q"))
    start = -(-at // metadata["general.alignment"]) * metadata["general.alignment"]
    assert all(offset % metadata["general.alignment"] == 0 for _, _, offset in table.values())
    return metadata, table, raw[start:]


def unpacked(entry: Tuple[Tuple[int, ...], int, int], data: bytes) -> Any:
    import numpy as np

    shape, kind, offset = entry
    count = int(np.prod(shape))
    if kind in (0, 1):
        return np.frombuffer(data, "<f4" if kind == 0 else "<f2", count, offset).astype(np.float32)
    size = {8: 34, 2: 18}[kind]
    blocks = np.frombuffer(data, np.uint8, count // 32 * size, offset).reshape(-1, size)
    scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
    if kind == 8:
        return (scale * blocks[:, 2:].copy().view(np.int8)).flatten()
    nibbles = np.concatenate((blocks[:, 2:] & 15, blocks[:, 2:] >> 4), axis=1).astype(np.float32)
    return (scale * (nibbles - 8)).flatten()


if __name__ == "__main__":
    unittest.main()
