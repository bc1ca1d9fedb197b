"""How much memory this process may still take: of the machine, and of the control groups it is in."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, Iterator, List

_GROUPS = Path("/sys/fs/cgroup")
# A group of version 1 without a limit states one that no machine has.
_NO_LIMIT = 1 << 60


def available_bytes() -> int:
    return min([_of_machine(), *(_of_group(path) for path in _group_paths())])


def _of_machine() -> int:
    return _fields(Path("/proc/meminfo"))["MemAvailable:"] * 1024


def _group_paths() -> Iterator[Path]:
    """The groups of this process from the innermost outwards, in either version."""
    try:
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        root = _GROUPS if controllers == "" else _GROUPS / "memory" if "memory" in controllers.split(",") else None
        if root is None:
            continue
        inner = root / path.lstrip("/")
        yield from [inner, *inner.parents][: len(inner.parts) - len(root.parts) + 1]


def _of_group(path: Path) -> int:
    """What its limit leaves. Files that no process maps count as used, and are reclaimed first."""
    for limit, used in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
        try:
            bound, taken = (path / limit).read_text(encoding="utf-8").strip(), int((path / used).read_text(encoding="utf-8"))
            idle = _fields(path / "memory.stat").get("inactive_file", 0)
        except (OSError, ValueError):
            continue
        if bound != "max" and int(bound) < _NO_LIMIT:
            return max(0, int(bound) - taken + idle)
    return _NO_LIMIT


def _fields(path: Path) -> Dict[str, int]:
    rows: List[List[str]] = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}
