// What the search computes once per way of dividing a layer: times and memory of every group on one device. All strategies that divide
// layers alike (whatever their pipeline, data parallelism or sharding) share it.

import { type LayerMemory, layerMemory } from './layer-memory.ts'
import { type LayerTime, layerTime, type Setup, workTime } from './layer-time.ts'
import { type Division, localGroups } from './local-operators.ts'
import { isInput, isOutput } from './stages.ts'

type GroupProfile = {
  readonly time: LayerTime
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
      memory: layerMemory(setup, group),
      forward: workTime(time.forward),
      backward: workTime(time.backward),
      isInput: isInput(group),
      isOutput: isOutput(group),
    }
  })
  return { groups, memories: groups.map(({ memory }) => memory) }
}
