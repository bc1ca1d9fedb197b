// What the search computes once per way of dividing a layer: times and memory of every group on one device. All strategies that divide
// layers alike (whatever their pipeline, data parallelism or sharding) share it.

import { type LayerMemory, layerMemory } from '../memory/layer-memory.ts'
import type { TrainingJob, Setup } from '../job.ts'
import { type LayerTime, layerTime, summedWork, type Work, workTime } from '../time/layer-time.ts'
import type { Machine } from '../../machine/machine.ts'
import { type Division, localGroups } from '../time/local-operators.ts'
import { isInput, isOutput } from './stages.ts'

type GroupProfile = {
  readonly time: LayerTime
  /** Forward and backward together. */
  readonly work: Work
  readonly memory: LayerMemory
  readonly forward: number
  readonly backward: number
  readonly isInput: boolean
  readonly isOutput: boolean
}

export type Profile = { readonly groups: readonly GroupProfile[]; readonly memories: readonly LayerMemory[] }

export function profileOf(setup: Setup, division: Division): Profile {
  const { job } = setup
  const groups = localGroups(job, division).map((group): GroupProfile => {
    const time = layerTime(setup, group, division)
    return {
      time,
      work: summedWork(time),
      memory: layerMemory(setup, group, division),
      forward: workTime(time.forward),
      backward: workTime(time.backward),
      isInput: isInput(group),
      isOutput: isOutput(group),
    }
  })
  return { groups, memories: groups.map(({ memory }) => memory) }
}

/** Remembered per job and machine: searches over several sizes of fleet divide layers in the same few thousand ways. */
const KNOWN = new WeakMap<TrainingJob, WeakMap<Machine, Map<string, Profile>>>()

export function knownProfile(setup: Setup, division: Division): Profile {
  const byMachine = KNOWN.get(setup.job) ?? new WeakMap<Machine, Map<string, Profile>>()
  KNOWN.set(setup.job, byMachine)
  const known = byMachine.get(setup.machine) ?? new Map<string, Profile>()
  byMachine.set(setup.machine, known)
  const { tensor, sequenceParallel, context, contextBy, expert, microbatch, recomputeModules } = division
  const own =
    expert > 1 ? `${division.dispatcher} ${division.dispatchPrecision} ${division.expertOverlap === true ? division.schedule : ''}` : ''
  const key = `${tensor} ${sequenceParallel} ${context} ${contextBy} ${expert} ${microbatch} ${own} ${recomputeModules?.join(',') ?? ''}`
  const found = known.get(key) ?? profileOf(setup, division)
  known.set(key, found)
  return found
}
