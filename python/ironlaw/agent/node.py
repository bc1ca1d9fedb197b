"""The loop of an agent: its ranks, the link to the head (or, on node 0, the head itself with its links), signals and time.

One thread runs the loop (loop.py) and never blocks; slow storage work and HTTP have threads of their own and call back.
"""

from __future__ import annotations

import json
import os
import secrets
import selectors
import signal
import socket
import sys
import time
from typing import Any, Callable, Dict, List, Optional, Sequence

from ironlaw.agent import ranks as processes
from ironlaw.agent.head import Head, vanished
from ironlaw.agent.inventory import Inventory
from ironlaw.agent.link import Link, parse_line
from ironlaw.agent.listener import PeerListener
from ironlaw.agent.local_copies import LocalCopies
from ironlaw.agent.logs import LogShipper
from ironlaw.agent.loop import Loop, Timers
from ironlaw.agent.outbox import Outbox
from ironlaw.agent.ranks import Rank
from ironlaw.agent.rendezvous import Rendezvous, free_port
from ironlaw.agent.roles import Lingering, Superior
from ironlaw.agent.saving import Saving
from ironlaw.agent.sealed import seal
from ironlaw.board import Board
from ironlaw.environment import FENCED, MESSAGE_BYTES, PREEMPTED, Job
from ironlaw.storage import Attempt, Json

BEAT_S = 1.0
PART_S = 0.25  # how often an agent tells the head
DECIDE_S = 0.1  # how often the head looks whether a checkpoint is due
RELINK_S = 5.0  # a connect to a lost host blocks the loop for up to a second
LINK_FINISH_S = 3.0
FLUSH_S = 10.0
FLUSH_FAILED_S = 3.0
PEERS_LIMIT_S = 60.0
SAVING_FAILED_S = 45.0  # below firstReport_s of packages/pure/policies/src/run/limits.ts


class Node:
    """One attempt on this node. Without a superior it is the only one, and the agent ends with it."""

    def __init__(self, job: Job, program: Sequence[str], superior: Optional[Superior] = None) -> None:
        self._job, self._program, self._superior = job, program, superior
        self._loop = Loop()
        self._attempt = Attempt(job.run_directory, job.attempt)
        self._board = Board.create(job.processes)
        self._copies = LocalCopies(job)
        self._saving = Saving(self._attempt, self._copies, self._board, self._loop.background, self._to_head)
        self._ranks: List[Rank] = []
        self._head: Optional[Head] = None
        self._listener: Optional[PeerListener] = None
        self._link: Optional[Link] = None
        self._peers: Dict[int, Link] = {}
        self._outbox: Optional[Outbox] = None
        self._shipper: Optional[LogShipper] = None
        self._resume: Optional[Json] = None
        self._rows: List[Json] = []
        self._exits: List[Json] = []
        self._all_exits: List[Json] = []
        self._notes: List[Json] = []
        self._code: Optional[int] = None
        self._alone = False
        self._timers = Timers()
        self._inventory = Inventory(job, self._loop.background, lambda found: self._note("environment", found))

    # -- life

    def run(self) -> int:
        self._loop.catch_signals(self._preempt)
        rendezvous = self._begin_head() if self._job.is_head else Rendezvous.wait(self._attempt, self._job.owner, self._is_superseded)
        self._rendezvous = rendezvous
        names = {"MASTER_ADDR": rendezvous.address, "MASTER_PORT": str(rendezvous.master_port)}
        self._ranks = processes.spawn(self._job, self._program, names, self._board)
        for rank in self._ranks:
            self._loop.selector.register(rank.channel, selectors.EVENT_READ, lambda rank=rank: self._rank_says(rank))
        self._note("started", {"ranks": [rank.rank for rank in self._ranks]})
        self._inventory.start(self._program)
        shipper = self._start_threads()
        if self._head and not self._job.check:
            self._head.begin()
        while any(rank.alive for rank in self._ranks):
            self._turn()
            if self._is_superseded():
                self._told({"kind": "stop", "code": FENCED})
        code = self._status()
        if code == 0:
            self._inventory.settle(self._turn)
        if self._superior:
            self._superior.finishing(self._job.attempt)
        self._finish(code, shipper)
        if code == 0:
            self._copies.remove()
        return code

    def close(self) -> List[Lingering]:
        """Lets go of everything, ranks first; returns what still sends."""
        processes.end(self._ranks)
        self._loop.close()
        os.close(self._board.descriptor)
        return [each for each in (self._outbox, self._shipper) if each]

    def _is_superseded(self) -> bool:
        return self._superior is not None and self._superior.is_superseded(self._job.attempt)

    def _begin_head(self) -> Rendezvous:
        self._attempt.claim(self._job.owner)
        self._attempt.begin()
        self._head = Head(self._job, self._attempt, self._tell, self._background)
        listener = PeerListener(self._job, self._loop.selector, self._peer_joined, self._head.receive, self._peer_left)
        secret = secrets.token_hex(16)
        rendezvous = Rendezvous(self._job.owner, self._job.node, listener.address, listener.port, free_port(), secret, listener.is_sealed)
        listener.open(secret)
        rendezvous.publish(self._attempt)
        self._listener = listener
        return rendezvous

    def _start_threads(self) -> Optional[LogShipper]:
        if self._job.api is None:
            return None
        self._outbox = Outbox(self._job, lambda answer: self._loop.call(lambda: self._answered(answer)))
        self._outbox.start()
        self._shipper = shipper = LogShipper(self._job, {rank.rank: rank.log for rank in self._ranks})
        shipper.start()
        return shipper

    def _status(self) -> int:
        if self._code is not None:
            return self._code
        return PREEMPTED if any(rank.code == PREEMPTED for rank in self._ranks) else 0

    def _finish(self, code: int, shipper: Optional[LogShipper]) -> None:
        if not self._head and self._link is None and not self._alone:
            self._connect()
        self._tell_head_now()  # before the goodbye: the head stops listening once everybody has said it
        failed = code not in (0, PREEMPTED)
        saved_by = time.monotonic() + (SAVING_FAILED_S if failed else PEERS_LIMIT_S)
        self._finish_saving(saved_by)
        self._to_head({"kind": "done", "code": code})
        limit = time.monotonic() + (FLUSH_FAILED_S if failed else PEERS_LIMIT_S)
        # A peer's last shard or exit may still be on its way to the head, or the peer itself: a short program can end before its link.
        while self._head and time.monotonic() < limit and self._head.lacks_goodbyes(self._peers):
            if self._is_superseded():
                break
            self._turn()
        self._finish_saving(saved_by)  # a peer's last shard may have come just before its goodbye
        if self._head and failed:
            self._head.missing()
        if self._link and not self._link.closed:
            self._link.finish(LINK_FINISH_S)
        flush_s = FLUSH_FAILED_S if failed else FLUSH_S
        if self._outbox:
            if self._head:
                self._outbox.put(self._head.report(everything=True))
            else:
                self._report()
        for sender in (self._outbox, shipper):
            if sender and self._superior:
                sender.close()  # it goes on by itself: the next attempt does not wait for it
            elif sender:
                sender.finish(flush_s)

    def _finish_saving(self, limit: float) -> None:
        """What ranks have left to us is committed although they are gone, also while a later attempt waits for this agent. An attempt that
        failed waits for it no longer than the control plane waits for the first report of the next one."""
        while time.monotonic() < limit and (self._head.is_committing() if self._head else self._saving.pending and self._link is not None):
            self._turn()

    # -- one turn of the loop

    def _turn(self) -> None:
        self._loop.turn(DECIDE_S)
        for rank in processes.reap(self._ranks):
            self._ended(rank)
        now = time.monotonic()
        if self._timers.due("part", PART_S, now):
            self._tell_head_now()
        if self._head and self._timers.due("decide", DECIDE_S, now):
            self._head.tick(self._board.furthest(), 1 + len(self._peers))
        if self._listener:
            self._listener.close_late()
        if not self._head and self._link is None and self._timers.due("link", RELINK_S, now):
            self._connect()
        if self._outbox and ((self._head and self._head.urgent) or self._timers.due("beat", BEAT_S, now)):
            self._report()

    def _report(self) -> None:
        if self._outbox is None:
            return
        if self._head:
            self._outbox.put(self._head.report())
        elif self._alone:
            content = {"beats": [self._beat()], "exits": self._exits, "steps": [], "checkpoints": [], "notes": self._notes}
            self._exits, self._notes = [], []
            self._outbox.put(content)

    # -- ranks

    def _rank_says(self, rank: Rank) -> None:
        while True:
            try:
                content = rank.channel.recv(2 * MESSAGE_BYTES)
            except BlockingIOError:
                return
            except OSError:
                content = b""
            if not content:
                self._loop.selector.unregister(rank.channel)
                rank.channel.close()
                return
            try:
                self._handle(rank, parse_line(content))
            except Exception as cause:  # the program wrote to our channel by itself: its message is lost, the run goes on
                print(f"ironlaw: rank {rank.rank} sent what is no message: {cause}"[:300], file=sys.stderr, flush=True)

    def _handle(self, rank: Rank, message: Json) -> None:
        kind = message.pop("kind")
        if kind == "step":
            self._rows.append({"rank": rank.rank, **message})
        elif kind == "staged":
            self._saving.take(self._ranks.index(rank), rank, message)
        elif kind == "shard":
            self._saving.tell_head({"kind": "shard", **message, "rank": rank.rank})
        elif kind == "resume?":
            rank.resume_asked = True
            self._answer_resume()
        elif kind == "attached":
            rank.attached = True
            self._note("attached", {"rank": rank.rank})
            self._inventory.attached(message.get("executable"))
        elif kind == "strategy" and processes.is_news(rank, message["running"]):
            self._note("strategy", {"rank": rank.rank, **message["running"]})
        elif kind == "reading" and self._job.check:
            self._note("reading", {"rank": rank.rank, **message["rates"]})
        elif kind == "completed" and not self._job.check:
            self._note("completed", message["record"])

    def _answer_resume(self) -> None:
        if self._resume is None:
            return
        for rank in self._ranks:
            if rank.resume_asked and rank.alive:
                rank.resume_asked = False
                try:
                    rank.channel.send(json.dumps({**self._resume, "local": self._copies.of(rank.rank, self._resume["manifest"])}).encode())
                except OSError:
                    pass  # it died meanwhile; its exit is reported on its own

    def _ended(self, rank: Rank) -> None:
        if rank.channel.fileno() >= 0:
            self._rank_says(rank)
        row = processes.exit_row(self._job, rank)
        self._exits.append(row)
        self._all_exits.append(row)
        if rank.killed:
            return  # our own doing: it says that the rank is gone, not why
        if rank.code not in (0, PREEMPTED) and self._code is None:
            self._code = processes.status_of(rank.code or 0)
            processes.kill(self._ranks)
            if self._alone:
                self._exits += vanished(self._rendezvous.node, 0, list(range(self._job.processes)))
        self._tell_head_now()
        if self._alone:
            self._report()

    # -- the head, here or elsewhere

    def _beat(self) -> Json:
        rows = []
        for slot, rank in enumerate(self._ranks):
            step, phase, age_s = self._board.sight(slot)
            seen = {"step": step, "phase": phase, "phase_age_s": round(age_s, 3), "alive": rank.alive, "attached": rank.attached}
            rows.append({"rank": rank.rank, **seen})
        return {"node": self._job.node, "index": self._job.index, "host": socket.gethostname(), "age_s": 0.0, "ranks": rows}

    def _note(self, kind: str, detail: Json) -> None:
        self._notes.append({"kind": kind, "at": time.time(), "detail": detail})

    def _tell_head_now(self) -> None:
        if self._head is None and self._link is None:
            self._rows = []  # nobody to merge them; the exits and notes stay for our own report
            return
        part = {"kind": "part", "beat": self._beat(), "rows": self._rows, "exits": self._exits, "notes": self._notes}
        self._rows, self._exits, self._notes = [], [], []
        self._to_head(part)

    def _to_head(self, message: Json) -> None:
        if self._head:
            self._head.receive(0, message)
        elif self._link:
            self._link.send(message)

    def _tell(self, message: Json) -> None:
        """From the head to every agent, this one last: a peer's board is ready before our own ranks move on."""
        for link in list(self._peers.values()):
            link.send(message)
        self._told(message)

    def _told(self, message: Json) -> None:
        kind = message.get("kind")
        if kind == "propose":
            agreed = self._board.propose(message["proposal"])
            self._to_head({"kind": "answer", "proposal": message["proposal"], "ok": agreed})
        elif kind == "verdict":
            self._board.decide(message["value"])
        elif kind == "committed":
            self._saving.settle(message["step"])
            self._board.announce_committed(message["step"])
            self._background(lambda: self._copies.forget_before(self._job.attempt, message["step"]), lambda _: None)
        elif kind == "unsaved":
            self._saving.settle(message["step"])
            self._board.announce_unsaved(message["step"])
        elif kind == "verify":
            self._verify(message["manifest"])
        elif kind == "resume":
            self._resume = {"manifest": message["manifest"]}
            self._answer_resume()
        elif kind == "stop":
            if self._code is None:
                self._code = message["code"]
            processes.kill(self._ranks)

    def _verify(self, manifest: str) -> None:
        def answer(fault: str) -> None:
            self._to_head({"kind": "verified", "manifest": manifest, "fault": fault})

        self._background(lambda: self._copies.fault_of(self._job.run_directory / manifest), answer)

    def _peer_joined(self, link: Link) -> None:
        assert link.index is not None
        self._peers[link.index] = link
        for message in self._head.greet(link.index) if self._head else []:
            link.send(message)

    def _peer_left(self, link: Link) -> None:
        if link.index is not None and self._peers.get(link.index) is link:
            del self._peers[link.index]  # its ranks may live; its beats grow old in the reports and the control plane decides
            if self._head:
                self._head.unlinked(link.index)

    def _connect(self) -> None:
        try:
            connection = socket.create_connection((self._rendezvous.address, self._rendezvous.port), timeout=1.0)
        except OSError:
            self._head_unreachable()
            return
        self._link = Link(connection, sealed=seal(self._job.run_directory, server_side=False) if self._rendezvous.sealed else None)
        self._alone = False
        self._loop.selector.register(connection, selectors.EVENT_READ, self._head_says)
        self._link.send({"index": self._job.index, "secret": self._rendezvous.secret})
        self._saving.tell_again()

    def _head_says(self) -> None:
        link = self._link
        if link is None:
            return
        descriptor = link.socket
        for message in link.receive():
            try:
                self._told(message)
            except Exception as cause:  # whatever the other side sends ends the link, never this agent
                link.refuse(f"{type(cause).__name__}: {cause}")
                break
        if link.closed:
            if link.fault:
                print(f"ironlaw: closed the link to the head: {link.fault[:200]}", file=sys.stderr, flush=True)
            self._loop.selector.unregister(descriptor)
            self._link = None
            self._head_unreachable()

    def _head_unreachable(self) -> None:
        if not self._alone:
            self._alone = True
            self._exits = list(self._all_exits)  # the last ones may have been lost with the link
            self._note("head-unreachable", {"address": self._rendezvous.address})
            self._report()

    # -- the outside

    def _answered(self, answer: Json) -> None:
        if self._head:
            self._head.answered(answer)
        elif answer.get("stop") == "fenced":
            self._told({"kind": "stop", "code": FENCED})

    def _preempt(self, number: int) -> None:
        why = signal.Signals(number).name
        if self._superior:
            self._superior.leave(why)
        self._to_head({"kind": "preempt", "why": why})

    def _background(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        # Storage failed: an answer would be a guess, so the attempt ends and says why.
        self._loop.background(work, then, lambda: self._tell({"kind": "stop", "code": 74}))
