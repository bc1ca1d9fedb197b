// `ironlaw whatif` of a data spec: what another threshold would leave. The corpus is read once; its sample runs through the steps of each value.

import { tmpdir } from 'node:os'
import { dirname, resolve } from 'node:path'
import type { DataPlan } from '@ironlaw/contracts/data-plan'
import { parseDataSpec } from '@ironlaw/contracts/data-spec'
import { preparePipeline, probeSample } from '@ironlaw/pipelines'
import { planData } from '@ironlaw/planner'
import { bytes, seconds, show } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { dataRates } from '../calibrate/data-rates.ts'
import { readDocument } from '../input-file.ts'
import { fieldValues, withField } from '../plan/field-values.ts'
import type { WhatIfFlags } from '../plan/whatif.ts'
import { table } from '../table.ts'
import { sampleOf } from './plan.ts'

type Point = { readonly value: string | number; readonly plan: DataPlan }

export async function whatIfDataAnswer(file: string, flags: WhatIfFlags): Promise<CommandAnswer> {
  const document = readDocument(file)
  const { path, values } = fieldValues(flags.set)
  const specs = values.map((value) => ({ value, spec: parseDataSpec(withField(document, path, value), file) }))
  const sample = await sampleOf(parseDataSpec(document, file), { file, share: undefined })
  const points: Point[] = []
  for (const { value, spec } of specs) {
    const { pipeline } = await preparePipeline({ spec, directory: dirname(resolve(file)), work: tmpdir() })
    const probe = await probeSample(pipeline, sample)
    const workers = spec.workers ?? probe.machine.cores
    const similarity = spec.steps.find(({ deduplicate }) => deduplicate)?.deduplicate?.similarity
    const conditions = {
      workers,
      rates: dataRates(probe.machine.name),
      ...(similarity !== undefined && similarity < 1 ? { similarity } : {}),
    }
    points.push({ value, plan: planData({ name: spec.name, probe, conditions }).plan })
  }
  return {
    json: { path, points: points.map(({ value, plan }) => ({ value, prediction: plan.prediction })) },
    text: () => (flags.csv ? csv(path, points) : pointsText(path, points)),
  }
}

function csv(path: string, points: readonly Point[]): string {
  const rows = points.map(({ value, plan: { prediction: p } }) =>
    [value, p.documents.value, p.documents.low, p.documents.high, p.bytes.value, p.tokens?.value ?? '', p.duration_s.value].join(','),
  )
  return [[path, 'documents', 'documents_low', 'documents_high', 'bytes', 'tokens', 'duration_s'].join(','), ...rows].join('\n')
}

const pointsText = (path: string, points: readonly Point[]): string =>
  table(
    [path, 'documents left', 'text', 'tokens', 'time', 'missed pairs', 'false hits'],
    points.map(({ value, plan: { prediction: p } }) => [
      String(value),
      Math.round(p.documents.value).toLocaleString('en'),
      show(bytes(p.bytes.value), 'B'),
      p.tokens ? Math.round(p.tokens.value).toLocaleString('en') : '',
      show(seconds(p.duration_s.value), 's'),
      p.misses ? Math.round(p.misses.missed).toLocaleString('en') : '',
      p.misses ? Math.round(p.misses.falseHits).toLocaleString('en') : '',
    ]),
    [1, 2, 3, 4, 5, 6],
  )
