import type { ReplicaTotals } from '@ironlaw/contracts/gateway-sync'
import { describe, expect, test } from 'vitest'
import { type GatewayMarks, type GatewayReport, increments, reportsOn } from './increments.ts'

const totals = (id: string, answers: number, over: Partial<ReplicaTotals> = {}): ReplicaTotals => ({
  pool: 'chat@1',
  id,
  listed: true,
  running: 1,
  answers,
  errors: 0,
  tokens: 10 * answers,
  ttft: { count: answers, log_sum: -answers, buckets: { 31: answers } },
  tpot: { count: 0, log_sum: 0 },
  ...over,
})

type ReportFields = { readonly boot?: string; readonly at?: number; readonly arrived?: number }

const gateway = (id: string, replicas: ReplicaTotals[], { boot = 'b', at = 1000, arrived = 0 }: ReportFields = {}): GatewayReport => ({
  id,
  seen_at: at,
  body: { boot, version: 1, leaving: false, pools: [{ name: 'chat@1', arrived, queued: 0 }], replicas },
})

/** As they are kept between two looks. */
const storedMarks = (marks: GatewayMarks): GatewayMarks => JSON.parse(JSON.stringify(marks))

function answersAfter(first: readonly GatewayReport[], second: readonly GatewayReport[], later_s = 1): number {
  const { marks } = increments(undefined, { now: 1000, gateways: first })
  const { since } = increments(storedMarks(marks), { now: 1000 + later_s, gateways: second })
  return since.flatMap(({ replicas }) => replicas).reduce((sum, { answers }) => sum + answers, 0)
}

describe('how totals are subtracted', () => {
  for (const [what, first, second, answers] of [
    ['the same gateway and replica: the difference', [gateway('g', [totals('a', 5)])], [gateway('g', [totals('a', 7)])], 2],
    ['a gateway that was not known: nothing', [gateway('g', [totals('a', 5)])], [gateway('h', [totals('a', 7)])], 0],
    ['a gateway that restarted: from its beginning', [gateway('g', [totals('a', 5)])], [gateway('g', [totals('a', 7)], { boot: 'c' })], 7],
    ['a new replica: from zero', [gateway('g', [totals('a', 5)])], [gateway('g', [totals('a', 5), totals('b', 3)])], 3],
    ['a replica that left: nothing', [gateway('g', [totals('a', 5), totals('b', 3)])], [gateway('g', [totals('a', 5)])], 0],
    ['a replica in another pool: from zero', [gateway('g', [totals('a', 5)])], [gateway('g', [totals('a', 2, { pool: 'chat@2' })])], 2],
    ['totals that fell: nothing', [gateway('g', [totals('a', 5)])], [gateway('g', [totals('a', 2)])], 0],
    [
      'listed twice, as it finishes requests and has been added again: both',
      [gateway('g', [totals('a', 5)])],
      [gateway('g', [totals('a', 1), totals('a', 6, { listed: false })])],
      2,
    ],
    ['a name like a property of every object: not known', [], [gateway('constructor', [totals('a', 7)])], 0],
  ] as const)
    test(what, () => expect(answersAfter(first, second)).toBe(answers))

  test('a gateway that reported nothing for a while and comes back: the difference since its last report', () => {
    const { marks } = increments(undefined, { now: 1000, gateways: [gateway('g', [totals('a', 5)], { arrived: 5 })] })
    const silent = increments(storedMarks(marks), { now: 1060, gateways: [] })
    expect(silent.since).toEqual([])
    const back = increments(storedMarks(silent.marks), { now: 1090, gateways: [gateway('g', [totals('a', 9)], { at: 1090, arrived: 12 })] })
    expect(back.since).toMatchObject([{ over_s: 90, arrived: 7, replicas: [{ pool: 'chat@1', answers: 4, tokens: 40 }] }])
  })

  test('a gateway that is silent for longer than an hour is forgotten', () => {
    const { marks } = increments(undefined, { now: 1000, gateways: [gateway('g', [totals('a', 5)])] })
    expect(increments(marks, { now: 4601, gateways: [] }).marks).toEqual({})
  })

  test('buckets and outputs are subtracted too', () => {
    const outputs = { pairs: 2, length_log_sum: 0.5, compared: 2, same: 1, agreed: 1.5 }
    const { marks } = increments(undefined, { now: 1000, gateways: [gateway('g', [totals('a', 5)])] })
    const { since } = increments(marks, { now: 1001, gateways: [gateway('g', [totals('a', 7, { outputs })])] })
    expect(since[0]?.replicas[0]).toMatchObject({ ttft: { count: 2, log_sum: -2, buckets: { 31: 2 } }, outputs })
  })
})

test('reports are cut down to one deployment', () => {
  const [report] = reportsOn('chat', [gateway('g', [totals('a', 5), totals('x', 5, { pool: 'chat-b@1' })])])
  expect(report?.body.replicas.map(({ id }) => id)).toEqual(['a'])
})
