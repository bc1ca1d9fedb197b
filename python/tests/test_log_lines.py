"""Lines that the frameworks really print, and what is none of them."""

from __future__ import annotations

import random
import time
import unittest

from testbed import Api, RunDirectory

from ironlaw.log_lines import FORMATS, LINE_LIMIT, MATCH_LIMIT_S, SLOW_LINES, Lines, Pattern, Step, megatron, torchtitan

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


class PatternTest(unittest.TestCase):
    def test_groups_as_python_or_as_others_write_them(self) -> None:
        for text in (r"step (?<step>\d+).*loss (?<loss>[\d.]+)", r"step (?P<step>\d+).*loss (?P<loss>[\d.]+)"):
            self.assertEqual(Pattern(text)("\x1b[31mepoch 1 step 40 loss 2.5 lr 0.1"), Step(40, 2.5))
        self.assertEqual(Pattern(r"(?<=it )(?<step>[\d,]+)")("it 12,000"), Step(12_000))
        self.assertIsNone(Pattern(r"step (?<step>\d+)")("nothing of the kind"))

    def test_what_is_no_step_is_passed_over(self) -> None:
        read = Pattern(r"step (?<step>\S*) loss (?<loss>\S*)")
        for line in ("step x loss 1", "step -1 loss 1", "step 1e99 loss 1", "step nan loss 1", "step  loss 1", "step 9" + "9" * 400 + " loss 1"):
            self.assertIsNone(read(line), line)
        self.assertEqual(read("step 7 loss much"), Step(7))

    def test_a_pattern_that_backtracks_is_interrupted_and_given_up(self) -> None:
        read = Pattern(r"(?<step>(a+)+)$")
        began = time.monotonic()
        for _ in range(10 * SLOW_LINES):
            self.assertIsNone(read("a" * 4000 + "b"))
        self.assertLess(time.monotonic() - began, 20 * SLOW_LINES * MATCH_LIMIT_S)

    def test_a_progress_bar_is_lines(self) -> None:
        self.assertEqual(Lines().take(b"step 1\rstep 2\r\nstep 3"), ["step 1", "step 2", ""])


if __name__ == "__main__":
    unittest.main()
