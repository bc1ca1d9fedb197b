"""The plan of a run as its program sees it: the strategy that was priced, from the environment that `ironlaw apply` sets."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Mapping, Optional, Union

# What a program may say it runs with: the fields of `Running` in the control plane's contracts, by their names in Python.
RUNNING = {
    "tensor": "tensor",
    "context": "context",
    "pipeline": "pipeline",
    "expert": "expert",
    "data": "data",
    "microbatch": "microbatch",
    "global_batch": "globalBatch",
    "sequence": "sequence",
    "precision": "precision",
    "shards": "shards",
    "recompute": "recompute",
}
Said = Mapping[str, Union[int, str]]


@dataclass(frozen=True)
class Plan:
    """Degrees multiply to the number of ranks; a rank computes `microbatch` sequences at once, `accumulation` times a step."""

    id: str
    tensor: int = 1
    sequence_parallel: bool = False
    context: int = 1
    context_by: str = "ring"
    pipeline: int = 1
    virtual: int = 1
    schedule: str = "1f1b"
    expert: int = 1
    data: int = 1
    shards: str = "nothing"
    shard_group: Optional[int] = None
    microbatch: int = 1
    accumulation: int = 1
    global_batch: int = 1
    sequence: int = 0
    steps: int = 0
    recompute: str = "none"
    optimizer_on: str = "device"
    precision: str = "bf16-mixed"
    method: str = "next-token"
    packed: bool = False

    @staticmethod
    def read(environment: Mapping[str, str]) -> Optional["Plan"]:
        """None outside of a run that follows a plan."""
        text = environment.get("IRONLAW_STRATEGY")
        if not text:
            return None
        given = json.loads(text)
        known = {_camel(each.name): each.name for each in fields(Plan) if each.name != "id"}
        return Plan(id=given["plan"], **{known[name]: value for name, value in given.items() if name in known})


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def said(running: Mapping[str, object]) -> Said:
    """As it is reported; what is None is not said."""
    unknown = sorted(set(running) - set(RUNNING))
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: not something a plan decides; known are {', '.join(RUNNING)}")
    checked = {RUNNING[name]: _checked(name, value) for name, value in running.items() if value is not None}
    return checked


def _checked(name: str, value: object) -> Union[int, str]:
    if name in ("precision", "shards", "recompute"):
        return str(value)[:40]
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{name} = {value!r}: expected a whole number from 1 on")
    return value
