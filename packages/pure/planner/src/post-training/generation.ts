// The side that generates: as many engines as its devices hold, in the shape that is done first.

import type { Catalog } from '@ironlaw/catalog'
import type { RlSpec } from '@ironlaw/contracts/rl-spec'
import type { Architecture } from '@ironlaw/models'
import { candidateLayouts } from '../serving/candidates.ts'
import { ENGINE_RUNTIMES } from '../serving/engine-runtime.ts'
import { devicesOf } from '../serving/layout.ts'
import { servingMemory } from '../serving/memory.ts'
import { type PreparedReplica, preparedReplica } from '../serving/prepared-replica.ts'
import { SERVING_PRECISIONS } from '../serving/precision.ts'
import { servingMachine } from '../serving/replica-design.ts'
import { type GenerationTime, generationTime } from './generation-time.ts'
import type { RlWork } from './trainer.ts'

export type Generation = {
  readonly replica: PreparedReplica
  readonly devices: number
  readonly replicas: number
  readonly requests: number
  readonly time: GenerationTime
}

type EngineFleet = { readonly accelerator: string; readonly perNode: number; readonly portBandwidth: number }

/** Every shape of an engine, compiled once for all numbers of devices. */
export function engineShapes(
  catalog: Catalog,
  { architecture, spec }: { readonly architecture: Architecture; readonly spec: RlSpec },
  fleet: EngineFleet,
): readonly PreparedReplica[] {
  const machine = servingMachine(catalog, fleet)
  const fixed = spec.generation.tensor === undefined ? {} : { tensor: spec.generation.tensor }
  return candidateLayouts(architecture, fleet.perNode, fixed)
    .filter(({ pipeline }) => pipeline === 1)
    .map((layout) =>
      preparedReplica({
        architecture,
        machine,
        precision: SERVING_PRECISIONS.bf16,
        cache: 'bf16',
        runtime: ENGINE_RUNTIMES[spec.generation.engine],
        layout,
      }),
    )
}

type GenerationInputs = {
  readonly spec: RlSpec
  readonly work: RlWork
  readonly devices: number
  /** Bytes of a device that others hold. */ readonly taken_bytes: number
}

/** The shape that is done first; undefined where none holds the model and an answer. */
export function bestGeneration(
  shapes: readonly PreparedReplica[],
  { spec, work, devices, taken_bytes }: GenerationInputs,
): Generation | undefined {
  const generations = shapes.flatMap((shape): Generation[] => {
    const each = devicesOf(shape.replica.layout)
    const replicas = Math.min(Math.floor(devices / each), work.requests)
    if (replicas === 0) return []
    const { machine } = shape.replica
    const smaller = { ...shape.replica, machine: { ...machine, memory_bytes: machine.memory_bytes - taken_bytes } }
    const replica = taken_bytes === 0 ? shape : { ...shape, memory: servingMemory(smaller) }
    const requests = work.requests / replicas
    const time = generationTime(replica, {
      requests,
      samples: Math.min(spec.samples, requests),
      prompt: spec.promptTokens,
      answers: work.answers,
      longestAnswer: spec.longestAnswer,
      all: work.requests,
      continuous: spec.staleness > 1,
    })
    return time ? [{ replica, devices, replicas, requests, time }] : []
  })
  return generations.reduce<Generation | undefined>(
    (best, each) => (best && best.time.total_s <= each.time.total_s ? best : each),
    undefined,
  )
}
