// What the reconciler keeps of a deployment between two looks. Losing it costs evidence and patience, nothing else.

import { REPLICA_TOTALS } from '@ironlaw/contracts/gateway-sync'
import * as z from 'zod'
import type { AutoscaleState } from './autoscale.ts'
import type { Evidence } from './evidence.ts'
import type { GatewayMarks } from './increments.ts'
import type { Traffic } from './traffic.ts'
import type { Trail } from './trail.ts'

export type DeploymentMemory = {
  /** Since when replicas that serve have not answered our probe, by id. */
  readonly silent: Readonly<Record<string, number>>
  /** Of replicas that drain, by id. */
  readonly left?: Readonly<Record<string, DrainProgress>>
  /** Of replicas that are kept for the way back, by id. */
  readonly kept?: Readonly<Record<string, KeepTime>>
  /** What gateways had counted at the last look. */
  readonly counted?: GatewayMarks
  readonly evidence?: Evidence
  readonly scaling?: AutoscaleState
  readonly trail?: Trail
  readonly traffic?: Traffic
}

export type ConfigPosition = { readonly epoch: string; readonly version: number }

/** From which configuration on a replica is no longer in it, and for how long it has been seen draining, as of the last look. */
export type DrainProgress = ConfigPosition & { readonly lookedAt?: number; readonly drained_s?: number }

/** For how long it has been seen so, as of the last look. */
export type KeepTime = { readonly lookedAt: number; readonly kept_s: number }

const number = z.number()
const tally = z.looseObject({ total: number, bad: number })
const tallies = z.looseObject({ control: tally, canary: tally })
const latencySums = z.looseObject({ count: number, logSum: number })
const latencyPairs = z.looseObject({
  differences: z.array(z.looseObject({ count: number, mean: number, squares: number, half: number.exactOptional() })),
  open: z.looseObject({ control: latencySums, canary: latencySums }),
})
const canary = z.looseObject({
  seconds: number,
  silent: number,
  ttft: latencyPairs,
  tpot: latencyPairs,
  errors: tallies,
  quality: tallies,
  outputs: z.looseObject({ pairs: number, lengthLogSum: number, compared: number, same: number, agreed: number }),
})
const { pool: _pool, id: _id, listed: _listed, running: _running, heard_age_s: _age, ...counters } = REPLICA_TOTALS.shape
const marks = z.record(
  z.string(),
  z.looseObject({
    at: number,
    boot: z.string(),
    arrived: z.record(z.string(), number),
    replicas: z.record(z.string(), z.looseObject(counters)).exactOptional(),
  }),
)
const scaleMemory = z.looseObject({
  level: number,
  slope: number,
  load: number.exactOptional(),
  bursts: z.array(number).exactOptional(),
  at: number.exactOptional(),
  lowSince: number,
  peakSinceLow: number,
  idleSince: number,
})
const drainProgress = z.looseObject({
  epoch: z.string(),
  version: number,
  lookedAt: number.exactOptional(),
  drained_s: number.exactOptional(),
})
const trailPoint = z.looseObject({ at: number, stage: number, evidence: z.record(z.string(), number) })

/** A higher one was written by a newer control plane, in a form that this one does not know. */
const VERSION = 1

const PARTS = {
  silent: z.record(z.string(), number),
  left: z.record(z.string(), drainProgress),
  kept: z.record(z.string(), z.looseObject({ lookedAt: number, kept_s: number })),
  counted: marks,
  evidence: z.looseObject({ revision: number, at: number, canary }),
  scaling: z.looseObject({ at: number, counted: marks, memory: scaleMemory }),
  trail: z.looseObject({ revision: number, every_s: number, points: z.array(trailPoint) }),
  traffic: z.looseObject({ windows: z.array(z.looseObject({ from_at: number, revision: number, ...counters })) }),
} as const satisfies { readonly [Part in keyof DeploymentMemory]-?: z.ZodType<NonNullable<DeploymentMemory[Part]>> }

const MEMORY = z.looseObject({ version: z.literal(VERSION).exactOptional() })

const EMPTY: DeploymentMemory = { silent: {} }

/** Without the parts that cannot be read: losing one costs little, misreading it decides wrongly. */
export function readMemory(text: string | null): DeploymentMemory {
  const { data } = MEMORY.safeParse(text === null ? {} : jsonIn(text))
  if (!data) return EMPTY
  const read = Object.entries(PARTS).flatMap(([part, schema]) => {
    const found = schema.safeParse(data[part])
    return found.success ? [[part, found.data]] : []
  })
  return { ...EMPTY, ...Object.fromEntries(read) }
}

export const memoryText = (memory: DeploymentMemory): string => JSON.stringify({ ...memory, version: VERSION })

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Text that is no JSON is a memory that cannot be read.
    return undefined
  }
}
