// The plan of a data pipeline from its probe: what its steps leave, how long it takes, what it needs and what binds it.

import { planId } from '@ironlaw/contracts'
import type { DataInterval, DataPlan } from '@ironlaw/contracts/data-plan'
import type { DataProbe } from '@ironlaw/contracts/data-probe'
import { explain } from '@ironlaw/laws'
import { instanceHours } from '@ironlaw/laws/cost/compute'
import { HOUR, type Known, quantity } from '@ironlaw/units'
import { type DataConditions, filledConditions } from './conditions.ts'
import { type Estimate, intervalOf } from './estimate.ts'
import { leftByStep, wholeCorpus } from './left.ts'
import { limitsOf } from './limits.ts'
import { dedupMisses } from './misses.ts'
import { pipelineTime } from './passes.ts'
import { ratesOf } from './rates.ts'
import { volumesOf } from './volumes.ts'

export type DataPlanRequest = { readonly name: string; readonly probe: DataProbe; readonly conditions: DataConditions }

export type PlannedData = {
  readonly plan: DataPlan
  /** How each figure was derived. */
  readonly derivations: Readonly<Record<string, Known>>
}

export function planData({ name, probe, conditions }: DataPlanRequest): PlannedData {
  const filled = filledConditions(conditions, probe)
  const left = leftByStep(probe)
  const last = left.at(-1) ?? wholeCorpus(probe)
  const volumes = volumesOf(probe, left, filled)
  const time = pipelineTime({ probe, left, volumes, rates: ratesOf(probe, filled.rates), conditions: filled })
  const cost = filled.coreHour_usd === undefined ? undefined : rent(filled.workers, time.duration, filled.coreHour_usd)
  const misses = dedupMisses(probe, filled.similarity)
  const prediction: DataPlan['prediction'] = {
    left: left.map(({ name: step, documents, bytes, tokens }) => ({
      step,
      documents: intervalOf(documents),
      bytes: intervalOf(bytes),
      ...(tokens ? { tokens: intervalOf(tokens) } : {}),
    })),
    ...(last.tokens ? { tokens: intervalOf(last.tokens) } : {}),
    documents: intervalOf(last.documents),
    bytes: intervalOf(last.bytes),
    duration_s: intervalOf(time.duration),
    causes_s: time.causes,
    worker_bytes: intervalOf(volumes.worker),
    cluster_bytes: intervalOf(volumes.cluster),
    disk_bytes: intervalOf(volumes.disk),
    ...(cost ? { cost_usd: intervalOf(cost) } : {}),
    limits: limitsOf({ probe, conditions: filled, time, volumes, ...(cost ? { cost_usd: cost.value } : {}) }),
    ...(misses ? { misses: { threshold: misses.threshold, pairs: misses.pairs, missed: misses.missed, falseHits: misses.falseHits } } : {}),
  }
  const { files, stored_bytes, documents, bytes } = probe.corpus
  const content: Omit<DataPlan, 'id'> = {
    apiVersion: 'ironlaw/v1',
    kind: 'Data',
    name,
    spec: probe.spec,
    workers: filled.workers,
    machine: probe.machine.name,
    corpus: { files, stored_bytes, documents, bytes },
    share: probe.share,
    rates: time.rates,
    prediction,
  }
  return {
    plan: { ...content, id: planId(content) },
    derivations: {
      ...(last.tokens ? { tokens: last.tokens.by } : {}),
      documents: last.documents.by,
      bytes: last.bytes.by,
      duration_s: time.duration.by,
      worker_bytes: volumes.worker.by,
      cluster_bytes: volumes.cluster.by,
      disk_bytes: volumes.disk.by,
      ...(cost ? { cost_usd: cost.by } : {}),
      ...(misses ? { missed: misses.by.missed, falseHits: misses.by.falseHits } : {}),
    },
  }
}

function rent(workers: number, duration: Estimate<'s'>, coreHour_usd: number): Estimate<'USD'> {
  const costOf = (time: Known<'s'>): Known<'USD'> =>
    explain(instanceHours, {
      devices: { value: quantity(workers, '1'), unit: '1', by: { kind: 'given' } },
      time,
      hourlyPrice: { value: quantity(coreHour_usd / HOUR, 'USD/s'), unit: 'USD/s', by: { kind: 'given' } },
    })
  const by = costOf(duration.by)
  const scaled = (time_s: number): number => (by.value * time_s) / duration.value
  const interval: DataInterval = { value: by.value, low: scaled(duration.low), high: scaled(duration.high) }
  return { ...interval, by }
}
