// Comparing runs with their plans yields corrections of measured entries; checkpoints yield the rate of storage.

import type { JsonObject } from '@ironlaw/catalog'
import {
  type FinishedRun,
  learnedCorrections,
  learnedRate,
  type WorkObservation,
  type WrittenCheckpoint,
} from '@ironlaw/policies/calibration'
import { today } from './document.ts'
import { correctionsEntry, figureEntry } from './entries.ts'
import { currentVersion, type MeasuredDocument } from './measured-file.ts'
import { correctionsOf, groupAt, numberAt, priorOf } from './read-entry.ts'

export type Evidence = {
  readonly accelerator: string
  readonly observations: readonly WorkObservation[]
  readonly finished: FinishedRun
  readonly checkpoints: readonly WrittenCheckpoint[]
  readonly nodes: number
}

export type LearnedCorrections = {
  readonly entries: MeasuredDocument['catalog']
  readonly finished: MeasuredDocument['finished']
  /** What was rejected, and why. */
  readonly notes: readonly string[]
}

export function correctionsFromRuns(found: readonly Evidence[]): LearnedCorrections {
  const before = currentVersion()?.document.catalog
  const notes: string[] = []
  const accelerators = [...Map.groupBy(found, ({ accelerator }) => accelerator)].map(([accelerator, evidence]): [string, JsonObject] => {
    const measured = groupAt(before?.['accelerators']?.[accelerator], 'measured')
    const observations = evidence.flatMap((each) => each.observations)
    const { corrections, refused } = learnedCorrections(correctionsOf(measured), observations, {
      prior: (ranks, work) => priorOf(measured, ranks, work),
    })
    notes.push(...refused.map(({ run, work, reason }) => `${run}: ignored ${work}: ${reason}`))
    const source = { ref: `finished runs compared with their plans, the last ${evidence.at(-1)?.finished.run ?? ''}`, date: today() }
    const unmeasured = measured ? {} : { on: 'this cluster', software: 'finished runs' }
    return [accelerator, { sources: { runs: source }, measured: { ...unmeasured, corrections: correctionsEntry(corrections, 'runs') } }]
  })
  const storage = storageOf(before?.['storage']?.['run-storage'], found)
  return {
    entries: { accelerators: Object.fromEntries(accelerators), ...(storage && { storage: { 'run-storage': storage } }) },
    finished: found.map(({ accelerator, finished }) => ({ ...finished, accelerator, at: today() })),
    notes,
  }
}

/** Only a measured entry is corrected: a write rate alone does not make one. */
function storageOf(before: JsonObject | undefined, found: readonly Evidence[]): JsonObject | undefined {
  const old = numberAt(groupAt(before, 'perClient')?.['write'], 'B/s')
  const checkpoints = found.flatMap((each) => each.checkpoints.map((one) => ({ ...one, bytes: one.bytes / each.nodes })))
  const rate = old === undefined ? undefined : learnedRate(old, checkpoints)
  return (
    rate && {
      sources: { runs: { ref: 'checkpoints of finished runs', date: today() } },
      perClient: { write: figureEntry(rate, 'B/s', 'runs') },
    }
  )
}
