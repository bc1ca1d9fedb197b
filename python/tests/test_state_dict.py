"""Nested state through run.save: with any PyTorch, and with what torch.distributed.checkpoint gives in PyTorch 2."""

from __future__ import annotations

import collections
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

import torch2
from test_run import has_torch
from testbed import RunDirectory

import ironlaw
from ironlaw import state_dict, tensors
from ironlaw.staging import Staging

PROGRAM = Path(__file__).with_name("fsdp_program.py")


@unittest.skipUnless(has_torch(), "PyTorch is not installed")
class StateDictTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="ironlaw-test-")
        self.addCleanup(temporary.cleanup)
        self.path = Path(temporary.name) / "state.safetensors"

    def trained(self) -> "tuple[object, object]":
        import torch

        torch.manual_seed(3)
        model = torch.nn.Linear(5, 3)
        optimizer = torch.optim.AdamW(model.parameters())
        model(torch.randn(2, 5)).sum().backward()
        optimizer.step()
        return model, optimizer

    def test_subclasses_of_lists_and_tuples_come_back_as_what_they_are_made_of(self) -> None:
        import torch

        pair = collections.namedtuple("pair", "a b")
        state = {"size": torch.Size([2, 3]), "pair": pair(1, [2]), "weights": torch.ones(2)}
        with open(self.path, "wb") as file:
            state_dict.write(file, state)
        read = state_dict.read(self.path)
        self.assertEqual((read["size"], read["pair"]), ((2, 3), (1, [2])))

    def test_what_goes_through_memory_is_what_goes_to_a_file(self) -> None:
        import torch

        model, optimizer = self.trained()
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "turned": torch.arange(12).view(3, 4).t(), "none": torch.empty(0)}
        with open(self.path, "wb") as file:
            state_dict.write(file, state)
        staging = Staging.create()
        self.addCleanup(staging.close)
        size = staging.fill(lambda file: state_dict.write(file, state))
        self.assertEqual(staging.content(size)[:], self.path.read_bytes())

    def test_a_state_comes_back_as_it_was(self) -> None:
        import torch

        model, optimizer = self.trained()
        with open(self.path, "wb") as file:
            state_dict.write(file, {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": 4})
        found = state_dict.read(self.path)
        self.assertEqual(found["optimizer"]["param_groups"], optimizer.state_dict()["param_groups"])
        self.assertTrue(torch.equal(found["optimizer"]["state"][0]["exp_avg"], optimizer.state_dict()["state"][0]["exp_avg"]))
        other = torch.nn.Linear(5, 3)
        restored = state_dict.restore(self.path, {"model": other.state_dict(), "optimizer": optimizer.state_dict(), "step": 0})
        self.assertTrue(torch.equal(other.weight, model.weight), "in place")
        self.assertEqual(restored["step"], 4)

    def test_optimizers_through_tensors_and_through_a_run_come_back_bit_for_bit(self) -> None:
        import torch

        parameters = [torch.nn.Parameter(torch.randn(4, 3)), torch.nn.Parameter(torch.randn(7).to(torch.bfloat16))]
        for kind, options in (
            (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9}),
            (torch.optim.AdamW, {"lr": 1e-3, "amsgrad": True, "betas": (0.9, 0.95)}),
            (torch.optim.Adagrad, {"lr": 1e-2, "initial_accumulator_value": 0.5}),
        ):
            optimizer = kind([{"params": parameters[:1], "weight_decay": 0.1}, {"params": parameters[1:]}], **options)
            for parameter in parameters:
                parameter.grad = torch.randn_like(parameter)
            optimizer.step()
            state = {"model": collections.OrderedDict(w=parameters[0], b=parameters[1]), "optimizer": optimizer.state_dict(), "step": 1, "best": float("inf"), "none": None}
            with open(self.path, "wb") as file:
                tensors.write(file, state, {"format": "pt"})
            self.assert_same(tensors.read(self.path), state)
            self.assertEqual(tensors.metadata(self.path)["format"], "pt")
            other = kind([{"params": parameters[:1]}, {"params": parameters[1:]}], **options)
            other.load_state_dict(tensors.read(self.path)["optimizer"])
            self.assert_same(other.state_dict(), state["optimizer"])
            with tempfile.TemporaryDirectory(prefix="ironlaw-test-") as directory:
                run = ironlaw.attach(directory=directory, every_steps=1)
                run.resume()
                for _ in run.steps(1):
                    run.save(lambda file: tensors.write(file, state))
                saved = ironlaw.attach(directory=directory).resume()
                assert saved is not None
                self.assert_same(tensors.read(saved.shard), state)

    def assert_same(self, found: Any, state: Any) -> None:
        import torch

        if isinstance(state, torch.Tensor):
            self.assertEqual((found.dtype, found.shape), (state.dtype, state.shape))
            self.assertTrue(torch.equal(found, state.detach()))
        elif isinstance(state, dict):
            self.assertEqual(list(found), list(state))
            for key in state:
                self.assert_same(found[key], state[key])
        elif isinstance(state, (list, tuple)):
            self.assertEqual((type(found), len(found)), (type(state), len(state)))
            for each, other in zip(found, state):
                self.assert_same(each, other)
        else:
            self.assertEqual((type(found), found), (type(state), state))

    def test_flat_tensors_are_written_as_before(self) -> None:
        import torch

        with open(self.path, "wb") as file:
            tensors.write(file, {"w": torch.ones(2)})
        self.assertEqual((list(tensors.read(self.path)), tensors.metadata(self.path)), (["w"], {}))

    def test_what_cannot_be_saved_or_restored_is_named(self) -> None:
        import torch

        with self.assertRaisesRegex(TypeError, "optimizer/hook is a function"), open(self.path, "wb") as file:
            state_dict.write(file, {"optimizer": {"hook": lambda: None}})
        with self.assertRaisesRegex(TypeError, "w is of complex64"), open(self.path, "wb") as file:
            state_dict.write(file, {"w": torch.zeros(2, dtype=torch.complex64)})
        with open(self.path, "wb") as file:
            state_dict.write(file, {"a": {"w": torch.zeros(2)}})
        with self.assertRaisesRegex(ValueError, r"a/w: this rank holds \[3\] of it and saved \[2\]"):
            state_dict.restore(self.path, {"a": {"w": torch.zeros(3)}})
        with self.assertRaisesRegex(ValueError, "a has other keys"):
            state_dict.restore(self.path, {"a": {"v": torch.zeros(3)}})


@unittest.skipUnless(torch2.interpreter(), torch2.ABSENT)
class ShardedTest(unittest.TestCase):
    """FSDP2 on two ranks with gloo."""

    def train(self, directory: RunDirectory, attempt: int, dies_after: int) -> "subprocess.Popen[bytes]":
        interpreter = torch2.interpreter() or ""
        return directory.agent(interpreter, str(PROGRAM), "10", str(dies_after), attempt=attempt, processes=2)

    def test_killed_after_a_save_it_ends_with_the_same_bits(self) -> None:
        plain, killed = RunDirectory(), RunDirectory()
        self.addCleanup(plain.close)
        self.addCleanup(killed.close)
        self.assertEqual(self.train(plain, 1, 0).wait(180), 0, plain.log(0))
        self.assertEqual(self.train(killed, 1, 6).wait(180), 137, killed.log(0))
        self.assertEqual(self.train(killed, 2, 6).wait(180), 0, killed.log(0, attempt=2))
        self.assertIn("resumed 6", killed.log(1, attempt=2))
        weights = [log.split("weights ")[1].split()[0] for log in (plain.log(0), killed.log(0, attempt=2))]
        self.assertEqual(weights[0], weights[1])


if __name__ == "__main__":
    unittest.main()
