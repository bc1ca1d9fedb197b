// A question of the page, resolved against models and catalog into what the planner takes.

import { accelerator as acceleratorOf, type Catalog } from '@ironlaw/catalog'
import { IronlawError } from '@ironlaw/contracts'
import { type Machine, nodeShape, POLICIES, RUNTIMES, usualTraining, type Wanted } from '@ironlaw/planner'
import { parse } from '@ironlaw/units'
import { decoderOf } from '../decoders.ts'
import type { TrainingQuestion } from './question.ts'

export type Training = {
  readonly machine: Machine
  readonly wanted: Omit<Wanted, 'keep'>
  readonly warnings: readonly string[]
}

export function trainingOf(catalog: Catalog, question: TrainingQuestion): Training {
  const { name, architecture, warnings } = decoderOf(question)
  const policy = named(POLICIES, question.precision)
  const runtime = named(RUNTIMES, question.runtime)
  const accelerator = acceleratorOf(catalog, question.accelerator).id
  const shape = nodeShape(catalog, accelerator)
  const perNode = shape?.perNode ?? 8
  const portBandwidth = linkOf(question) ?? shape?.portBandwidth
  const asked = { architecture, sequence: question.sequence, globalBatch: question.batch, policy }
  const { machine, job } = usualTraining(catalog, { ...asked, accelerator, runtime, perNode, portBandwidth })
  return {
    machine,
    warnings: [
      ...warnings,
      ...(question.sequence > (architecture.longestContext ?? Infinity)
        ? [`sequences of ${question.sequence} tokens are longer than the ${architecture.longestContext} the model was made for`]
        : []),
      ...(machine.silicon.borrowed ? [`no kernel measurements of ${accelerator}: another accelerator's curve, scaled by its peaks`] : []),
    ],
    wanted: {
      name: name.split('/').at(-1) ?? name,
      model: name,
      job,
      tokens: question.tokens,
      accelerator,
      fleet: { devices: question.devices, perNode: Math.min(perNode, question.devices) },
      ...(shape && { perHost: shape.perHost }),
      ...(question.region !== '' && { region: question.region }),
    },
  }
}

function linkOf({ link }: TrainingQuestion): number | undefined {
  const parsed = parse(link, 'B/s')
  return parsed.ok ? parsed.value : undefined
}

function named<T>(table: Readonly<Record<string, T>>, name: string): T {
  const found = Object.hasOwn(table, name) ? table[name] : undefined
  if (found === undefined)
    throw new IronlawError('IL_CONFIG', { file: 'the address', field: name, problem: `known are ${Object.keys(table).join(', ')}` })
  return found
}
