"""The secrets of a job: files that only its user reads. Their values become variables of the program's processes, and of no other process."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, Mapping


def read_secrets(environment: Mapping[str, str]) -> Dict[str, str]:
    """Raises OSError where one is not there: the program would fail later, and say less about why."""
    names = [name for name in environment.get("IRONLAW_SECRETS", "").split(",") if name]
    if not names:
        return {}
    directory = Path(environment["IRONLAW_SECRETS_DIR"])
    return {name: (directory / name).read_bytes().decode() for name in names}
