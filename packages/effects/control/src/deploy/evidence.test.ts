import { describe, expect, test } from 'vitest'
import { type Evidence, evidenceAfter } from './evidence.ts'
import { type GatewayMarks, increments } from './increments.ts'

describe('evidence', () => {
  const totals = (id: string, pool: string, answers: number) => ({
    pool,
    id,
    listed: true,
    running: 0,
    answers,
    errors: 0,
    tokens: 0,
    ttft: { count: answers, log_sum: -answers },
    tpot: { count: 0, log_sum: 0 },
  })
  const gateway = (boot: string, ...replicas: ReturnType<typeof totals>[]) => ({
    id: 'g',
    seen_at: 0,
    body: { boot, version: 1, leaving: false, pools: [], replicas },
  })
  const none = { total: 0, bad: 0 }

  type Look = { readonly evidence?: Evidence; readonly marks?: GatewayMarks; readonly revision?: number }

  const after = ({ evidence, marks, revision = 2 }: Look, now: number, ...gateways: ReturnType<typeof gateway>[]) => {
    const { since, marks: counted } = increments(marks, { now, gateways })
    const pools = { control: 'chat@1', canary: 'chat@2' }
    const seen = { now, revision, since, ...pools, quality: { control: none, canary: none }, counts: true }
    return { evidence: evidenceAfter(evidence, seen), marks: counted }
  }

  test('is what was counted since the last look: neither a restart nor a replica that leaves counts twice', () => {
    const first = after({}, 0, gateway('x', totals('a', 'chat@1', 100), totals('d', 'chat@2', 10)))
    expect(first.evidence.canary.errors).toEqual({ control: none, canary: none })
    const second = after(first, 1, gateway('x', totals('a', 'chat@1', 130), totals('d', 'chat@2', 14)))
    expect(second.evidence.canary.errors).toEqual({ control: { total: 30, bad: 0 }, canary: { total: 4, bad: 0 } })
    const left = after(second, 2, gateway('x', totals('d', 'chat@2', 14)))
    expect(left.evidence.canary.errors).toEqual(second.evidence.canary.errors)
    const restarted = after(left, 3, gateway('y', totals('a', 'chat@1', 5), totals('d', 'chat@2', 1)))
    expect(restarted.evidence.canary.errors).toEqual({ control: { total: 35, bad: 0 }, canary: { total: 5, bad: 0 } })
    expect(restarted.evidence.canary.seconds).toBe(3)
    const next = after({ ...restarted, revision: 3 }, 4, gateway('y', totals('a', 'chat@1', 9), totals('e', 'chat@3', 2)))
    expect(next.evidence.canary.errors).toEqual({ control: none, canary: none })
  })

  test('a gateway that names a pool like a property of every object counts for nothing and stops nothing', () => {
    const first = after({}, 0, gateway('x', totals('a', 'chat@1', 1)))
    const hostile = ['constructor', '__proto__', 'toString'].map((pool) => totals('a', pool, 1))
    const second = after(first, 1, gateway('x', totals('a', 'chat@1', 2), ...hostile))
    expect(second.evidence.canary.errors).toEqual({ control: { total: 1, bad: 0 }, canary: none })
  })
})
