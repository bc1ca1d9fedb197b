// Where the memory of the fullest device comes from, as a derivation: every term of the account from what it is made of. It applies the rules of
// memory.ts once more, with names; a test holds the two together.

import { explain } from '@ironlaw/laws'
import { fitProbability, needSpread } from '@ironlaw/laws/memory/fit'
import { type Known, quantity, sourcedValue } from '@ironlaw/units'
import { ALLOCATOR, COMMUNICATOR, communicatorsOf, CONTEXT, outsideSpread, TRANSIENT_SPREAD } from '../memory/device-need.ts'
import { inFlight } from '../memory/in-flight.ts'
import type { MemoryInputs } from '../memory/layer-memory.ts'
import {
  stagePositions,
  keepsGathered,
  type StageLoad,
  memoryAccount,
  type StagePosition,
  STAGE_OF,
  stageLoad,
  wholeGradientShare,
} from '../memory/memory.ts'
import { microbatchesOf } from '../search/microbatches.ts'
import { isOutput } from '../search/stages.ts'
import { shardingRanks, type Strategy } from '../strategy.ts'

type Inputs = Readonly<Record<string, Known>>

export function explainedMemory(weighed: MemoryInputs, strategy: Strategy): Known<'B'> {
  const { worst } = memoryAccount(weighed, strategy)
  const place = stagePositions(weighed, strategy)[worst.stage]
  if (!place) throw new Error(`no stage ${worst.stage}`)
  const allocated = sumOf('allocated', {
    ...stateTerms(weighed, strategy, stageLoad(weighed.job, strategy, place)),
    ...activationTerms(weighed, strategy, place),
  })
  const from = {
    allocated,
    fragmentation: knownCount(ALLOCATOR.likely, 'reserved over allocated memory of 43 runs on B200'),
    context: knownBytes(CONTEXT.likely, 'driver and libraries'),
    communicators: knownCount(communicatorsOf(strategy), 'axes with more than one rank'),
    communicator: knownBytes(COMMUNICATOR.likely, 'buffers of NCCL'),
  }
  const { fragmentation, context, communicators, communicator } = from
  return derivedBytes('device', 'allocated * fragmentation + context + communicators * communicator', {
    from,
    value: allocated.value * fragmentation.value + context.value + communicators.value * communicator.value,
  })
}

/** With which probability the fullest device has room. */
export function explainedFit(weighed: MemoryInputs, strategy: Strategy, deviceMemory: Known<'B'>): Known<'1'> {
  const { worst } = memoryAccount(weighed, strategy)
  const { gathered, activations, logits, working } = worst.terms
  const spread = explain(needSpread, {
    allocated: knownBytes(worst.allocated, 'on the fullest device'),
    transient: knownBytes(
      ALLOCATOR.likely * (gathered + activations + logits + working),
      'activations, logits, working and gathered tensors, with fragmentation',
    ),
    outside: knownBytes(outsideSpread(strategy), 'driver, libraries and communicators'),
    allocatorSpread: knownCount(ALLOCATOR.spread, 'the upper end of what published layouts that ran or ran out of memory allow'),
    transientSpread: knownCount(TRANSIENT_SPREAD, 'stated: 3.6 % on the layouts that the account was worked out on'),
  })
  return explain(fitProbability, { likely: knownBytes(worst.device.likely, 'on the fullest device'), spread, deviceMemory })
}

/** Bytes per parameter of one kind, divided among ranks from a ZeRO stage on. */
type Piece = { readonly name: string; readonly bytes: number; readonly from: number; readonly of?: 'layers' | 'ends' }

function piecesOf({ job }: MemoryInputs, strategy: Strategy): Readonly<Record<'weights' | 'gradients' | 'optimizer', readonly Piece[]>> {
  const { policy } = job
  const whole = wholeGradientShare(job, strategy)
  const withCritic = (pieces: readonly Piece[]): readonly Piece[] =>
    job.critic ? pieces.flatMap((piece) => [piece, { ...piece, name: `critic ${piece.name}` }]) : pieces
  const weights: readonly Piece[] = keepsGathered(policy, strategy)
    ? [
        { name: 'master', bytes: policy.weight, from: 1 },
        { name: 'gathered', bytes: policy.activation, from: 3 },
      ]
    : [{ name: 'trained', bytes: policy.weight, from: 3 }]
  const base: readonly Piece[] = policy.adapter
    ? [
        { name: 'frozen', bytes: policy.adapter.baseWeight, from: 3, of: 'layers' },
        { name: 'ends', bytes: policy.activation, from: 3, of: 'ends' },
      ]
    : []
  const reference: readonly Piece[] = job.reference && !policy.adapter ? [{ name: 'reference', bytes: policy.activation, from: 3 }] : []
  const states: readonly Piece[] = [
    { name: 'master', bytes: policy.master, from: 1 },
    { name: 'moments', bytes: policy.moments, from: 1 },
    ...(policy.endMoments === undefined
      ? []
      : [{ name: 'endMoments', bytes: policy.endMoments - policy.moments, from: 1, of: 'ends' } as const]),
  ]
  return {
    weights: [...withCritic([...base, ...weights]), ...reference],
    gradients: withCritic([
      ...(whole > 0 ? [{ name: 'whole', bytes: whole * policy.gradient, from: 3 }] : []),
      ...(whole < 1 ? [{ name: 'gradients', bytes: (1 - whole) * policy.gradient, from: 2 }] : []),
    ]),
    optimizer: strategy.optimizerOn === 'device' ? withCritic(states) : [],
  }
}

function stateTerms(weighed: MemoryInputs, strategy: Strategy, load: StageLoad): Readonly<Record<string, Known<'B'>>> {
  const { policy } = weighed.job
  const gathered = strategy.shards === 'weights' && shardingRanks(strategy).dense > 1
  const layers = {
    layers: knownCount(2, 'the layer at work and the one being fetched'),
    elements: knownCount(load.largestLayer, 'the largest layer'),
    bytes: knownBytes(policy.activation, 'in the precision of the products'),
  }
  return nonZeroTerms({
    ...Object.fromEntries(
      Object.entries(piecesOf(weighed, strategy)).map(([term, pieces]) => [
        term,
        sumOf(term, Object.fromEntries(pieces.map((piece) => [piece.name, stateOf(weighed, strategy, { piece, load })]))),
      ]),
    ),
    ...(gathered && { gathered: product('gathered', layers) }),
  })
}

function elementsOf({ dense, routed, adapters, ends }: StageLoad, of: 'all' | 'adapters' | 'layers' | 'ends') {
  const experts = knownCount(of === 'all' || of === 'layers' ? routed : 0, 'parameters of routed experts on this device')
  switch (of) {
    case 'all':
      return { dense: knownCount(dense, 'parameters on this device'), experts }
    case 'adapters':
      return { dense: knownCount(adapters, 'parameters of adapters on this device'), experts }
    case 'layers':
      return { dense: knownCount(dense - ends, 'parameters of layers on this device'), experts }
    case 'ends':
      return { dense: knownCount(ends, 'parameters of token table and head on this device'), experts }
  }
}

function stateOf(
  { job: { policy } }: MemoryInputs,
  strategy: Strategy,
  { piece, load }: { readonly piece: Piece; readonly load: StageLoad },
): Known<'B'> {
  const elements = elementsOf(load, piece.of ?? (policy.adapter ? 'adapters' : 'all'))
  const bytes = knownBytes(piece.bytes, `per parameter, policy ${policy.name}`)
  if (STAGE_OF[strategy.shards] < piece.from)
    return derivedBytes(piece.name, 'bytes * (dense + experts)', {
      from: { bytes, ...elements },
      value: bytes.value * (elements.dense.value + elements.experts.value),
    })
  const by = shardingRanks(strategy)
  const pair = strategy.schedule === 'dualpipe' ? 2 : 1
  const ranks = {
    ranks: knownCount(pair * by.dense, 'that share dense parameters'),
    expertRanks: knownCount(pair * by.routed, 'that share experts'),
  }
  return derivedBytes(piece.name, 'bytes * (dense / ranks + experts / expertRanks)', {
    from: { bytes, ...elements, ...ranks },
    value: bytes.value * (elements.dense.value / ranks.ranks.value + elements.experts.value / ranks.expertRanks.value),
  })
}

function activationTerms(
  { job, machine: { runtime } }: MemoryInputs,
  strategy: Strategy,
  { stage, index, memories }: StagePosition,
): Readonly<Record<string, Known<'B'>>> {
  const { recompute, schedule } = strategy
  const waiting = knownCount(
    inFlight(strategy, index, microbatchesOf(job, strategy)),
    `microbatches that wait for their backward pass, ${schedule}`,
  )
  const kept: Record<string, Known<'B'>> = {}
  const logits: Record<string, Known<'B'>> = {}
  let working = 0
  let shapes = 0
  job.architecture.groups.forEach((group, at) => {
    const memory = memories[at]
    const layers = stage.layers[at] ?? 0
    if (!memory) return
    if (stage.last && isOutput(group)) {
      logits[group.name] = knownBytes(memory.saved.none, `kept by ${group.name}, ${job.loss} loss of ${runtime.name}`)
      shapes += memory.dense
    }
    if (layers === 0) return
    const saved = knownBytes(memory.saved[recompute], `tensors that one layer keeps, summed over its operators, recompute ${recompute}`)
    kept[group.name] = product(group.name, { layers: knownCount(layers, 'on this device'), saved, waiting })
    working = Math.max(working, memory.working[recompute])
    shapes += memory.dense + memory.expertShape
  })
  const dummies = product('dummies', {
    shapes: knownCount(shapes, 'elements of every weight shape once'),
    bytes: knownBytes(job.policy.activation, 'stand-ins of TransformerEngine'),
  })
  return nonZeroTerms({
    activations: sumOf('activations', kept),
    logits: sumOf('logits', logits),
    working: sumOf('working', {
      layer: knownBytes(working, 'backward pass of the widest operator, and what is built again'),
      ...(job.dummyGradients && { dummies }),
    }),
  })
}

const nonZeroTerms = (terms: Readonly<Record<string, Known<'B'>>>): Readonly<Record<string, Known<'B'>>> =>
  Object.fromEntries(Object.entries(terms).filter(([, { value }]) => value > 0))

const AS_OF = 'this plan'
const knownCount = (value: number, ref: string): Known<'1'> => sourcedValue(value, '1', { ref, asOf: AS_OF })
const knownBytes = (value: number, ref: string): Known<'B'> => sourcedValue(value, 'B', { ref, asOf: AS_OF })

const derivedBytes = (output: string, is: string, { from, value }: { readonly from: Inputs; readonly value: number }): Known<'B'> => ({
  value: quantity(value, 'B'),
  unit: 'B',
  by: { kind: 'law', law: `planner/${output}`, output, is, from, outside: [] },
})

const sumOf = (output: string, from: Inputs): Known<'B'> =>
  derivedBytes(output, Object.keys(from).join(' + '), { from, value: Object.values(from).reduce((sum, { value }) => sum + value, 0) })

const product = (output: string, from: Inputs): Known<'B'> =>
  derivedBytes(output, Object.keys(from).join(' * '), { from, value: Object.values(from).reduce((result, { value }) => result * value, 1) })
