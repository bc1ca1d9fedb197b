// What the controls of the training studio write of a spec. Without the planner, so that the page can compare two states of its controls.

import { LENGTH_VARIATION } from '@ironlaw/contracts'
import type { TrainSpec } from '@ironlaw/contracts/train-spec'
import type { TrainingQuestion } from './question.ts'

/** The precision is checked by the planner's side, which knows them. */
type WrittenTrainSpec = Omit<TrainSpec, 'precision'> & { readonly precision: string }

export function writtenTrainSpec(question: Omit<TrainingQuestion, 'rank' | 'rest'>): WrittenTrainSpec {
  const { model, config, accelerator, devices, link, region, precision, optimizer, deadline, budget } = question
  return {
    apiVersion: 'ironlaw/v1',
    kind: 'Train',
    name: config === '' ? (model.split('/').at(-1) ?? model) : 'config.json',
    model: config === '' ? model : './config.json',
    tokens: tokensText(question.tokens),
    sequence: question.sequence,
    globalBatch: question.batch,
    ...documentsOf(question),
    ...(question.method !== 'next-token' && { method: question.method }),
    fleet: { accelerator, count: devices, ...(link !== '' && { link }) },
    precision,
    ...(optimizer !== 'adam' && { optimizer }),
    ...(trainsAdapters(question) && { lora: { rank: question.loraRank, targets: question.loraTargets } }),
    goal: question.goal,
    runtime: question.runtime,
    ...(deadline !== '' && { deadline }),
    ...(budget !== '' && { budget }),
    ...(region !== '' && { region }),
    ...(question.optimizerOn !== 'planned' && { strategy: { optimizerOn: question.optimizerOn } }),
    ...failuresOf(question),
  }
}

export const trainsAdapters = ({ precision }: Pick<TrainingQuestion, 'precision'>): boolean => precision === 'lora' || precision === 'qlora'

const documentsOf = ({ documents, packing }: Pick<TrainingQuestion, 'documents' | 'packing'>): Pick<TrainSpec, 'documents'> =>
  documents === 0 ? {} : { documents: { lengths: { mean: documents, variation: LENGTH_VARIATION }, packed: packing === 'packed' } }

function failuresOf(question: Pick<TrainingQuestion, 'failures' | 'restart' | 'checkpointTo'>): Pick<TrainSpec, 'failures'> {
  const { failures: perThousandNodeDays, restart, checkpointTo } = question
  const failures = {
    ...(perThousandNodeDays > 0 && { perThousandNodeDays }),
    ...(restart !== 'job' && { restart }),
    ...(checkpointTo !== 'storage' && { checkpointTo }),
  }
  return Object.keys(failures).length === 0 ? {} : { failures }
}

const UNITS = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
] as const

export function tokensText(tokens: number): string {
  const [size, letter] = UNITS.find(([each]) => tokens % each === 0) ?? [1, '']
  return `${tokens / size}${letter} tokens`
}
