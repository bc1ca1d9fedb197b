import { expect, test } from 'vitest'
import { admissionDecision, type Arrival, type Saturation } from './admission.ts'

const seen: Saturation = {
  running: 8,
  maxRunning: 8,
  queued: 10,
  maxQueued: 100,
  queuedTokens: 10_000,
  maxQueuedTokens: 100_000,
  tokensPerSecond: 2000,
}
const arrival: Arrival = { tokens: 1000, service_s: 2, deadline_s: 60, priority: 0 }

for (const [what, over, arriving, admission] of [
  ['room', { running: 7, queued: 0, queuedTokens: 0 }, {}, { do: 'start' }],
  ['others wait already', { running: 7 }, {}, { do: 'queue' }],
  ['full', {}, {}, { do: 'queue' }],
  ['queue full', { queued: 90 }, {}, { do: 'shed', why: 'queue-full', retryAfter_s: 5 }],
  ['the urgent have the rest of it', { queued: 90 }, { priority: 1 }, { do: 'queue' }],
  ['queue full for all', { queued: 100 }, { priority: 1 }, { do: 'shed', why: 'queue-full', retryAfter_s: 5 }],
  ['tokens', { queuedTokens: 89_500 }, {}, { do: 'shed', why: 'tokens-full', retryAfter_s: 45 }],
  ['too late', {}, { deadline_s: 6 }, { do: 'shed', why: 'deadline', retryAfter_s: 5 }],
  ['just in time', {}, { deadline_s: 7 }, { do: 'queue' }],
  ['speed unknown', { tokensPerSecond: 0 }, { deadline_s: 2 }, { do: 'queue' }],
] as const satisfies readonly (readonly [string, Partial<Saturation>, Partial<Arrival>, object])[])
  test(what, () => expect(admissionDecision({ ...seen, ...over }, { ...arrival, ...arriving })).toEqual(admission))
