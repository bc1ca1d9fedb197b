// Agents that wait for work: each announces itself again and again, and is answered with the attempt that it is part of, if any.

import { IronlawError, isTerminal } from '@ironlaw/contracts'
import type { Announcement, AnnouncementResponse, Order } from '@ironlaw/contracts/report'
import { announceInterval_s } from '@ironlaw/policies/run'
import { type Database, type AgentRunView, recordAgent } from '@ironlaw/store'
import { specOf } from './run-spec.ts'

type AgentContext = {
  readonly database: Database
  readonly run_id: string
  readonly now: number
  /** An agent is there that was not before: the reconciler may place an attempt on it. */
  readonly onWake: () => void
}

export async function answerAgent(
  { database, run_id, now, onWake }: AgentContext,
  announcement: Announcement,
): Promise<AnnouncementResponse> {
  const heard = await recordAgent(database, { run_id, at: now, announcement })
  if (!heard) throw new IronlawError('IL_NOT_FOUND', { kind: 'run', id: run_id })
  if (heard.isNews) onWake()
  const { shape, checkpoint_every_s } = specOf(heard.spec)
  return {
    order: orderOf(heard, announcement, shape.checkpointEvery_s ?? checkpoint_every_s),
    leave: mustLeave(heard, announcement),
    poll_s: announceInterval_s(shape),
  }
}

/** Its run or its allocation is over, or another agent has taken its place. */
const mustLeave = ({ state, allocation, incarnation }: AgentRunView, announcement: Announcement): boolean =>
  isTerminal(state) || allocation === null || allocation === 'ended' || incarnation !== announcement.incarnation

function orderOf({ attempt, incarnation }: AgentRunView, announcement: Announcement, checkpoint_every_s: number): Order | null {
  const members = attempt?.state === 'running' && incarnation === announcement.incarnation ? attempt.members : undefined
  const isOwn = (member: { readonly allocation: number; readonly index: number; readonly incarnation: string }): boolean =>
    member.allocation === announcement.allocation && member.index === announcement.index && member.incarnation === incarnation
  const index = members?.findIndex(isOwn) ?? -1
  const [head] = members ?? []
  if (!attempt || !head || index < 0) return null
  const { number, nodes, resumeBefore, check } = attempt
  return {
    attempt: number,
    nodes,
    index,
    head: head.incarnation,
    checkpoint_every_s,
    resume_before: resumeBefore ?? null,
    ...(check && { check }),
  }
}
