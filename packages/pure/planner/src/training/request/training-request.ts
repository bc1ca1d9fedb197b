// What a person wants trained, resolved against catalog and model into what the planner takes. Command line, `apply` and console all come
// through here, so that one spec has one meaning.

import { type Accelerator, accelerator as acceleratorOf, type Catalog, peak, precisions } from '@ironlaw/catalog'
import { nearestNames, quantityOf, readSequence } from '@ironlaw/contracts'
import type { TrainSpec } from '@ironlaw/contracts/train-spec'
import { type Architecture, parameterCounts } from '@ironlaw/models'
import { givenValue, showPercent } from '@ironlaw/units'
import { type Assumption, assumptionsOf } from './assumptions.ts'
import { type BatchInSequences, batchOfTokens, usualBatch } from './batch-size.ts'
import { doubts, lengthProblem, sizeRefusal, type TrainingSizes } from './doubts.ts'
import { cutLengths, lengthsOf, meanLength, meanSquare } from '../../lengths.ts'
import type { Machine } from '../../machine/machine.ts'
import type { PlanFleet } from '../search/legality.ts'
import { muonProblem } from '../search/muon-limits.ts'
import { type Network, networkOf, specError } from './network.ts'
import { fleetSizes, type TrainingPlanInputs } from '../plan-training.ts'
import { withOptimizer } from '../memory/optimizer.ts'
import { POLICIES, type PrecisionPolicy } from '../memory/precision.ts'
import { DEFAULT_RUNTIME, RUNTIMES } from '../time/runtimes.ts'
import { usualTraining } from './usual-training.ts'

/** A model under the name that people know it by, with what its importer had to say. */
export type NamedModel = { readonly name: string; readonly architecture: Architecture; readonly warnings: readonly string[] }

export type TrainingRequest = {
  readonly spec: TrainSpec
  readonly machine: Machine
  readonly wanted: Omit<TrainingPlanInputs, 'keep' | 'progress'>
  readonly warnings: readonly string[]
  readonly network: Network
  readonly assumptions: readonly Assumption[]
}

/** Devices before Ampere multiply in FP16 only. */
const usualPrecision = (device: Accelerator): 'bf16-mixed' | 'fp16-mixed' =>
  !peak(device, 'bf16') && peak(device, 'fp16') ? 'fp16-mixed' : 'bf16-mixed'

/** Megatron-Core runs on GPUs; others have software of their own. */
const SOFTWARE_OF: Readonly<Record<string, keyof typeof RUNTIMES>> = { Google: 'maxtext', AWS: 'neuronx' }

/** The overheads of the framework that will run the plan, unless the spec names others. */
const RUNTIME_OF = {
  sdk: DEFAULT_RUNTIME,
  'megatron-core': 'megatron-core',
  torchtitan: 'fsdp-compiled',
  deepspeed: 'fsdp-eager',
} as const satisfies Record<NonNullable<TrainSpec['run']>['framework'], keyof typeof RUNTIMES>

export function trainingRequest(catalog: Catalog, spec: TrainSpec, { name, architecture, warnings }: NamedModel): TrainingRequest {
  if (!decodesTokens(architecture))
    throw specError(
      spec,
      'model',
      `${name} (${architecture.modelType}) is not an autoregressive language model; the planner supports only those`,
    )
  const device = acceleratorOf(catalog, spec.fleet.accelerator)
  const precision = spec.precision ?? usualPrecision(device)
  const policy = withOptimizer(withAdapters(POLICIES[precision], spec.lora), spec.optimizer ?? 'adam')
  const runtime = runtimeOf(spec, device)
  const accelerator = device.id
  refuseMissingPeak(spec, device, policy)
  const network = networkOf(catalog, spec, device)
  const fleet = fleetOf(spec, network)
  const { perNode, between: portBandwidth } = network
  const sequence = sequenceOf(spec)
  const tokens = quantityOf(spec.tokens, 'token')
  const batch = batchOf(spec, { sequence, tokens, architecture }, fleet)
  const sizes: TrainingSizes = {
    spec,
    tokens,
    sequence,
    batch: batch.sequences,
    link: portBandwidth,
    longestContext: architecture.longestContext,
  }
  const wrong = sizeRefusal(sizes)
  if (wrong) throw specError(spec, wrong.field, wrong.problem)
  const documents = documentsOf(spec, sequence)
  const work = {
    architecture,
    sequence,
    globalBatch: batch.sequences,
    policy,
    ...(documents.visibleShare < 1 && { visibleShare: documents.visibleShare }),
    ...(spec.method === 'dpo' && { reference: true as const, pairs: true as const }),
    ...(spec.expertImbalance !== undefined && { expertImbalance: spec.expertImbalance }),
  }
  const { machine, job } = usualTraining(catalog, { ...work, accelerator, runtime, perNode, portBandwidth })
  const muon = muonProblem({ machine, job }, spec.strategy ?? {})
  if (muon) throw specError(spec, `strategy.${muon.field}`, muon.problem)
  const price = spec.price === undefined ? undefined : givenValue(quantityOf(spec.price, 'USD/s'), 'USD/s')
  return {
    spec,
    machine,
    network,
    assumptions: assumptionsOf(catalog, { spec, accelerator: device, network, machine, price, precision }),
    warnings: [
      ...warnings,
      ...(batch.note === undefined ? [] : [batch.note]),
      ...documents.notes,
      ...doubts(sizes),
      ...measurements(machine, accelerator),
    ],
    wanted: {
      name: spec.name,
      model: name,
      job,
      tokens: tokens / documents.filled,
      accelerator,
      fleet,
      ...(network.perHost !== undefined && { perHost: network.perHost }),
      fixed: spec.strategy ?? {},
      ...statedInputs(spec),
      ...(price && { price }),
    },
  }
}

/** What the planner takes as the spec states it. */
const statedInputs = ({ documents, memory, region }: TrainSpec): Pick<TrainingPlanInputs, 'packed' | 'memoryProbability' | 'region'> => ({
  ...(documents && { packed: documents.packed }),
  ...(memory && { memoryProbability: memory.probability }),
  ...(region !== undefined && { region }),
})

function fleetOf(spec: TrainSpec, { perNode, perHost = perNode }: Network): PlanFleet {
  const devices = spec.fleet.count
  const nodes = Math.ceil(devices / perHost)
  const together = spec.failures?.spot?.together ?? 1
  if (together > nodes)
    throw specError(
      spec,
      'failures.spot.together',
      `${together} nodes cannot be taken away at once from ${nodes}: take at most ${nodes}, or leave it out`,
    )
  return { devices, perNode: Math.min(perNode, devices) }
}

type Documents = {
  /** Share of a sequence's tokens that are not padding. */
  readonly filled: number
  readonly visibleShare: number
  readonly notes: readonly string[]
}

/** A packed sequence is full of documents that do not see each other; otherwise it is one document and padding. */
function documentsOf({ documents }: TrainSpec, sequence: number): Documents {
  if (!documents) return { filled: 1, visibleShare: 1, notes: [] }
  const lengths = cutLengths(lengthsOf(documents.lengths), sequence)
  const mean = meanLength(lengths)
  if (documents.packed) return { filled: 1, visibleShare: Math.min(1, meanSquare(lengths) / mean / sequence), notes: [] }
  const filled = mean / sequence
  return {
    filled,
    visibleShare: 1,
    notes: [
      `${showPercent(1 - filled, 0)} of each sequence is padding: packing documents (documents.packed: true) would take about ${showPercent(filled, 0)} of the time`,
    ],
  }
}

const withAdapters = (policy: PrecisionPolicy, lora: TrainSpec['lora']): PrecisionPolicy =>
  lora && policy.adapter ? { ...policy, adapter: { ...policy.adapter, ...lora } } : policy

export const decodesTokens = ({ vocabulary, groups }: Architecture): boolean =>
  vocabulary > 0 && groups.some(({ stack }) => stack === 'decoder')

/** The precisions that an accelerator without the arithmetic could be trained in instead. */
function refuseMissingPeak(spec: TrainSpec, device: Accelerator, { compute }: PrecisionPolicy): void {
  if (spec.precision?.startsWith('bf16') && !peak(device, 'bf16') && peak(device, 'fp16'))
    throw specError(
      spec,
      'precision',
      `${device.id} has no bf16; it has ${precisions(device).join(', ')}; choose fp16-mixed, or another accelerator`,
    )
  if (compute !== 'fp8' && compute !== 'fp4') return
  if (peak(device, compute)) return
  throw specError(
    spec,
    'precision',
    `${device.id} has no published dense peak in ${compute}; it has ${precisions(device).join(', ')}; choose bf16-mixed, or another accelerator`,
  )
}

/** A reader of the plan must know that it is based on own measurements, or on those of another accelerator. */
const measurements = ({ silicon: { measured, borrowed } }: Machine, accelerator: string): string[] => [
  ...(measured ? [measured.note] : []),
  ...(borrowed
    ? [`no kernel measurements of ${accelerator}: the curve of another accelerator, scaled by its peaks, with a wider interval`]
    : []),
]

function runtimeOf(spec: TrainSpec, { facts: { vendor } }: Accelerator): (typeof RUNTIMES)[keyof typeof RUNTIMES] {
  const name = spec.runtime ?? (spec.run === undefined ? SOFTWARE_OF[vendor] : undefined) ?? RUNTIME_OF[spec.run?.framework ?? 'sdk']
  const found = Object.entries(RUNTIMES).find(([known]) => known === name)?.[1]
  if (found) return found
  const known = Object.keys(RUNTIMES)
  const [close] = nearestNames(
    name,
    known.map((each) => ({ name: each })),
  )
  throw specError(
    spec,
    'runtime',
    `unknown runtime "${name}"; known runtimes: ${known.join(', ')}${close === undefined ? '' : `; did you mean ${close}?`}`,
  )
}

function sequenceOf(spec: TrainSpec): number {
  const read = readSequence(String(spec.sequence))
  const problem = read.ok ? lengthProblem(read.value) : read.reason
  if (read.ok && problem === undefined) return read.value
  throw specError(spec, 'sequence', problem ?? '')
}

type BatchRequest = { readonly sequence: number; readonly tokens: number; readonly architecture: Architecture }

/** DPO takes pairs, so its batch is even. */
function batchOf(spec: TrainSpec, request: BatchRequest, fleet: PlanFleet): BatchInSequences {
  const batch = sequencesOf(spec, request, fleet)
  const { sequences, note } = batch
  if (spec.method !== 'dpo' || sequences % 2 === 0) return batch
  if (typeof spec.globalBatch === 'number')
    throw specError(
      spec,
      'globalBatch',
      `dpo takes pairs of answers, two sequences each, and ${sequences} is odd: take ${sequences + 1}, or a batch in tokens`,
    )
  return {
    sequences: sequences + 1,
    note: `${note === undefined ? '' : `${note}; `}${(sequences + 1).toLocaleString('en')} sequences, to make whole pairs`,
  }
}

function sequencesOf(spec: TrainSpec, { sequence, tokens, architecture }: BatchRequest, { devices, perNode }: PlanFleet): BatchInSequences {
  const { globalBatch, strategy = {} } = spec
  if (globalBatch === undefined) {
    const sequences = usualBatch({ active: parameterCounts(architecture).active, tokens, sequence })
    return {
      sequences,
      note: `batch assumed: ${sequences.toLocaleString('en')} sequences, by DeepSeek LLM's rule, at most 2^24 tokens`,
    }
  }
  if (typeof globalBatch === 'number') return { sequences: globalBatch }
  const written = { text: globalBatch, tokens: quantityOf(globalBatch, 'token'), sequence }
  const batch = batchOfTokens(written, { fleets: fleetSizes(devices, perNode), fixed: strategy })
  if (batch) return batch
  throw specError(spec, 'globalBatch', `${globalBatch} is less than one sequence of ${sequence} tokens`)
}
