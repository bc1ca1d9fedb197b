"""Writes checkpoints until it is killed: the victim of the test that kills it."""

import sys
from pathlib import Path

from ironlaw.retention import prune
from ironlaw.storage import Attempt, manifest_of

attempt = Attempt(Path(sys.argv[1]), int(sys.argv[2]))
attempt.begin()
print("ready", flush=True)
step = 0
while True:
    step += 1
    shards = [attempt.write_shard(step, rank, bytes([rank]) * 300_000) for rank in range(3)]
    attempt.commit(manifest_of(attempt, step, {"run": "r", "world": 3, "shards": shards}))
    prune(attempt.run_directory, None)
