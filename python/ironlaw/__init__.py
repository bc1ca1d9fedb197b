"""The training side of Ironlaw. `run = ironlaw.attach()` in a training script; see docs/guides/training-with-the-sdk.md."""

from ironlaw.plan import Plan
from ironlaw.run import Run, attach
from ironlaw.storage import Checkpoint, Fenced

__all__ = ["Checkpoint", "Fenced", "Plan", "Run", "attach"]
