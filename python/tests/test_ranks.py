from __future__ import annotations

import unittest

import testbed  # noqa: F401  (puts the SDK on the path)
from ironlaw.agent.ranks import device_problem


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


if __name__ == "__main__":
    unittest.main()
