import type { ReplicaTotals } from '@ironlaw/contracts/gateway-sync'
import { expect, test } from 'vitest'
import { type GatewayMarks, type GatewayReport, increments } from './increments.ts'
import { memoryText, readMemory } from './memory.ts'
import { type Traffic, trafficAfter } from './traffic.ts'

const totals = (id: string, answers: number, over: Partial<ReplicaTotals> = {}): ReplicaTotals => ({
  pool: 'chat@1',
  id,
  listed: true,
  running: 0,
  answers,
  errors: 0,
  tokens: 10 * answers,
  ttft: { count: answers, log_sum: answers * Math.log(0.2), buckets: { 31: answers } },
  tpot: { count: answers, log_sum: answers * Math.log(0.02) },
  ...over,
})

const gateway = (replicas: ReplicaTotals[], boot = 'b'): GatewayReport => ({
  id: 'g',
  seen_at: 1000,
  body: { boot, version: 1, leaving: false, pools: [], replicas },
})

function after(looks: readonly (readonly [now: number, gateways: readonly GatewayReport[]])[]): Traffic | undefined {
  let traffic: Traffic | undefined
  let counted: GatewayMarks | undefined
  for (const [now, gateways] of looks) {
    const { since, marks } = increments(counted, { now, gateways })
    traffic = trafficAfter(traffic, { now, name: 'chat', since })
    counted = marks
  }
  return traffic
}

test('differences of totals fall into windows, by revision; what was there before the first look does not count', () => {
  const canary = (answers: number) => totals('c', answers, { pool: 'chat@2' })
  const control = (answers: number) => totals('d', answers, { pool: 'chat@1-control' })
  const traffic = after([
    [1000, [gateway([totals('a', 500), canary(0), control(0), totals('x', 9, { pool: 'chat-b@1' })])]],
    [1005, [gateway([totals('a', 510), canary(2), control(3), totals('x', 99, { pool: 'chat-b@1' })])]],
    [1010, [gateway([totals('a', 514), canary(2), control(3), totals('x', 99, { pool: 'chat-b@1' })])]],
    [1025, [gateway([totals('a', 520), canary(5), control(3), totals('x', 99, { pool: 'chat-b@1' })])]],
  ])
  expect(traffic?.windows.map(({ from_at, revision, answers, tokens }) => [from_at, revision, answers, tokens])).toEqual([
    [990, 1, 17, 170],
    [990, 2, 2, 20],
    [1020, 1, 6, 60],
    [1020, 2, 3, 30],
  ])
  const [first] = traffic?.windows ?? []
  expect(first?.ttft.buckets).toEqual({ 31: 17 })
  expect(Math.exp((first?.ttft.log_sum ?? 0) / (first?.ttft.count ?? 1))).toBeCloseTo(0.2, 9)
})

test('every answer counts once, whether a replica leaves or a gateway restarts', () => {
  const traffic = after([
    [1000, [gateway([totals('a', 100), totals('b', 100)])]],
    [1001, [gateway([totals('a', 110), totals('b', 110)])]],
    [1002, [gateway([totals('a', 115)])]],
    [1003, [gateway([totals('a', 118)])]],
    [1004, [gateway([totals('a', 4)], 'again')]],
    [1005, [gateway([totals('a', 6)], 'again')]],
  ])
  expect(traffic?.windows.map(({ answers }) => answers)).toEqual([20 + 5 + 3 + 4 + 2])
})

test('half an hour is kept', () => {
  const looks = Array.from({ length: 400 }, (_, look) => [1000 + 10 * look, [gateway([totals('a', look)])]] as const)
  const windows = after(looks)?.windows ?? []
  expect([windows.length, windows[0]?.from_at]).toEqual([60, 3210])
})

test('whatever a gateway reports, what is kept can be written as JSON and read again', () => {
  const huge = (id: string) => totals(id, 5, { tokens: 1e308, ttft: { count: 5, log_sum: 1e308, buckets: { 31: 1e308 } } })
  const traffic = after([
    [1000, [gateway([totals('a', 0), totals('b', 0)], 'b1')]],
    [1001, [gateway([totals('a', 2, { refused: 5 }), totals('a', 0)], 'b1')]],
    [1002, [gateway([totals('a', 3, { refused: 0 })], 'b1')]],
    [1003, [gateway([huge('a'), huge('b')], 'b2')]],
    [1004, [gateway([huge('a'), huge('b')], 'b3')]],
  ])
  const text = memoryText({ silent: {}, ...(traffic && { traffic }) })
  expect(text).not.toContain('null')
  expect(readMemory(text).traffic).toEqual(traffic)
})
