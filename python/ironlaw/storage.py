"""The run directory: who may write (claim, seal), what is committed (shards, then a manifest), what is resumed from.

The fence is one rename: a manifest is committed by renaming it into `attempts/NNNN/open/`, and a later attempt renames that
directory to `sealed`. A writer that was left behind then gets ENOENT. No clock and no lock takes part, so a paused writer
that wakes up an hour later is refused as well.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Callable, Dict, Iterator, List, Optional, Tuple, Union

Json = Dict[str, Any]
Shard = Union[bytes, bytearray, memoryview, Callable[[BinaryIO], object]]
# What is hashed and then written at a time: it stays in the processor's cache in between.
_BLOCK_BYTES = 1 << 20


class Fenced(Exception):
    """A later attempt of this run exists: nothing more may be committed by this one."""


class Taken(Exception):
    """Another job holds the claim of this attempt."""


@dataclass(frozen=True)
class Checkpoint:
    """A committed checkpoint as one rank sees it. `step` steps are done; `shard` and `extra` are what this rank saved."""

    step: int
    attempt: int
    world: int
    shards: Tuple[Path, ...]
    extras: Tuple[Json, ...]
    rank: int
    tokens: int = 0

    @property
    def shard(self) -> Path:
        return self.shards[self.rank]

    @property
    def extra(self) -> Json:
        return self.extras[self.rank]


def write_durably(path: Path, content: Json, staging: Path) -> None:
    """Either the old or the new content is there after a crash; ENOENT when the directory of `path` is gone."""
    staged = staging / f".{path.name}.{os.getpid()}.tmp"
    with open(staged, "w", encoding="utf-8") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.rename(staged, path)
    except FileNotFoundError:
        staged.unlink()
        raise
    _sync_directory(path.parent)


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_json(path: Path) -> Optional[Json]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None


class Attempt:
    """One attempt's part of the run directory."""

    def __init__(self, run_directory: Path, number: int) -> None:
        self.run_directory = run_directory
        self.number = number
        self.path = run_directory / "attempts" / f"{number:04d}"

    # -- who may write

    def claim(self, owner: str) -> None:
        """Takes the attempt for one job. The directory appears with its owner inside, so no reader sees it without."""
        self.path.mkdir(parents=True, exist_ok=True)
        staged = self.path / f".claim.{os.getpid()}"
        staged.mkdir(exist_ok=True)
        (staged / "owner").write_text(owner, encoding="utf-8")
        try:
            os.rename(staged, self.path / "claim")
        except OSError as cause:
            shutil.rmtree(staged, ignore_errors=True)
            if cause.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        named = self.path / "claim" / "owner"
        holder = named.read_text(encoding="utf-8").strip() if named.exists() else "unknown"
        if holder != owner:
            raise Taken(holder)

    def begin(self) -> None:
        """Seals every earlier attempt and opens this one. It opens before it looks for a later one, and a later one shows itself
        before it seals: of two that begin at the same time the earlier is always refused."""
        self.path.mkdir(parents=True, exist_ok=True)
        if (self.path / "sealed").exists():
            raise Fenced
        (self.path / "open").mkdir(exist_ok=True)
        numbers = attempt_numbers(self.run_directory)
        if numbers[-1] > self.number:
            raise Fenced
        for number in numbers[:-1]:
            Attempt(self.run_directory, number).seal()
        publish_completion(self.run_directory)
        for name in ("shards", "logs", "spool"):
            (self.path / name).mkdir(exist_ok=True)

    def seal(self) -> None:
        try:
            os.rename(self.path / "open", self.path / "sealed")
            _sync_directory(self.path)  # storage that loses its power must not open it again
        except FileNotFoundError:
            (self.path / "sealed").mkdir(exist_ok=True)  # claimed, never opened

    def is_open(self) -> bool:
        return (self.path / "open").is_dir()

    # -- what is committed

    def write_shard(self, step: int, rank: int, shard: Shard) -> Json:
        """Writes and checksums in one pass; the shard is durable under its final name when this returns."""
        directory = self.path / "shards" / step_name(step)
        directory.mkdir(parents=True, exist_ok=True)
        name = f"rank-{rank:05d}.safetensors"
        staged = directory / f".{name}.tmp"
        try:
            with open(staged, "wb", buffering=0) as raw:
                file = _Hashing(raw)
                if callable(shard):
                    shard(file)  # type: ignore[arg-type]
                else:
                    file.write(shard)
                os.fsync(raw.fileno())
        except OSError:
            staged.unlink(missing_ok=True)  # a full disk must not stay full because of what could not be finished
            raise
        os.rename(staged, directory / name)
        _sync_directory(directory)
        return {"rank": rank, "file": name, "bytes": file.size, "sha256": file.hash.hexdigest()}

    def commit(self, manifest: Json) -> Path:
        """The last act of a checkpoint, when every shard is durable."""
        path = self.path / "open" / f"{step_name(manifest['step'])}.json"
        try:
            write_durably(path, manifest, staging=self.path)
        except FileNotFoundError as cause:
            raise Fenced from cause
        return path

    def complete(self, record: Json) -> None:
        """Committed as a checkpoint is, by a rename into `open`, then shown in the run directory. The first record stays: a job that
        was started once more after the end has nothing to add."""
        if (self.run_directory / "completed.json").exists():
            if not self.is_open():
                raise Fenced
            return
        try:
            write_durably(self.path / "open" / "completed.json", {"attempt": self.number, **record}, staging=self.path)
        except FileNotFoundError as cause:
            raise Fenced from cause
        publish_completion(self.run_directory)


class _Hashing:
    """A binary file that can only be appended to, and knows the hash of what went through."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        self.hash = hashlib.sha256()
        self.size = 0

    def write(self, content: Any) -> int:
        content = memoryview(content).cast("B")
        for begin in range(0, len(content), _BLOCK_BYTES):
            rest = content[begin : begin + _BLOCK_BYTES]
            self.hash.update(rest)
            while len(rest) > 0:
                rest = rest[self.raw.write(rest) :]
        self.size += len(content)
        return len(content)

    def flush(self) -> None:
        pass


def step_name(step: int) -> str:
    return f"step-{step:08d}"


def attempt_numbers(run_directory: Path) -> List[int]:
    try:
        return sorted(int(entry.name) for entry in os.scandir(run_directory / "attempts") if entry.name.isdigit())
    except FileNotFoundError:
        return []


def publish_completion(run_directory: Path) -> None:
    """Shows the record that was committed first, if there is one, where everybody looks. Whoever committed it may have died before."""
    shown = run_directory / "completed.json"
    for number in attempt_numbers(run_directory):
        for state in ("open", "sealed"):
            record = read_json(Attempt(run_directory, number).path / state / "completed.json")
            if record is not None:
                if not shown.exists():
                    write_durably(shown, record, staging=run_directory)
                return


def manifests(run_directory: Path) -> Iterator[Path]:
    """Committed manifests, newest first. A later attempt outranks a higher step: after a roll-back the steps it left are void."""
    for number in reversed(attempt_numbers(run_directory)):
        for state in ("open", "sealed"):
            directory = Attempt(run_directory, number).path / state
            yield from sorted(directory.glob("step-*.json"), reverse=True)


def shard_paths(manifest_path: Path, manifest: Json) -> List[Path]:
    directory = manifest_path.parent.parent / "shards" / step_name(manifest["step"])
    return [directory / shard["file"] for shard in manifest["shards"]]


def fault_of(manifest_path: Path) -> Optional[str]:
    """Why this checkpoint cannot be used; None when every byte is as committed."""
    manifest = read_json(manifest_path)
    if manifest is None:
        return "manifest unreadable"
    faults = (shard_fault(path, shard) for path, shard in zip(shard_paths(manifest_path, manifest), manifest["shards"]))
    return next((fault for fault in faults if fault is not None), None)


def shard_fault(path: Path, shard: Json) -> Optional[str]:
    """`shard` is its row of the manifest."""
    if not path.is_file():
        return f"{path.name} is missing"
    if path.stat().st_size != shard["bytes"]:
        return f"{path.name} has {path.stat().st_size} bytes instead of {shard['bytes']}"
    if _sha256(path) != shard["sha256"]:
        return f"{path.name} does not match its checksum"
    return None


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb", buffering=0) as file:
        while True:
            block = file.read(1 << 20)
            if not block:
                return digest.hexdigest()
            digest.update(block)


@dataclass(frozen=True)
class Choice:
    manifest: Optional[Path]
    corrupt: Tuple[Tuple[Path, str], ...]


def candidates(run_directory: Path, before: Optional[int]) -> Iterator[Path]:
    """What may be resumed, newest first, before anything of it is verified."""
    for path in manifests(run_directory):
        if before is None or int(path.stem.split("-")[1]) < before:
            yield path


def choose(run_directory: Path, before: Optional[int]) -> Choice:
    """The newest usable checkpoint, with those that had to be passed over."""
    corrupt: List[Tuple[Path, str]] = []
    for path in candidates(run_directory, before):
        fault = fault_of(path)
        if fault is None:
            return Choice(path, tuple(corrupt))
        corrupt.append((path, fault))
    return Choice(None, tuple(corrupt))


def adopt(attempt: Attempt, source: Path, step: int) -> None:
    """Makes a checkpoint of another run the first of this one; does nothing once this one has any. The source stays as it is. Bytes are
    shared where the file system has links, which is safe as shards are never changed; their checksums are verified when it is chosen."""
    if next(manifests(attempt.run_directory), None) is None:
        _take_over(attempt, source, step)
    # The source may remove it from now on: packages/effects/control/src/reconcile/pin-checkpoint.ts had it kept for us.
    (source / "pins" / f"{attempt.run_directory.name}.json").unlink(missing_ok=True)


def _take_over(attempt: Attempt, source: Path, step: int) -> None:
    for path in manifests(source):
        manifest = read_json(path)
        if manifest is None or manifest["step"] != step:
            continue
        directory = attempt.path / "shards" / step_name(step)
        directory.mkdir(parents=True, exist_ok=True)
        for shard in shard_paths(path, manifest):
            _link_or_copy(shard, directory / shard.name)
        _sync_directory(directory)
        origin = {"run": manifest.get("run"), "attempt": manifest["attempt"], "step": step}
        attempt.commit({**manifest, "attempt": attempt.number, "ordinal": 1, "from": origin})
        return
    raise FileNotFoundError(f"no checkpoint of step {step} in {source}: it was replaced by newer ones")


def _link_or_copy(source: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def load(manifest_path: Path, rank: int, local: Optional[str] = None) -> Checkpoint:
    """`local` is a verified copy of this rank's own shard."""
    manifest = read_json(manifest_path)
    if manifest is None:
        raise FileNotFoundError(manifest_path)
    shards = shard_paths(manifest_path, manifest)
    if local is not None:
        shards[rank] = Path(local)
    return Checkpoint(
        step=manifest["step"],
        attempt=manifest["attempt"],
        world=manifest["world"],
        shards=tuple(shards),
        extras=tuple(shard.get("extra", {}) for shard in manifest["shards"]),
        rank=rank,
        tokens=manifest.get("tokens", 0),
    )


def manifest_of(attempt: Attempt, step: int, details: Json) -> Json:
    """`details`: run, world, and a shard of every rank."""
    shards = sorted(details["shards"], key=lambda shard: int(shard["rank"]))
    tokens = sum(shard.get("tokens", 0) for shard in shards)
    return {**details, "step": step, "attempt": attempt.number, "at": time.time(), "tokens": tokens, "shards": shards}
