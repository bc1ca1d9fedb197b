"""A virtual environment with PyTorch 2, which Debian does not have yet. Built once, outside of the checkout:

    python3 python/tests/torch2.py

It takes some minutes and several gigabytes (the Linux build brings NVIDIA's libraries, used or not). Tests that need it are
skipped with a reason while it is not there.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from typing import Optional

HOME = Path(os.environ.get("IRONLAW_TORCH2") or Path.home() / ".cache" / "ironlaw" / "torch2")
INTERPRETER = HOME / "bin" / "python3"
READY = HOME / ".ready"  # written last: an installation that was cut off is not taken for a whole one
PACKAGES = ("torch==2.9.1", "numpy")
ABSENT = f"PyTorch 2 is not at {HOME}: run python3 python/tests/torch2.py"


def interpreter() -> Optional[str]:
    return str(INTERPRETER) if READY.exists() else None


def build() -> None:
    HOME.parent.mkdir(parents=True, exist_ok=True)
    with open(HOME.parent / "torch2.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if READY.exists():
            return
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(HOME)], check=True)
        subprocess.run([str(INTERPRETER), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        subprocess.run([str(INTERPRETER), "-c", "import torch.distributed.checkpoint"], check=True)
        READY.touch()


if __name__ == "__main__":
    build()
    print(f"{INTERPRETER} has PyTorch 2")
