"""The shape of what a peer sends to the head. A peer speaks for its own node and ranks only.

Checked before anything of a message is used: half of a malformed message in the head's tables would break its next report.
"""

from __future__ import annotations

import math
from typing import Callable, Dict

from ironlaw.environment import Job
from ironlaw.storage import Json

Check = Callable[[object], bool]


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 2**53 and math.isfinite(value)


def _amount(value: object) -> bool:
    return _number(value) and value >= 0  # type: ignore[operator]


def _text(value: object) -> bool:
    return isinstance(value, str)


def _flag(value: object) -> bool:
    return isinstance(value, bool)


def _object(value: object) -> bool:
    return isinstance(value, dict)


def _rows(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(row, dict) for row in value)


def _whole_or_null(value: object) -> bool:
    return value is None or _whole(value)


def _any_number(value: object) -> bool:
    """A loss may be NaN."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


MESSAGES: Dict[str, Dict[str, Check]] = {
    "part": {"beat": _object, "rows": _rows, "exits": _rows, "notes": _rows},
    "shard": {
        "step": _whole,
        "rank": _whole,
        "file": _text,
        "bytes": _whole,
        "sha256": _text,
        "extra": lambda _: True,
        "tokens": _whole,
        "seconds": _amount,
        "write_s": _amount,
        "waits": _flag,
    },
    "saving": {"step": _whole, "rank": _whole},
    "unsaved": {"step": _whole, "rank": _whole, "why": _text},
    "verified": {"manifest": _text, "fault": _text},
    "answer": {"proposal": _whole, "ok": _flag},
    "preempt": {"why": _text},
    "done": {"code": _whole},
}
BEAT: Dict[str, Check] = {"node": _text, "index": _whole, "host": _text, "age_s": _amount, "ranks": _rows}
BEAT_RANK: Dict[str, Check] = {"rank": _whole, "step": _whole, "phase": _text, "phase_age_s": _amount, "alive": _flag}
ROW: Dict[str, Check] = {"rank": _whole, "step": _whole, "at": _amount, "seconds": _amount, "tokens": _whole, "phases_s": _object}
OPTIONAL_OF_BEAT_RANK: Dict[str, Check] = {"attached": _flag}
OPTIONAL_OF_EXIT: Dict[str, Check] = {"started": _flag}
OPTIONAL_OF_ROW: Dict[str, Check] = {"loss": _any_number, "gradient_norm": _any_number, "dropped": _whole}
EXIT: Dict[str, Check] = {
    "node": _text,
    "index": _whole,
    "rank": _whole,
    "code": _whole_or_null,
    "signal": _whole_or_null,
    "at": _amount,
    "tail": _text,
    "killed": _flag,
}
NOTE: Dict[str, Check] = {"kind": _text, "at": _amount, "detail": _object}


def _require(row: Json, fields: Dict[str, Check], what: str) -> None:
    for name, check in fields.items():
        if name not in row or not check(row[name]):
            raise ValueError(f"{what}: field {name} is missing or of another kind")


def _allow(row: Json, fields: Dict[str, Check], what: str) -> None:
    for name, check in fields.items():
        if name in row and not check(row[name]):
            raise ValueError(f"{what}: field {name} is of another kind")


def check_message(job: Job, index: int, message: Json) -> None:
    """Raises ValueError unless node `index` may send this."""
    kind = message.get("kind")
    if not isinstance(kind, str) or kind not in MESSAGES:
        raise ValueError("a message of unknown kind")
    _require(message, MESSAGES[kind], kind)
    own = range(index * job.processes, (index + 1) * job.processes)
    if kind in ("shard", "saving", "unsaved") and message["rank"] not in own:
        raise ValueError(f"a shard of rank {message['rank']}, which node {index} does not run")
    if kind == "part":
        _check_part(index, own, message)


def _check_part(index: int, own: range, message: Json) -> None:
    beat = message["beat"]
    _require(beat, BEAT, "beat")
    for row in beat["ranks"]:
        _require(row, BEAT_RANK, "rank of a beat")
        _allow(row, OPTIONAL_OF_BEAT_RANK, "rank of a beat")
    for row in message["rows"]:
        _require(row, ROW, "step row")
        _allow(row, OPTIONAL_OF_ROW, "step row")
        if not all(_amount(value) for value in row["phases_s"].values()):
            raise ValueError("step row: a phase is no amount of time")
    for row in message["exits"]:
        _require(row, EXIT, "exit")
        _allow(row, OPTIONAL_OF_EXIT, "exit")
    for row in message["notes"]:
        _require(row, NOTE, "note")
    indexes = [beat["index"], *(row["index"] for row in message["exits"])]
    ranks = [row["rank"] for rows in (beat["ranks"], message["rows"], message["exits"]) for row in rows]
    if any(other != index for other in indexes) or any(rank not in own for rank in ranks):
        raise ValueError(f"node {index} speaks of another node or of ranks that it does not run")
