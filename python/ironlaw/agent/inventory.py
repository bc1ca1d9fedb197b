"""What the program of an attempt runs in on this node: image, interpreter with its packages, system, accelerators. No value of an environment variable
is part of it except the image's name, which is there to be told."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, Dict, List, Optional, Sequence

from ironlaw.environment import Job
from ironlaw.storage import Json

LIMIT_S = 30.0
# A program may end before it is known what it ran in.
SETTLE_S = 2.0
# A program may say again and again under which interpreter it runs.
MOST_LOOKS = 4
MOST_PACKAGES = 5000
_IMAGE = re.compile(r"\w[\w./:-]{0,250}@sha256:[0-9a-f]{64}")
_PYTHON = re.compile(r"(.*/)?python[\d.]*")
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,127}")

# Runs in the program's interpreter, whatever its version; packages are read from where it would import them, and nothing of theirs is imported.
_LIST_PACKAGES = r"""
import sys
sys.path[:] = [each for each in sys.path if each]
import json, os, platform, re
from importlib import metadata, util
def version(each):
    try:
        url = json.loads(each.read_text("direct_url.json") or "{}")
    except ValueError:
        url = {}
    commit = url.get("vcs_info", {}).get("commit_id")
    return each.version + (" at " + commit if commit else " editable" if url.get("dir_info", {}).get("editable") else "")
packages = {}
for each in metadata.distributions():
    try:
        packages.setdefault(each.metadata["Name"], version(each))
    except Exception:
        pass
def torch():
    found = util.find_spec("torch")
    path = os.path.join(os.path.dirname(found.origin), "version.py") if found and found.origin else ""
    text = open(path, encoding="utf-8").read() if os.path.isfile(path) else ""
    told = {name: value for name, value in re.findall(r"^(\w+)\b[^=\n]*= '([^']+)'", text, re.M)}
    parts = [told.get("__version__") or packages.get("torch"), *(name + " " + told[name] for name in ("cuda", "hip") if name in told)]
    return ", ".join(part for part in parts if part) or None
python = platform.python_implementation() + " " + platform.python_version()
print(json.dumps({"python": python, "torch": torch(), "packages": packages}))
"""


class Inventory:
    """Looks in the background, when the ranks are started and again when the program turns out to run under another interpreter."""

    def __init__(self, job: Job, background: Callable[..., None], report: Callable[[Json], None]) -> None:
        self._job, self._background, self._report = job, background, report
        self._interpreter: Optional[str] = None
        self._looks = self._done = 0

    def settle(self, turn: Callable[[], None]) -> None:
        limit = time.monotonic() + SETTLE_S
        while self._done < self._looks and time.monotonic() < limit:
            turn()

    def start(self, program: Sequence[str]) -> None:
        if self._job.api is not None and not self._job.check:
            self._interpreter = interpreter_of(program)
            self._look()

    def attached(self, executable: object) -> None:
        """The program says where it runs: what its words let expect may be wrong."""
        if isinstance(executable, str) and executable != self._interpreter and 0 < self._looks < MOST_LOOKS:
            self._interpreter = executable
            self._look()

    def _look(self) -> None:
        self._looks += 1
        interpreter, number = self._interpreter, self._looks
        self._background(lambda: found(interpreter), lambda facts: self._found(number, facts), lambda: self._found(number, None))

    def _found(self, number: int, facts: Optional[Json]) -> None:
        self._done += 1
        if facts is None or number < self._looks:
            return  # a later look replaces it
        packages = facts.pop("packages", None)
        if packages is not None:
            facts["packages_digest"] = digest_of(packages)
            # Every node looks, one sends the list.
            if self._job.is_head:
                facts["packages"] = packages
        self._report({"index": self._job.index, "node": self._job.node, **facts})


def interpreter_of(program: Sequence[str]) -> Optional[str]:
    """The interpreter of Python that a command starts, as far as its words say."""
    words = list(program)
    if words[0].endswith(".py"):
        return sys.executable
    if os.path.basename(words[0]) in ("sh", "bash") and "-c" in words[:-1]:
        try:
            words = shlex.split(words[words.index("-c") + 1])
        except ValueError:
            return None
    return next((interpreter for interpreter in map(_interpreter, words) if interpreter), None)


def _interpreter(word: str) -> Optional[str]:
    path = shutil.which(word)
    if path is None:
        return None
    if _PYTHON.fullmatch(word):
        return path
    try:
        with open(path, "rb") as file:
            first = file.readline(256).decode("utf-8", "replace")
    except OSError:
        return None
    words = first[2:].split() if first.startswith("#!") else []
    named = words[1:2] if words and os.path.basename(words[0]) == "env" else words[:1]
    return shutil.which(named[0]) if named and _PYTHON.fullmatch(named[0]) else None


def found(interpreter: Optional[str]) -> Json:
    facts = {**_system(), **(_python(interpreter) if interpreter else {})}
    image = os.environ.get("IRONLAW_IMAGE", "")
    if _IMAGE.fullmatch(image):
        facts["image"] = image
    return {name: value for name, value in facts.items() if value}


def _python(interpreter: str) -> Json:
    try:
        answer = subprocess.run(
            [interpreter, "-c", _LIST_PACKAGES], stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S, check=True
        )
        told = json.loads(answer.stdout)
        return {"python": _line(told["python"], 60), "torch": _line(told["torch"]), "packages": _packages(told["packages"])}
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError) as cause:
        why = f"status {cause.returncode}" if isinstance(cause, subprocess.CalledProcessError) else type(cause).__name__
        print(f"ironlaw: the packages of {interpreter} are not known: {why}", file=sys.stderr, flush=True)
        return {}


def _packages(told: Dict[str, str]) -> Dict[str, str]:
    """Names as pip compares them."""
    named = {re.sub(r"[-_.]+", "-", name).lower(): _line(version, 200) for name, version in sorted(told.items()) if isinstance(name, str)}
    return {name: version for name, version in list(named.items())[:MOST_PACKAGES] if version and _NAME.fullmatch(name)}


def digest_of(packages: Dict[str, str]) -> str:
    """As `packagesDigest` of packages/pure/contracts computes it."""
    return hashlib.sha256(json.dumps(packages, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()).hexdigest()


def _line(text: object, most: int = 120) -> Optional[str]:
    return re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]+", " ", text).strip()[:most] or None if isinstance(text, str) else None


def _system() -> Json:
    release = dict(re.findall(r'^(\w+)="?([^"\n]*)', _text("/etc/os-release"), re.M))
    models = re.findall(r"^model name\s*: (.*)$", _text("/proc/cpuinfo"), re.M)
    driver = re.search(r"Kernel Module\D*([\d.]+)", _text("/proc/driver/nvidia/version"))
    return {
        "system": _line(release.get("PRETTY_NAME")),
        "kernel": _line(f"{platform.system()} {platform.release()} {platform.machine()}"),
        "processor": _line(models[0] if models else platform.processor()),
        "accelerators": _accelerators(),
        "driver": _line(driver[1] if driver else _text("/sys/module/amdgpu/version")),
    }


def _accelerators() -> List[str]:
    nvidia = (re.search(r"^Model:\s*(.*)$", _text(path), re.M) for path in sorted(glob.glob("/proc/driver/nvidia/gpus/*/information")))
    amd = (_text(path) for path in sorted(glob.glob("/sys/class/drm/card*/device/product_name")))
    named = [*(found[1] for found in nvidia if found), *amd]
    return [line for line in (_line(name) for name in named[:64]) if line]


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
