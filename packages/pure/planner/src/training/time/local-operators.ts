// The operators that one device runs for one microbatch: the model's operators with every shape divided as the strategy says.

import { type Operator, operatorList } from '@ironlaw/models'
import { flop } from '@ironlaw/units'
import type { Product } from '../../machine/kernels.ts'
import type { TrainingJob } from '../job.ts'
import type { Strategy } from '../strategy.ts'

/** What of a strategy decides the work of a layer on one device. Two strategies that agree here share the layer's profile. */
export type Division = Pick<
  Strategy,
  | 'tensor'
  | 'sequenceParallel'
  | 'context'
  | 'contextBy'
  | 'expert'
  | 'dispatcher'
  | 'dispatchPrecision'
  | 'expertOverlap'
  | 'microbatch'
  | 'recomputeModules'
> &
  Partial<Pick<Strategy, 'schedule'>>

export type LocalOperator = {
  readonly name: string
  readonly operator: Operator
  /** By how much the weights, the forward work and the saved activations of the operator are divided. */
  readonly weightsBy: number
  readonly workBy: number
  readonly savedBy: number
  readonly expert: boolean
  /** How often its bytes move, where that is not once. */
  readonly moved?: number
}

export type LocalGroup = {
  readonly name: string
  readonly stack: Operator['stack']
  readonly count: number
  readonly operators: readonly LocalOperator[]
}

/** One entry per group of the architecture, in its order, so that the layout's indices hold. */
export function localGroups(job: TrainingJob, division: Division): readonly LocalGroup[] {
  const operators = wholeOperators(job, division.microbatch)
  const imbalance = division.expert > 1 ? (job.expertImbalance ?? 1) : 1
  return job.architecture.groups.map(({ name, stack, count }, at) => ({
    name,
    stack,
    count,
    operators: (operators[at] ?? []).map((operator) => localOperator(operator, division, imbalance)),
  }))
}

/** Remembered per job: a search divides the operators of the same few microbatches again and again. */
const KNOWN = new WeakMap<TrainingJob, Map<number, readonly (readonly Operator[])[]>>()

/** Undivided, by group. */
function wholeOperators(job: TrainingJob, microbatch: number): readonly (readonly Operator[])[] {
  const known = KNOWN.get(job) ?? new Map<number, readonly (readonly Operator[])[]>()
  KNOWN.set(job, known)
  const found = known.get(microbatch)
  if (found) return found
  const { weight, activation } = job.policy
  const operators = operatorList(job.architecture, {
    batch: microbatch,
    tokens: job.sequence,
    context: 0,
    precision: { weight, activation, cache: activation },
    attention: job.attention,
    dropout: job.dropout,
  })
  const made = job.architecture.groups.map(({ name, stack }) =>
    operators.filter((operator) => operator.group === name && operator.stack === stack).map((operator) => withinDocuments(job, operator)),
  )
  known.set(microbatch, made)
  return made
}

/** Attention over packed documents leaves out pairs of different ones. */
export const withinDocuments = ({ visibleShare = 1 }: TrainingJob, operator: Operator): Operator =>
  operator.kind === 'attention' && visibleShare < 1
    ? {
        ...operator,
        pairs: operator.pairs * visibleShare,
        forward: flop(operator.forward * visibleShare),
        backward: flop(operator.backward * visibleShare),
      }
    : operator

/** The product that one device computes. What tensor parallelism does not take from the weights' shape, context parallelism takes from the rows. */
export function localProduct({ m, n, k, split }: Extract<Operator, { kind: 'gemm' }>, { weightsBy, workBy }: LocalOperator): Product {
  const rows = (m * weightsBy) / workBy
  return split === 'row' ? { m: rows, n, k: k / weightsBy } : { m: rows, n: n / weightsBy, k }
}

/** Context parallelism divides the tokens of everything; tensor parallelism divides each operator in its own way. */
function localOperator(operator: Operator, division: Division, imbalance: number): LocalOperator {
  const { tensor, sequenceParallel, context, expert } = division
  const base = { name: operator.name, operator, expert: operator.split === 'experts' }
  const along = sequenceParallel ? tensor : 1
  switch (operator.split) {
    case 'column':
      // The input of a column-parallel product is whole on every rank; with sequence parallelism only its slice is kept.
      return { ...base, weightsBy: tensor, workBy: tensor * context, savedBy: context * (operator.kind === 'gemm' ? along : tensor) }
    case 'row':
    case 'heads':
      return { ...base, weightsBy: tensor, workBy: tensor * context, savedBy: tensor * context }
    case 'experts':
      // Tokens leave for other ranks and as many come back: expert parallelism divides weights, not work. All wait for the fullest rank.
      return {
        ...base,
        weightsBy: expert,
        workBy: (context * along) / imbalance,
        savedBy: (context * along) / imbalance,
        ...sorting(operator, division),
      }
    case 'activations':
    case 'whole':
      return { ...base, weightsBy: 1, workBy: context * along, savedBy: context * along }
  }
}

/** An all-to-all delivers tokens by sender: what came for several experts of a rank is sorted by expert, and back before it returns. */
function sorting({ name, readBytes, writtenBytes }: Operator, { expert, dispatcher = 'alltoall' }: Division): Pick<LocalOperator, 'moved'> {
  if (!name.endsWith('permute') || expert === 1 || dispatcher !== 'alltoall') return {}
  return { moved: 1 + (2 * Math.max(readBytes, writtenBytes)) / (readBytes + writtenBytes) }
}
