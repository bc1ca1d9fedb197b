from __future__ import annotations

import os
import subprocess
import sys
import unittest

import testbed  # noqa: F401  (puts the SDK on the path)
from ironlaw.agent.ranks import device_problem, missing_program


class Devices(unittest.TestCase):
    def test_as_many_as_requested_or_none_requested(self) -> None:
        for environment in (
            {},
            {"CUDA_VISIBLE_DEVICES": "0,1,2,3"},
            {"IRONLAW_DEVICES": "2", "CUDA_VISIBLE_DEVICES": "2,3"},
            {"IRONLAW_DEVICES": "2", "CUDA_VISIBLE_DEVICES": "GPU-1a,GPU-2b"},
            {"IRONLAW_DEVICES": "1", "ROCR_VISIBLE_DEVICES": "0"},
        ):
            self.assertIsNone(device_problem(environment), environment)

    def test_devices_of_others_may_be_taken(self) -> None:
        self.assertIn("says which are ours", device_problem({"IRONLAW_DEVICES": "2"}) or "")
        self.assertIn("says which are ours", device_problem({"IRONLAW_DEVICES": "2", "CUDA_VISIBLE_DEVICES": ""}) or "")
        self.assertIn("2 accelerators were requested, 4 are visible: 0,1,2,3", device_problem({"IRONLAW_DEVICES": "2", "CUDA_VISIBLE_DEVICES": "0,1,2,3"}) or "")


class Programs(unittest.TestCase):
    def test_what_is_there_and_what_is_not(self) -> None:
        for program in (["/bin/sh", "-c", "x"], ["sh"], [__file__]):
            self.assertIsNone(missing_program(program), program)
        self.assertIn(f"can't open file '{os.getcwd()}/nope.py'", missing_program(["nope.py"]) or "")
        self.assertIn("nope: command not found", missing_program(["nope", "x"]) or "")
        self.assertIn("/etc/passwd: command not found, or not executable", missing_program(["/etc/passwd"]) or "")


# In a process of its own: what is below this one belongs to other tests.
ORPHANS = """
import subprocess, sys
from ironlaw.agent.descendants import adopt_orphans, kill_orphans
adopt_orphans()
shell = subprocess.Popen(["/bin/sh", "-c", "sleep 600 & (sleep 600; true) & echo; wait"], stdout=subprocess.PIPE)
shell.stdout.readline()
shell.kill()
shell.wait()
kill_orphans()
"""


class Orphans(unittest.TestCase):
    def test_what_a_shell_left_behind_is_killed(self) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        # Their output is the pipe: it is at its end when none of them is left.
        done = subprocess.run([sys.executable, "-c", ORPHANS], env=environment, capture_output=True, timeout=30)
        self.assertEqual((done.returncode, done.stderr), (0, b""))


if __name__ == "__main__":
    unittest.main()
