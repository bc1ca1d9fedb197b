import type { NamedModel } from '@ironlaw/planner'
import {
  activationBytes,
  builtInModels,
  cacheOf,
  checkModels,
  flopTotals,
  operatorList,
  type Operator,
  parameterCounts,
  type Workload,
} from '@ironlaw/models'
import { bytes, quantity, show } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { modelFrom } from './model-source.ts'
import { paint } from '../paint.ts'
import { table } from '../table.ts'
import { sequenceFlag, wholeNumber } from '../whole-number.ts'

type Flags = { readonly batch: string; readonly sequence: string; readonly operators?: true }

const BF16_BYTES = 2

export function modelAnswer(name: string | undefined, flags: Flags): CommandAnswer {
  if (name === undefined) return names()
  const workload: Workload = {
    batch: wholeNumber('--batch', flags.batch),
    tokens: sequenceFlag('--sequence', flags.sequence),
    context: 0,
    precision: { weight: BF16_BYTES, activation: BF16_BYTES, cache: BF16_BYTES },
  }
  return card(modelFrom(name), workload, flags.operators === true)
}

export function modelCheckAnswer(): CommandAnswer {
  const { rows, unpublished, ...counts } = checkModels()
  const wrong = rows.filter((row) => row.error > 0.0005 && !row.rounded)
  return {
    json: counts,
    text: () =>
      [
        table(
          ['model', 'published', 'counted', 'error'],
          rows.map((row) => [
            row.name,
            row.published.toLocaleString('en'),
            row.counted.toLocaleString('en'),
            row.error === 0 ? 'exact' : `${(100 * row.error).toPrecision(2)} %`,
          ]),
          [1, 2, 3],
        ),
        '',
        `${counts.models} models with a published count, ${counts.exact} counted exactly, worst error ${(100 * counts.worstError).toPrecision(2)} %; ${unpublished.length} more without one`,
      ].join('\n'),
    ...(wrong.length > 0 && { exit: 3 }),
  }
}

function names(): CommandAnswer {
  return {
    json: { models: builtInModels.map(({ name, aliases }) => ({ name, aliases })) },
    text: () =>
      `${builtInModels.map(({ name }) => name).join('\n')}\n\n${builtInModels.length} built-in models; any config.json works too.`,
  }
}

function card({ name, architecture, warnings }: NamedModel, workload: Workload, withOperators: boolean): CommandAnswer {
  const counts = parameterCounts(architecture)
  const operators = operatorList(architecture, workload)
  const cache = cacheOf(architecture, { cache: BF16_BYTES })
  const { forward, backward } = flopTotals(operators)
  const activations = activationBytes(architecture, workload)
  return {
    json: {
      name,
      modelType: architecture.modelType,
      warnings,
      parameters: counts,
      layers: architecture.layout.length,
      width: architecture.width,
      vocabulary: architecture.vocabulary,
      weights_bytes: counts.total * BF16_BYTES,
      cache_bytes_per_token: cache.perToken,
      state_bytes_per_sequence: cache.state,
      workload: { batch: workload.batch, tokens: workload.tokens },
      forward_flop: forward,
      backward_flop: backward,
      activation_bytes: activations.total,
      ...(withOperators && { operators }),
    },
    text: () => {
      const rows: [string, string, string][] = [
        ['parameters', counts.total.toLocaleString('en'), show(quantity(counts.total, '1'), '1')],
        ...(counts.active === counts.total
          ? []
          : [
              ['active per token', counts.active.toLocaleString('en'), show(quantity(counts.active, '1'), '1')] as [string, string, string],
            ]),
        ...(counts.prediction === 0
          ? []
          : [['prediction module', counts.prediction.toLocaleString('en'), 'not in the total'] as [string, string, string]]),
        ['weights', show(bytes(counts.total * BF16_BYTES), 'B'), 'in BF16'],
        ['KV cache', show(cache.perToken, 'B'), 'per token in BF16'],
        ...(cache.state > 0 ? [['state', show(cache.state, 'B'), 'per sequence in BF16'] as [string, string, string]] : []),
        ['forward', show(forward, 'FLOP'), `batch ${workload.batch}, ${workload.tokens} tokens`],
        ['backward', show(backward, 'FLOP'), ''],
        ['activations', show(activations.total, 'B'), 'kept for the backward pass, no recomputation'],
      ]
      return [
        `${paint('bold', name)}  ${architecture.modelType}, ${architecture.layout.length} layers, width ${architecture.width.toLocaleString('en')}`,
        ...warnings.map((warning) => paint('yellow', `assumed: ${warning}`)),
        '',
        table(['', '', ''], rows, [1]).split('\n').slice(1).join('\n'),
        ...(withOperators ? ['', operatorTable(operators)] : []),
      ].join('\n')
    },
  }
}

function operatorTable(operators: readonly Operator[]): string {
  const rows = operators.map((each) => [
    each.group,
    each.name,
    String(each.count),
    shapeText(each),
    show(each.forward, 'FLOP'),
    show(each.backward, 'FLOP'),
    show(each.weightBytes, 'B'),
    show(bytes(each.readBytes + each.writtenBytes), 'B'),
  ])
  return table(['group', 'operator', 'times', 'shape', 'forward', 'backward', 'weights', 'activations'], rows, [2, 4, 5, 6, 7])
}

function shapeText(each: Operator): string {
  switch (each.kind) {
    case 'gemm':
      return `${each.m} x ${each.k} x ${each.n}`
    case 'grouped-gemm':
      return `${each.groups} of ${each.m} x ${each.k} x ${each.n}`
    case 'attention':
      return `${each.sequences} x ${each.heads}/${each.kvHeads} heads x ${each.queries} x ${each.keys}`
    case 'scan':
      return `${each.rows} x ${each.channels} x ${each.state}`
    case 'convolution':
      return `${each.rows} x ${each.inputs} to ${each.outputs}, kernel ${each.kernel}`
    case 'lookup':
    case 'vector':
      return `${each.rows} x ${each.width}`
  }
}
