"""A program that cannot be changed as a rank of a run: `python3 -m ironlaw.watch_log --format megatron -- pretrain_gpt.py ...`,
or with `--pattern` for the lines of any other.

Starts the program, passes on what it prints, and reports the steps and degrees that its log contains. Checkpoints stay the program's own.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import signal
import subprocess
import sys
from typing import Any, Dict, List, Sequence

from ironlaw.integrations.share import join
from ironlaw.log_lines import FORMATS, Lines, Pattern, Reader, Step
from ironlaw.run import Run

_PR_SET_PDEATHSIG = 1
_PIECE = 64 * 1024


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m ironlaw.watch_log", description=__doc__)
    lines = parser.add_mutually_exclusive_group(required=True)
    lines.add_argument("--format", choices=sorted(FORMATS), help="whose log lines to read")
    lines.add_argument("--pattern", help="regular expression that finds steps: groups step, loss and gradient_norm")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="behind --: the command; a first word ending in .py runs under Python")
    options = parser.parse_args(words)
    program = options.program[1:] if options.program[:1] == ["--"] else options.program
    if not program:
        parser.error("the command is missing: put it behind --")
    try:
        reader = FORMATS[options.format] if options.format else Pattern(options.pattern)
    except re.error as cause:
        parser.error(f"the step pattern is no regular expression of Python's: {cause}")
    run = join()
    child = start(program)
    last = watch(run, child, reader)
    code = child.wait()
    if code == 0 and options.format:
        # One rank logs for all, and it need not be the one that says that the run is complete.
        run.complete(last or (run.plan.steps if run.plan else None))
    # A job is over when each of its processes is: rank 0 does not speak for the others.
    return code if code >= 0 else 128 - code


def start(program: Sequence[str]) -> "subprocess.Popen[bytes]":
    """Dies with us, and does not speak to our agent by itself: two would count every step twice."""
    libc = ctypes.CDLL(None)
    command: List[str] = [sys.executable, *program] if program[0].endswith(".py") else list(program)
    environment = {name: value for name, value in os.environ.items() if name != "IRONLAW_CHANNEL"}

    def prepare() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        for number in (signal.SIGTERM, signal.SIGUSR1):
            signal.signal(number, signal.SIG_DFL)

    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=prepare)


def watch(run: Run, child: "subprocess.Popen[bytes]", read: Reader) -> int:
    """Until it closes its output; the last step in its log."""
    lines = Lines()
    running: Dict[str, Any] = {}
    last = 0
    assert child.stdout is not None
    while True:
        content = os.read(child.stdout.fileno(), _PIECE)
        if not content:
            return last
        _pass_on(content)
        for line in lines.take(content):
            found = read(line)
            if isinstance(found, Step):
                last = found.step
                # One rank logs for all: the tokens of the step are counted with its row.
                tokens = running.get("global_batch", 0) * running.get("sequence", 0)
                run.step(found.step, tokens=tokens, loss=found.loss, gradient_norm=found.gradient_norm)
            elif found and found.items() - running.items():
                running.update(found)
                run.running_with(**running)


def _pass_on(content: bytes) -> None:
    while content:
        content = content[os.write(sys.stdout.fileno(), content) :]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
