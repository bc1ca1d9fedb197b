"""Command line of the agent."""

from __future__ import annotations

import os
import sys

from ironlaw.agent.member import Member
from ironlaw.agent.node import Node
from ironlaw.environment import FENCED, TAKEN, Job, Place
from ironlaw.storage import Fenced, Taken


def main() -> int:
    program = sys.argv[1:]
    if program[:1] == ["--"]:
        program = program[1:]
    if not program:
        print("usage: python3 -m ironlaw.agent -- PROGRAM ARGS...", file=sys.stderr)
        return 64
    job, place = Job.read(os.environ), Place.read(os.environ)
    if place is not None:
        return Member(place, job, program).run()
    try:
        return Node(job, program).run()
    except Taken as cause:
        print(f"ironlaw: attempt {job.attempt} of {job.run} belongs to job {cause}; this one leaves", file=sys.stderr)
        return TAKEN
    except Fenced:
        print(f"ironlaw: a later attempt than {job.attempt} of {job.run} exists; this one leaves", file=sys.stderr)
        return FENCED


if __name__ == "__main__":
    sys.exit(main())
