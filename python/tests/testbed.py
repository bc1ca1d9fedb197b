"""The parts the tests run: a real HTTP server in place of the API, agents as real processes, small training programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

PACKAGE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE))  # the tests run from a checkout, nothing installed
TOKEN = "a-token-of-the-test"

PROGRAM = """
import json, os, sys, time
import ironlaw
seconds, total = float(sys.argv[1]), int(sys.argv[2])
run = ironlaw.attach()
checkpoint = run.resume()
state = json.loads(checkpoint.shard.read_bytes())['state'] if checkpoint else 1 + run.rank
print('resumed', checkpoint.step if checkpoint else 0, flush=True)
for step in run.steps(total):
    with run.phase('compute'):
        time.sleep(seconds)
        state = (state * 1103515245 + 12345) % 2**31
    run.step(step, tokens=8, loss=state / 2**31)
    if run.checkpoint_due():
        run.save(json.dumps({'state': state, 'pad': 'x' * 100000}).encode(), {'position': step * 8})
print('final', state, flush=True)
run.complete()
"""

WITH_BEAT = """
import runpy
import ironlaw.agent.node
ironlaw.agent.node.BEAT_S = {beat_s}
runpy.run_module('ironlaw.agent', run_name='__main__', alter_sys=True)
"""


class Api:
    """Remembers what arrived. `away` takes nothing, `loses_answers` takes everything and says nothing, `answer` is what reports get."""

    def __init__(self, port: int = 0) -> None:
        self.reports: List[Dict[str, Any]] = []
        self.received_at: List[float] = []
        self.logs: Dict[str, bytearray] = {}
        self.answer: Dict[str, Any] = {"checkpoint_every_s": None, "stop": None}
        self.away = False
        self.loses_answers = False
        self.status = 200
        self.judge: Callable[[Dict[str, Any]], int] = lambda report: self.status
        self.refused: List[Dict[str, Any]] = []
        self.retry_after: Optional[str] = None
        self.unauthorised = 0
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if api.away:
                    self.close_connection = True
                    self.connection.close()
                    return
                if api.loses_answers:
                    api.handle(self.path, body)
                    self.close_connection = True
                    self.connection.close()
                    return
                if self.headers["Authorization"] != f"Bearer {TOKEN}":
                    api.unauthorised += 1
                status, answer = api.handle(self.path, body)
                content = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                if api.retry_after is not None:
                    self.send_header("Retry-After", api.retry_after)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # type: ignore[method-assign]  # agents are killed in the middle of requests
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def handle(self, path: str, body: bytes) -> "tuple[int, Dict[str, Any]]":
        if "/logs?" in path:
            query = dict(part.split("=") for part in path.split("?")[1].split("&"))
            log = self.logs.setdefault(query["rank"], bytearray())
            if int(query["offset"]) <= len(log):
                log[int(query["offset"]) :] = body
            return 200, {"offset": len(log)}
        self.received_at.append(time.time())
        report = json.loads(body)
        status = self.judge(report)
        (self.refused if status >= 400 and status != 409 else self.reports).append(report)
        return status, self.answer if status == 200 else {"code": "IL_FENCED" if status == 409 else "IL_INVALID"}

    def all(self, part: str) -> List[Dict[str, Any]]:
        return [row for report in self.reports for row in report[part]]

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class RunDirectory:
    def __init__(self) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="ironlaw-test-")
        self.path = Path(self._temporary.name)
        (self.path / "token").write_text(TOKEN + "\n")
        (self.path / "train.py").write_text(PROGRAM)
        self.agents: List[subprocess.Popen[bytes]] = []
        self.beat_s: Optional[float] = None

    def agent(self, *program: str, attempt: int = 1, api: Optional[Api] = None, **names: object) -> "subprocess.Popen[bytes]":
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("IRONLAW_", "SLURM"))}
        environment.update(
            PYTHONPATH=str(PACKAGE),
            PYTHONDONTWRITEBYTECODE="1",
            IRONLAW_RUN="run-1",
            IRONLAW_ATTEMPT=str(attempt),
            IRONLAW_RUN_DIR=str(self.path),
            IRONLAW_HEAD="127.0.0.1",
            **{f"IRONLAW_{name.upper()}": str(value) for name, value in {"job": "job-1", **names}.items()},
        )
        if api is not None:
            environment["IRONLAW_API"] = api.url
        start = ["-m", "ironlaw.agent"] if self.beat_s is None else ["-c", WITH_BEAT.format(beat_s=self.beat_s)]
        command = [sys.executable, *start, "--", *(program or (str(self.path / "train.py"), "0.02", "50"))]
        process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
        self.agents.append(process)
        return process

    def train(self, seconds: float, steps: int, attempt: int = 1, api: Optional[Api] = None, **names: object) -> "subprocess.Popen[bytes]":
        return self.agent(str(self.path / "train.py"), str(seconds), str(steps), attempt=attempt, api=api, **names)

    def log(self, rank: int, attempt: int = 1) -> str:
        path = self.path / "attempts" / f"{attempt:04d}" / "logs" / f"rank-{rank:05d}.log"
        return path.read_text() if path.exists() else ""

    def close(self) -> None:
        for agent in self.agents:
            if agent.poll() is None:
                agent.kill()
            agent.wait()
            if agent.stderr:
                agent.stderr.close()
        self._temporary.cleanup()


def until(condition: Callable[[], object], limit_s: float = 15.0) -> None:
    limit = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > limit:
            raise AssertionError("did not happen in time")
        time.sleep(0.005)
