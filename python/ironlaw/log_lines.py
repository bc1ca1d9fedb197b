"""What programs say of themselves in their logs: steps with their loss by a pattern of the user's, and of Megatron-LM and torchtitan also
the degrees they run with.

Lines are theirs (megatron/training/training.py and arguments.py at d98e8a6; torchtitan 0.2.2 components/metrics.py, train.py and
distributed/parallel_dims.py). What is not recognised is passed over: a log is for people, and its form may change.
"""

from __future__ import annotations

import re
import signal
import sys
from dataclasses import dataclass
from typing import Callable, Dict, List, Mapping, Optional, Union


@dataclass(frozen=True)
class Step:
    step: int
    loss: Optional[float] = None
    gradient_norm: Optional[float] = None


Running = Dict[str, Union[int, str]]
Found = Union[Step, Running, None]
Reader = Callable[[str], Found]

# A line longer than this is no line of a log that we know.
LINE_LIMIT = 8192
# What the control plane takes for a step.
STEP_LIMIT = 2**31
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def _number(text: Optional[str]) -> Optional[float]:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _after(name: str, line: str) -> Optional[float]:
    found = re.search(re.escape(name) + r":\s*([-+0-9.eE]+|nan|inf|-inf)", line)
    return _number(found.group(1) if found else None)


_MEGATRON_STEP = re.compile(r"\biteration\s+(\d+)/\s*\d+ \|")
_MEGATRON_SIZES = (
    ("data", "data-parallel size"),
    ("context", "context-parallel size"),
    ("tensor", "tensor-model-parallel size"),
    ("pipeline", "pipeline-model-parallel size"),
)
_MEGATRON_ARGUMENT = re.compile(r"^\s*(\w+) \.{2,} (\S+)\s*$")
_MEGATRON_ARGUMENTS = {
    "micro_batch_size": "microbatch",
    "global_batch_size": "global_batch",
    "seq_length": "sequence",
    "expert_model_parallel_size": "expert",
}
_MEGATRON_TYPES = {"bf16": "bf16", "fp16": "fp16"}


def megatron(line: str) -> Found:
    step = _MEGATRON_STEP.search(line)
    if step:
        return Step(int(step.group(1)), _after("lm loss", line), _after("grad norm", line))
    if "using world size" in line:
        sizes = {field: re.search(rf"(?<![\w-]){name}: (\d+)", line) for field, name in _MEGATRON_SIZES}
        return {field: int(found.group(1)) for field, found in sizes.items() if found}
    argument = _MEGATRON_ARGUMENT.match(line)
    return _megatron_argument(*argument.groups()) if argument else None


def _megatron_argument(name: str, value: str) -> Found:
    if name in _MEGATRON_ARGUMENTS and value.isdigit() and int(value) > 0:
        return {_MEGATRON_ARGUMENTS[name]: int(value)}
    if name in _MEGATRON_TYPES and value == "True":
        return {"precision": _MEGATRON_TYPES[name]}
    if name == "fp8" and value in ("hybrid", "e4m3"):
        return {"precision": "fp8"}
    return None


_TITAN_MESH = re.compile(r"Building device mesh with parallelism: (.+)")
_TITAN_BATCH = re.compile(r"local batch size (\d+), global batch size (\d+), gradient accumulation steps (\d+), sequence length (\d+)")


def torchtitan(line: str) -> Found:
    line = _COLOURS.sub("", line)
    step = re.search(r"\bstep:\s*(\d+)\s+loss:", line)
    if step:
        return Step(int(step.group(1)), _after("loss", line), _after("grad_norm", line))
    mesh = _TITAN_MESH.search(line)
    if mesh:
        sizes = {name: int(size) for name, size in re.findall(r"(\w+)=(\d+)", mesh.group(1))}
        return _titan_degrees(sizes)
    batch = _TITAN_BATCH.search(line)
    if batch:
        return {"microbatch": int(batch.group(1)), "global_batch": int(batch.group(2)), "sequence": int(batch.group(4))}
    return None


def _titan_degrees(sizes: Mapping[str, int]) -> Running:
    data = sizes.get("dp_replicate", 1) * sizes.get("dp_shard", 1)
    names = {"tp": "tensor", "cp": "context", "pp": "pipeline", "ep": "expert"}
    found: Running = {field: sizes[name] for name, field in names.items() if sizes.get(name, 0) > 0}
    return {**found, "data": data} if data > 0 else found


FORMATS: Dict[str, Reader] = {"megatron": megatron, "torchtitan": torchtitan}

# A line is matched within microseconds; whatever takes this long backtracks, and the program waits for it with its next line.
MATCH_LIMIT_S = 0.05
# So often that may happen before the pattern is given up.
SLOW_LINES = 3


class TooSlow(Exception):
    pass


class Pattern:
    """Steps by a regular expression of the user's: groups `step`, `loss` and `gradient_norm`. Called from the main thread: a timer interrupts a
    match that takes too long (CPython looks for signals every 4,096 steps of a match)."""

    def __init__(self, text: str) -> None:
        # Python writes (?P<name>...) where others write (?<name>...).
        self._pattern = re.compile(re.sub(r"\(\?<(?![=!])", "(?P<", text))
        if "step" not in self._pattern.groupindex:
            raise re.error("it has no group named step")
        self._slow = 0

    def __call__(self, line: str) -> Found:
        if self._slow >= SLOW_LINES:
            return None
        try:
            found = self._search(_COLOURS.sub("", line))
        except TooSlow:
            self._slow += 1
            if self._slow == SLOW_LINES:
                print("ironlaw: the step pattern takes too long to match: steps are read no longer", file=sys.stderr, flush=True)
            return None
        return self._step(found.groupdict()) if found else None

    def _search(self, line: str) -> "Optional[re.Match[str]]":
        def interrupt(_number: int, _frame: object) -> None:
            raise TooSlow

        before = signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, MATCH_LIMIT_S)
        try:
            return self._pattern.search(line)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    @staticmethod
    def _step(groups: Mapping[str, Optional[str]]) -> Optional[Step]:
        step = _number((groups["step"] or "").replace(",", ""))
        if step is None or not (0 <= step < STEP_LIMIT):
            return None
        return Step(int(step), _number(groups.get("loss")), _number(groups.get("gradient_norm")))


class Lines:
    """Whole lines out of what a pipe brings in pieces; what never ends is cut."""

    def __init__(self) -> None:
        self._rest = b""

    def take(self, content: bytes) -> List[str]:
        # A progress bar goes back to the begin of its line.
        *lines, rest = (self._rest + content.replace(b"\r", b"\n")).split(b"\n")
        self._rest = rest[-LINE_LIMIT:]
        return [line[:LINE_LIMIT].decode("utf-8", "replace") for line in lines]
