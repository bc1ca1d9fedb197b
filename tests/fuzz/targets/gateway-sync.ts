// What a gateway sends the control plane once a second, and what the control plane makes of its totals.

import { GATEWAY_SYNC } from '@ironlaw/contracts/gateway-sync'
import { evidenceAfter } from '../../../packages/effects/control/src/deploy/evidence.ts'
import { increments } from '../../../packages/effects/control/src/deploy/increments.ts'
import { trafficAfter } from '../../../packages/effects/control/src/deploy/traffic.ts'
import { checkedBody } from '../schema-states.ts'
import type { Target } from '../target.ts'

const sums = { count: 3, log_sum: -1.5, buckets: { 10: 2, 11: 1 } }
const replica = { id: 'r', listed: true, running: 1, answers: 3, errors: 0, tokens: 90, ttft: sums, tpot: sums, heard_age_s: 0.5 }
const quality = { control: { total: 4, bad: 0 }, canary: { total: 4, bad: 0 } }
const outputs = { pairs: 2, length_log_sum: 0.1, compared: 1, same: 1, agreed: 1 }
const SYNC = {
  boot: 'b',
  version: 3,
  leaving: false,
  pools: [{ name: 'd@1', arrived: 5, queued: 0 }],
  replicas: [
    { ...replica, pool: 'd@1' },
    { ...replica, pool: 'd@2', id: 's', outputs },
  ],
}

export const target: Target = {
  grammar: 'json',
  seeds: [JSON.stringify(SYNC), JSON.stringify({ ...SYNC, version: -1, pools: [], replicas: [] })],
  words: ['d@1', 'd@2', 'd@999999999999', 'd-1', 'd-2', 'd.r1', ...Object.keys(replica), ...Object.keys(outputs)],
  run: (input, mark) => {
    const body = checkedBody(input.toString('utf8'), GATEWAY_SYNC, mark)
    if (!body) return
    const gateways = [{ id: 'g', seen_at: 1, body }]
    const { marks } = increments(undefined, { now: 1, gateways })
    const { since } = increments(marks, { now: 2, gateways: [{ id: 'g', seen_at: 2, body: { ...body, boot: 'again' } }] })
    trafficAfter(trafficAfter(undefined, { now: 1, name: 'd', since }), { now: 40, name: 'd', since })
    const seen = { revision: 2, since, control: 'd@1', canary: 'd@2', counts: true, quality }
    evidenceAfter(evidenceAfter(undefined, { ...seen, now: 1 }), { ...seen, now: 2 })
  },
}
