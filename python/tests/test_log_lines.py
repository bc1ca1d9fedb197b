"""Lines that the frameworks really print, and what is none of them."""

from __future__ import annotations

import random
import unittest

from testbed import Api, RunDirectory

from ironlaw.log_lines import FORMATS, LINE_LIMIT, Lines, Step, megatron, torchtitan

MEGATRON = """\
using world size: 16, data-parallel size: 2, context-parallel size: 1, hierarchical context-parallel sizes: None, \
tensor-model-parallel size: 4, pipeline-model-parallel size: 2
------------------------ arguments ------------------------
  bf16 ............................................ True
  fp16 ............................................ False
  expert_model_parallel_size ...................... 1
  global_batch_size ............................... 128
  micro_batch_size ................................ 2
  seq_length ...................................... 4096
 [2026-11-16 06:00:01.123456] iteration        7/    1000 | consumed samples:          896 | elapsed time per iteration (ms): 512.3 | \
learning rate: 3.000000E-04 | global batch size:   128 | lm loss: 1.083427E+01 | loss scale: 1.0 | grad norm: 4.002 | \
number of skipped iterations:   0 | number of nan iterations:   0 |
 [2026-11-16 06:00:02.123456] iteration        8/    1000 | consumed samples:         1024 | lm loss: nan | grad norm: nan |
"""
TORCHTITAN = (
    "[titan] 2026-11-16 06:13:10,678 - root - INFO - Building device mesh with parallelism: pp=1, dp_replicate=2, dp_shard=2, cp=1, "
    "tp=2, ep=1, etp=1\n"
    "[titan] 2026-11-16 06:15:53,701 - root - INFO - Trainer is initialized with local batch size 2, global batch size 8, gradient "
    "accumulation steps 2, sequence length 64, total steps 4 (warmup 200)\n"
    "[titan] 2026-11-16 06:17:01,624 - root - INFO - \x1b[31mstep:  1  \x1b[32mloss:  8.25670  \x1b[38;2;180;60;0mgrad_norm:  4.0026  "
    "\x1b[38;2;54;234;195mmemory: -0.00GiB(-0.00%)  \x1b[34mtps: 2  \x1b[36mtflops: 0.00  \x1b[35mmfu: 0.00%\x1b[39m\n"
)


class LogLinesTest(unittest.TestCase):
    def test_megatron(self) -> None:
        found = [megatron(line) for line in MEGATRON.splitlines()]
        self.assertEqual(found[0], {"data": 2, "context": 1, "tensor": 4, "pipeline": 2})
        self.assertEqual(
            {name: value for each in found[1:8] if isinstance(each, dict) for name, value in each.items()},
            {"precision": "bf16", "expert": 1, "global_batch": 128, "microbatch": 2, "sequence": 4096},
        )
        self.assertEqual(found[8], Step(7, 10.83427, 4.002))
        last = found[9]
        assert isinstance(last, Step) and last.loss is not None
        self.assertNotEqual(last.loss, last.loss)

    def test_torchtitan(self) -> None:
        found = [torchtitan(line) for line in TORCHTITAN.splitlines()]
        self.assertEqual(found[0], {"tensor": 2, "context": 1, "pipeline": 1, "expert": 1, "data": 4})
        self.assertEqual(found[1], {"microbatch": 2, "global_batch": 8, "sequence": 64})
        self.assertEqual(found[2], Step(1, 8.2567, 4.0026))

    def test_whatever_else_comes_is_passed_over(self) -> None:
        seed = random.randrange(1 << 32)
        source = random.Random(seed)
        pieces = ["iteration ", "7/ 10 |", "lm loss: ", "step:", " loss: ", "e", "--..", "using world size", "=9", "\x1b[31m", "\0", "é"]
        for _ in range(2000):
            line = "".join(source.choice(pieces) for _ in range(source.randrange(12)))
            for read in FORMATS.values():
                with self.subTest(seed=seed, line=line):
                    read(line)

    def test_a_line_that_never_ends_is_cut(self) -> None:
        lines = Lines()
        for _ in range(100):
            self.assertEqual(lines.take(b"x" * LINE_LIMIT), [])
        self.assertEqual([len(line) for line in lines.take(b"\nlast\n")], [LINE_LIMIT, 4])


class WatchLogTest(unittest.TestCase):
    def setUp(self) -> None:
        self.directory = RunDirectory()
        self.addCleanup(self.directory.close)
        self.api = Api()
        self.addCleanup(self.api.close)

    def test_a_program_that_knows_nothing_of_us_reports_steps_and_degrees(self) -> None:
        (self.directory.path / "titan.log").write_text(TORCHTITAN)
        program = ("python3", "-m", "ironlaw.watch_log", "--format", "torchtitan", "--", "cat", str(self.directory.path / "titan.log"))
        agent = self.directory.agent(*program, api=self.api)
        self.assertEqual(agent.wait(30), 0)
        self.assertEqual([(row["step"], row["loss"], row["tokens"]) for row in self.api.all("steps")], [(1, 8.2567, 512)])
        notes = [note["detail"] for note in self.api.all("notes") if note["kind"] == "strategy"]
        said = {"tensor": 2, "context": 1, "pipeline": 1, "expert": 1, "data": 4, "microbatch": 2, "globalBatch": 8, "sequence": 64}
        self.assertEqual(notes[-1], {"rank": 0, **said})
        self.assertEqual(self.directory.log(0), TORCHTITAN)

    def test_its_status_is_that_of_the_program(self) -> None:
        program = ("python3", "-m", "ironlaw.watch_log", "--format", "megatron", "--", "sh", "-c", "echo last words; exit 7")
        agent = self.directory.agent(*program, api=self.api)
        self.assertEqual(agent.wait(30), 7)
        self.assertIn("last words", self.api.all("exits")[0]["tail"])


class PlanTest(unittest.TestCase):
    def test_the_plan_comes_from_the_environment(self) -> None:
        from ironlaw.plan import Plan, said

        text = '{"plan":"plan-1","tensor":2,"contextBy":"ring","globalBatch":64,"accumulation":4,"newer":1}'
        plan = Plan.read({"IRONLAW_STRATEGY": text})
        assert plan is not None
        self.assertEqual((plan.id, plan.tensor, plan.global_batch, plan.accumulation, plan.data), ("plan-1", 2, 64, 4, 1))
        self.assertIsNone(Plan.read({}))
        self.assertEqual(said({"tensor": 2, "global_batch": 8, "precision": None}), {"tensor": 2, "globalBatch": 8})
        for wrong in ({"tensors": 2}, {"tensor": 0}, {"tensor": "2"}, {"data": True}):
            with self.assertRaises(ValueError):
                said(wrong)


if __name__ == "__main__":
    unittest.main()
