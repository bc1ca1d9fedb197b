"""Makes a replica of an engine that knows nothing of Ironlaw: gives it an address, waits until it is healthy, and announces it.

    python3 -m ironlaw.replica -- vllm serve MODEL --served-model-name chat

`--host` and `--port` go behind the command; where the command has {host} or {port} in it, they go there instead. Engines with GET /health
are vLLM, SGLang, llama.cpp's server and TGI.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import List, Mapping, Optional, Sequence

from ironlaw.agent.rendezvous import free_port
from ironlaw.secret_files import read_secrets

LOOK_S = 0.2
HEALTH_LIMIT_S = 5.0
RETRY_S = 1.0
UNRESOLVED = 68  # EX_NOHOST
_PR_SET_PDEATHSIG = 1


def addressed(command: Sequence[str], host: str, port: int) -> List[str]:
    words = [word.replace("{host}", host).replace("{port}", str(port)) for word in command]
    return words if words != list(command) else [*words, "--host", host, "--port", str(port)]


def is_healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=HEALTH_LIMIT_S) as answer:
            return bool(200 <= answer.status < 300)
    except (urllib.error.URLError, OSError):
        return False


def announce(file: Path, url: str, token: Optional[str]) -> None:
    """Atomic: written to a temporary file next to it and renamed."""
    beside = file.with_name(f"{file.name}.{os.getpid()}")
    beside.write_text("\n".join([url, *([token] if token else [])]) + "\n")
    os.replace(beside, file)


def is_announced(file: Path, url: str, token: Optional[str]) -> bool:
    """Storage that is away or full costs no engine that took minutes to load: it is tried again."""
    try:
        announce(file, url, token)
    except OSError as cause:
        print(f"ironlaw: cannot announce {url}, and tries again: {cause}", file=sys.stderr, flush=True)
        return False
    print(f"ironlaw: serves at {url}", file=sys.stderr, flush=True)
    return True


def started(command: Sequence[str], environment: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    """It dies with this process, however that ends: no other process knows of it."""
    libc = ctypes.CDLL(None)
    return subprocess.Popen(command, env=environment, preexec_fn=lambda: libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL))


def serve(command: Sequence[str], host: str, health: str, environment: Mapping[str, str]) -> int:
    try:
        address = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0]
    except OSError as cause:
        print(f"ironlaw: {host} does not resolve ({cause}); name this node as gateways reach it: --host", file=sys.stderr, flush=True)
        return UNRESOLVED
    port = free_port()
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    engine = started(addressed(command, str(address), port), {**environment, **read_secrets(environment)})
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda caught, _: engine.send_signal(caught))
    while engine.poll() is None and not is_healthy(url + health):
        time.sleep(LOOK_S)
    file, token = Path(environment["IRONLAW_ENDPOINT_FILE"]), environment.get("IRONLAW_REPLICA_TOKEN")
    while engine.poll() is None and not is_announced(file, url, token):
        time.sleep(RETRY_S)
    code = engine.wait()
    return code if code >= 0 else 128 - code


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m ironlaw.replica", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", help="name or address of this node, as the control plane and gateways reach it")
    parser.add_argument("--health", default="/health", help="path that answers 200 when the engine is warm (default: /health)")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND ...", help="the engine")
    options = parser.parse_args()
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        parser.error("which engine? put its command behind --")
    if "IRONLAW_ENDPOINT_FILE" not in os.environ:
        parser.error("IRONLAW_ENDPOINT_FILE is not set: this runs as the program of a deployment (ironlaw apply)")
    return serve(command, options.host or os.environ.get("SLURMD_NODENAME") or "127.0.0.1", options.health, os.environ)


if __name__ == "__main__":
    sys.exit(main())
