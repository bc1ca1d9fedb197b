"""Which checkpoints stay. Decided anew after every commit, from what lies in the run directory."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Optional, Set, Tuple

from ironlaw.storage import Attempt, attempt_numbers, manifests, read_json

Place = Tuple[Path, str]  # of an attempt's directory, and the name of a step


@dataclass(frozen=True)
class Retention:
    """The newest `last`, and of all that were ever committed every `every`-th."""

    last: int = 2  # one more than needed: the newest may turn out to be corrupt
    every: Optional[int] = None

    @staticmethod
    def read(environment: Mapping[str, str]) -> "Retention":
        every = environment.get("IRONLAW_KEEP_EVERY")
        return Retention(int(environment.get("IRONLAW_KEEP_LAST") or Retention.last), int(every) if every else None)


def next_ordinal(run_directory: Path) -> int:
    """Checkpoints of a run are counted from 1. One that is resumed goes on from what it resumed, so a count is not unique after a roll-back."""
    newest = next(manifests(run_directory), None)
    content = read_json(newest) if newest else None
    return int((content or {}).get("ordinal", 0)) + 1


def _place(manifest: Path) -> Place:
    return manifest.parent.parent, manifest.stem


def kept(run_directory: Path, retention: Retention, resumed: Optional[Path]) -> Set[Place]:
    found = list(manifests(run_directory))
    staying = {_place(path) for path in found[: retention.last]}
    if resumed is not None:
        staying.add(_place(resumed))
    pinned = pinned_steps(run_directory)
    for path in found[retention.last :]:
        content = read_json(path) or {}
        if content.get("step") in pinned or (retention.every and int(content.get("ordinal", 0)) % retention.every == 0 and "ordinal" in content):
            staying.add(_place(path))
    return staying


def pinned_steps(run_directory: Path) -> Set[int]:
    """Steps that another run begins with and has not taken over yet: one file in `pins` for each such run, written when it is created."""
    contents = [read_json(path) or {} for path in (run_directory / "pins").glob("*.json")]
    return {int(content["step"]) for content in contents if isinstance(content.get("step"), int)}


def prune(run_directory: Path, resumed: Optional[Path], retention: Retention = Retention()) -> None:
    """Removes what does not stay, and of older steps also the shards that no manifest ever named. A manifest goes before its shards: it
    never promises what is gone."""
    found = list(manifests(run_directory))
    if not found:
        return
    staying = kept(run_directory, retention, resumed)
    for path in found:
        if _place(path) not in staying:
            path.unlink(missing_ok=True)
    newest = (found[0].parent.parent.name, found[0].stem)
    for number in attempt_numbers(run_directory):
        attempt = Attempt(run_directory, number).path
        for shards in (attempt / "shards").glob("step-*"):
            if (attempt, shards.name) not in staying and (attempt.name, shards.name) < newest:
                shutil.rmtree(shards, ignore_errors=True)
