"""Bugs for the histories of checkpoints to find, each planted in the process of an attempt before it begins."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Dict, Optional

from testbed import PACKAGE  # noqa: F401  the package is found through it

from ironlaw import retention as keeping
from ironlaw import storage
from ironlaw.agent import head as heads
from ironlaw.agent import saving as writers
from ironlaw.retention import Retention
from ironlaw.storage import Attempt, Json, manifests


@dataclass(frozen=True)
class Faults:
    no_sync: bool = False
    commits_in_place: bool = False
    frees_buffer_early: bool = False
    commits_early: bool = False
    removes_shards_first: bool = False
    forgets_what_it_resumed: bool = False


def plant(faults: Faults) -> None:
    def commit_in_place(attempt: Attempt, manifest: Json) -> Path:
        directory = attempt.path / ("open" if attempt.is_open() else "sealed")
        path = directory / f"{storage.step_name(manifest['step'])}.json"
        storage.write_durably(path, manifest, staging=attempt.path)
        return path

    if faults.commits_in_place:
        Attempt.commit = commit_in_place  # type: ignore[method-assign]
    if faults.no_sync:
        storage.os = SimpleNamespace(**{**vars(os), "fsync": lambda _: None, "rename": lambda *pair: os.rename(*pair)})  # type: ignore[attr-defined]
    if faults.frees_buffer_early:
        take = writers.Saving.take

        def freeing(saving: Any, slot: int, rank: Any, message: Json) -> None:
            saving._board.announce_stored(slot, message["save"])
            saving._under_way = _Forgiving()
            take(saving, slot, rank, message)

        writers.Saving.take = freeing  # type: ignore[method-assign]
    if faults.commits_early:
        heads.Head._shard = _commit_first_shard(heads.Head._shard)  # type: ignore[method-assign]
    if faults.removes_shards_first:
        heads.prune = _shards_first  # type: ignore[attr-defined]
    if faults.forgets_what_it_resumed:
        prune = keeping.prune
        heads.prune = lambda directory, _resumed, kept: prune(directory, None, kept)  # type: ignore[attr-defined]


class _Forgiving(Dict[int, int]):
    """Of a rank that has several shards under way."""

    def __delitem__(self, _key: int) -> None:
        pass


def _commit_first_shard(real: Any) -> Any:
    def shard(head: Any, message: Json) -> None:
        job = head._job
        head._job = replace(job, nodes=1, processes=1)
        try:
            real(head, message)
        finally:
            head._job = job

    return shard


def _shards_first(directory: Path, resumed: Optional[Path], kept: Retention) -> None:
    staying = keeping.kept(directory, kept, resumed)
    for path in list(manifests(directory)):
        if (path.parent.parent, path.stem) not in staying:
            shutil.rmtree(path.parent.parent / "shards" / path.stem)
            path.unlink()
