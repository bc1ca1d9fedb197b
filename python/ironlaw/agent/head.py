"""What the agent of node 0 does for the whole job: gathers, decides when to checkpoint, commits manifests, says when to stop."""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Dict, Iterable, List, Optional, Set, Tuple

from ironlaw.agent.ranks import status_of
from ironlaw.agent.rows import StepRows
from ironlaw.board import proposal_of, step_of, stops
from ironlaw.environment import FENCED, PREEMPTED, Job
from ironlaw.retention import next_ordinal, prune
from ironlaw.storage import Attempt, Choice, Fenced, Json, adopt, candidates, choose, manifest_of

ANSWER_LIMIT_S = 5.0
SHARD_LIMIT_S = 30.0
LATE_S = 300.0  # for a checkpoint to be written; minutes are usual for large ones
# How far ahead of the ranks a step is proposed, in time: a round trip between agents, with room.
LEAD_S = 0.1
PART_LIMIT_S = 2.0  # agents report to the head four times a second, also while they finish saving


def step_in(manifest: Path) -> int:
    return int(manifest.stem.split("-")[1])


def vanished(node: str, index: int, ranks: List[int]) -> List[Json]:
    """Ranks whose end was not observed: neither a code nor a signal."""
    gone = {"node": node, "index": index, "code": None, "signal": None, "at": time.time(), "tail": ""}
    return [{**gone, "rank": rank} for rank in ranks]


@dataclass
class Verification:
    """Of one checkpoint by all nodes; `others` are tried when one finds a fault."""

    manifest: Path
    others: List[Path]
    corrupt: Tuple[Tuple[Path, str], ...]
    agreed: Set[int] = field(default_factory=set)


class Head:
    """Knows no sockets: `tell` reaches every agent, `background` runs slow storage work off the loop and then calls back on it."""

    def __init__(self, job: Job, attempt: Attempt, tell: Callable[[Json], None], background: Callable[..., None]) -> None:
        self._job, self._attempt, self._tell, self._background = job, attempt, tell, background
        self._every_s = job.checkpoint_every_s
        self._checkpointed_at = time.monotonic()
        self._rows = StepRows(job.world)
        self._step_s = 1.0
        self._beats: Dict[int, Tuple[float, Json]] = {}
        self._exits: List[Json] = []
        self._checkpoints: List[Json] = []
        self._notes: List[Json] = []
        self._saving: Dict[int, Set[int]] = {}  # by step, the ranks that have left a shard to be written
        self._shards: Dict[int, Dict[int, Json]] = {}  # by step, those that are durable
        self._ready: List[Tuple[Json, Json]] = []  # whole and not yet committed: manifests, and what was measured
        self._committing = False
        self._unsaved = self._committed_step = self._verdict = 0
        self._handed = 0  # the newest step of which all shards were there
        self._verification: Optional[Verification] = None
        self._choice: Optional[Choice] = None
        self._resumed_step = 0
        self._proposal = 0
        self._asked_at = 0.0
        self._agreed: Set[int] = set()
        self._awaited: Optional[int] = None  # the step whose shards are on their way
        self._awaited_since = 0.0
        self._late_told: Optional[int] = None
        self._ahead = 2
        self._preempting = False
        self._failed = False
        self.done: Set[int] = set()
        self._joined: Set[int] = {0}
        self._unlinked: Set[int] = set()
        self.urgent = False

    # -- resume

    def begin(self) -> None:
        if self._job.local is None:
            self._background(self._choose, self._chosen)
        else:
            self._background(self._list, self._verify)

    def _choose(self) -> Choice:
        self._adopt()
        return choose(self._job.run_directory, self._job.resume_before)

    def _list(self) -> List[Path]:
        self._adopt()
        return list(candidates(self._job.run_directory, self._job.resume_before))

    def _adopt(self) -> None:
        job = self._job
        if job.source is not None:
            adopt(Attempt(job.run_directory, job.attempt), *job.source)

    def _verify(self, found: List[Path], corrupt: Tuple[Tuple[Path, str], ...] = ()) -> None:
        """With copies on the nodes each agent verifies its own ranks' shards, and what is there is not read from shared storage."""
        if not found:
            self._verification = None
            self._chosen(Choice(None, corrupt))
            return
        self._verification = Verification(found[0], found[1:], corrupt)
        self._tell(self.resume_message())

    def _verified(self, index: int, message: Json) -> None:
        looked = self._verification
        if looked is None or message["manifest"] != self._relative(looked.manifest):
            return
        if message["fault"]:
            self._verify(looked.others, (*looked.corrupt, (looked.manifest, message["fault"])))
            return
        looked.agreed.add(index)
        if len(looked.agreed) == self._job.nodes:
            self._verification = None
            self._chosen(Choice(looked.manifest, looked.corrupt))

    def _chosen(self, choice: Choice) -> None:
        self._choice = choice
        for path, fault in choice.corrupt:
            self._found("corrupt", path, {"detail": fault})
        if choice.manifest is not None:
            self._resumed_step = step_in(choice.manifest)
            self._found("restored", choice.manifest, {})
        self.note("resumed", {"step": self._resumed_step})
        self._tell(self.resume_message())

    def _found(self, state: str, manifest: Path, details: Json) -> None:
        attempt = int(manifest.parent.parent.name)
        self._checkpoint(state, step_in(manifest), {"attempt": attempt, "manifest": self._relative(manifest), **details})

    def resume_message(self) -> Json:
        if self._verification is not None:
            return {"kind": "verify", "manifest": self._relative(self._verification.manifest)}
        if self._choice is None:
            return {}
        return {"kind": "resume", "manifest": self._relative(self._choice.manifest) if self._choice.manifest else None}

    def greet(self, index: int) -> List[Json]:
        """For an agent whose link is new: what it may have missed. Its ranks wait for a verdict, or for a commit."""
        self._joined.add(index)
        said = {"verdict": ("value", self._verdict), "committed": ("step", self._committed_step), "unsaved": ("step", self._unsaved)}
        return [*filter(None, [self.resume_message()]), *({"kind": kind, name: value} for kind, (name, value) in said.items() if value)]

    def _relative(self, path: "object") -> str:
        return str(path)[len(str(self._job.run_directory)) + 1 :]

    # -- what agents tell

    def receive(self, index: int, message: Json) -> None:
        kind, now = message["kind"], time.monotonic()
        if kind == "part":
            for row in message["rows"]:
                self._rows.add(row["rank"], row, now)
                self._step_s = 0.8 * self._step_s + 0.2 * row["seconds"]
            for row in message["exits"]:
                self._exit(row)
            self._notes += message["notes"]
            self._beats[index] = (now, message["beat"])
            self._unlinked.discard(index)
        elif kind == "saving" and message["step"] > max(self._unsaved, self._handed):
            self._saving.setdefault(message["step"], set()).add(message["rank"])
        elif kind == "shard":
            self._shard(message)
        elif kind == "verified":
            self._verified(index, message)
        elif kind == "unsaved":
            self._give_up(message["step"], {"rank": message["rank"], "why": message["why"]})
        elif kind == "answer" and message["proposal"] == self._proposal:
            self._answer(index, message["ok"])
        elif kind == "preempt":
            self.preempt(message["why"])
        elif kind == "done":
            self.done.add(index)
            self._beats.pop(index, None)  # its silence from now on is no sign of anything

    def _exit(self, row: Json) -> None:
        self._exits.append(row)
        self.urgent = True
        code = 0 if row["killed"] else row["code"] if row["code"] is not None else -row["signal"]
        if code not in (0, PREEMPTED) and not self._failed:
            self._failed = True
            self._tell({"kind": "stop", "code": status_of(code)})
            self._tell_vanished()

    def unlinked(self, index: int) -> None:
        """A broken link does not mean a dead agent while ranks work: the agent reconnects. Once a rank has failed it shows where to look."""
        if index not in self.done:
            self._unlinked.add(index)
            self._tell_vanished()

    def lacks_goodbyes(self, linked: Iterable[int]) -> bool:
        """Whether a node that is linked, or one that has never been, has not said goodbye yet."""
        return not self.done.issuperset({0, *linked, *(set(range(self._job.nodes)) - self._joined)})

    def missing(self) -> None:
        """The job has failed, and every peer that has not said goodbye by now is gone."""
        self._unlinked |= set(range(1, self._job.nodes)) - self.done
        self._tell_vanished()

    def _tell_vanished(self) -> None:
        if not self._failed:
            return
        for index in self._unlinked - self.done:
            self.done.add(index)
            _, beat = self._beats.pop(index, (0.0, None))
            if beat is not None:
                self._exits += vanished(beat["node"], index, [row["rank"] for row in beat["ranks"]])
                self.urgent = True

    # -- checkpoints

    def tick(self, furthest: int, linked: int) -> None:
        now = time.monotonic()
        if self._proposal and now - self._asked_at > ANSWER_LIMIT_S:
            self._resolve(False)
        self._tell_late(now)
        came = self._awaited in self._shards or self._awaited in self._saving
        if self._awaited is not None and not came and now - self._awaited_since > SHARD_LIMIT_S:
            self._awaited = None  # the script did not save when it was due
        wanted = self._preempting or (furthest > 0 and now - self._checkpointed_at >= self._every_s)
        if wanted and self._choice is not None and not self._proposal and self._awaited is None and linked == self._job.nodes:
            lead = math.ceil(LEAD_S / max(self._step_s, 1e-3)) if self._job.nodes > 1 else 0
            step = max(furthest, self._resumed_step) + max(self._ahead, lead)
            self._proposal, self._asked_at, self._agreed = proposal_of(step, self._preempting), now, set()
            self._tell({"kind": "propose", "proposal": self._proposal})

    def _tell_late(self, now: float) -> None:
        """Once for a checkpoint: storage that hangs delays no step, so nothing else would report it."""
        late = self._awaited is not None and self._awaited in self._saving and now - self._awaited_since > LATE_S
        if late and self._late_told != self._awaited:
            self._late_told = self._awaited
            self.note("checkpoint-late", {"step": self._awaited, "seconds": round(now - self._awaited_since)})

    def _answer(self, index: int, agreed: bool) -> None:
        if not agreed:
            self._ahead *= 2
            self._resolve(False)
            return
        self._agreed.add(index)
        if len(self._agreed) == self._job.nodes:
            self._resolve(True)

    def _resolve(self, taken: bool) -> None:
        proposal, self._proposal = self._proposal, 0
        if taken:
            self._awaited, self._awaited_since = step_of(proposal), time.monotonic()
            self._checkpointed_at = time.monotonic()
            self._preempting = self._preempting and not stops(proposal)
        self._verdict = proposal if taken else -proposal
        self._tell({"kind": "verdict", "value": self._verdict})

    def _shard(self, shard: Json) -> None:
        step = shard["step"]
        if step <= max(self._unsaved, self._handed):
            return  # said again over a new link
        self._saving.setdefault(step, set()).add(shard["rank"])
        shards = self._shards.setdefault(step, {})
        shards[shard["rank"]] = shard
        if len(shards) < self._job.world:
            return
        self._handed = step
        kept = ("rank", "file", "bytes", "sha256", "extra", "tokens")
        entries = [{name: row[name] for name in kept} for row in shards.values()]
        manifest = manifest_of(self._attempt, step, {"run": self._job.run, "world": self._job.world, "shards": entries})
        rows = shards.values()
        # At the end of an attempt the program waits until its shard is durable; otherwise it is held up by the copy alone.
        pause_s = max(row["seconds"] + (row["write_s"] if row["waits"] else 0.0) for row in rows)
        measured = {"bytes": sum(row["bytes"] for row in rows), "write_s": max(row["write_s"] for row in rows), "pause_s": pause_s}
        self._ready.append((manifest, measured))
        self._commit_next()

    def _commit_next(self) -> None:
        """One at a time, in the order of steps: a commit also removes older shards that are not committed."""
        if self._ready and not self._committing:
            self._committing = True
            manifest, measured = self._ready.pop(0)
            self._background(lambda: self._commit(manifest), lambda answer: self._committed(manifest["step"], answer, measured))

    def _commit(self, manifest: Json) -> Json:
        directory = self._job.run_directory
        try:
            path = self._attempt.commit({**manifest, "ordinal": next_ordinal(directory)})
        except Fenced:
            return {"fenced": True}
        except OSError as cause:
            return {"why": str(cause)}
        try:
            prune(directory, self._choice.manifest if self._choice else None, self._job.retention)
        except OSError as cause:  # what could not be removed goes with the next checkpoint
            print(f"ironlaw: older checkpoints are not removed: {cause}", file=sys.stderr, flush=True)
        return {"manifest": self._relative(path)}

    def _committed(self, step: int, answer: Json, measured: Json) -> None:
        self._committing = False
        self._commit_next()
        if "why" in answer:
            self._give_up(step, answer)
            return
        self._forget(step)
        if "fenced" in answer:
            self._checkpoint("refused", step, measured)
            self.fenced()
            return
        self._committed_step = step
        self._checkpoint("committed", step, {**measured, **answer})
        self._tell({"kind": "committed", "step": step})

    def _give_up(self, step: int, detail: Json) -> None:
        """One shard that cannot be written costs the checkpoint. Training goes on; the next one is taken when it is due."""
        if step <= self._unsaved:
            return
        self._unsaved = step
        self._forget(step)
        self.note("checkpoint-failed", {"step": step, **detail})
        self._tell({"kind": "unsaved", "step": step})

    def _forget(self, step: int) -> None:
        if self._awaited is not None and self._awaited <= step:
            self._awaited = None
        for table in (self._saving, self._shards):
            for other in [other for other in table if other <= step]:
                del table[other]  # type: ignore[attr-defined]

    def is_committing(self) -> bool:
        """Whether a checkpoint is on its way that can still be whole: every rank has left its shard, and its holders are connected. A node
        without power closes no link, so an agent that has said nothing for seconds is not there either."""
        heard_since = time.monotonic() - PART_LIMIT_S
        there = {index for index, (at, _) in self._beats.items() if at >= heard_since} - self._unlinked

        def lost(step: int) -> bool:
            missing = set(range(self._job.world)) - set(self._shards.get(step, {}))
            return any(rank // self._job.processes not in there for rank in missing)

        return any(len(ranks) == self._job.world and not lost(step) for step, ranks in self._saving.items())

    def _checkpoint(self, state: str, step: int, details: Json) -> None:
        self._checkpoints.append({"state": state, "step": step, "attempt": self._job.attempt, "at": time.time(), **details})
        self.urgent = True

    # -- orders

    def preempt(self, why: str) -> None:
        if not self._preempting:
            self._preempting = True
            self.note("preempting", {"why": why})

    def fenced(self) -> None:
        self.note("fenced", {})
        self._tell({"kind": "stop", "code": FENCED})

    def answered(self, answer: Json) -> None:
        """The API's answer to a report."""
        every_s = answer.get("checkpoint_every_s")
        if isinstance(every_s, (int, float)) and every_s > 0:
            self._every_s = float(every_s)
        if answer.get("stop") == "preempt":
            self.preempt("asked by the control plane")
        elif answer.get("stop") == "fenced":
            self.fenced()

    # -- the report

    def note(self, kind: str, detail: Json) -> None:
        self._notes.append({"kind": kind, "at": time.time(), "detail": detail})
        self.urgent = True

    def report(self, everything: bool = False) -> Json:
        now = time.monotonic()
        steps = self._rows.take(now, everything)
        if self._rows.dropped:
            self.note("dropped", {"steps": self._rows.dropped})
            self._rows.dropped = 0
        content = {
            "beats": [{**beat, "age_s": round(beat["age_s"] + now - at, 3)} for at, beat in self._beats.values()],
            "exits": self._exits,
            "steps": steps,
            "checkpoints": self._checkpoints,
            "notes": self._notes,
        }
        self._exits, self._checkpoints, self._notes, self.urgent = [], [], [], False
        return content
