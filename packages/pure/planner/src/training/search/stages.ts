// Which layers each pipeline stage holds. Layers are spread as evenly as they go; what is left over goes to the stages after the first, so
// that the ends, which also hold embedding, head and loss, are the lighter ones.

import type { Group } from '@ironlaw/models'

export type Stage = {
  /** Layers of each decoder group, by the group's place in `groups`. */
  readonly layers: readonly number[]
  readonly first: boolean
  readonly last: boolean
}

/** Layers per stage over all its chunks, in the order of the model's layout. */
export function stagesOf(layout: readonly number[], groups: number, pipeline: number): readonly Stage[] {
  const base = Math.floor(layout.length / pipeline)
  const extra = layout.length % pipeline
  let next = 0
  return Array.from({ length: pipeline }, (_, index) => {
    const layers = Array.from({ length: groups }, () => 0)
    for (const end = next + base + (takesMore(index, extra, pipeline) ? 1 : 0); next < end; next += 1) {
      const group = layout[next] ?? 0
      layers[group] = (layers[group] ?? 0) + 1
    }
    return { layers, first: index === 0, last: index === pipeline - 1 }
  })
}

/** The middle first, then the first stage; the last one never, as an extra there would make it the rule. */
const takesMore = (index: number, extra: number, pipeline: number): boolean =>
  extra > 0 && (index === 0 ? extra === pipeline - 1 : index <= Math.min(extra, pipeline - 2))

/** Stages that hold the same layers and ends are timed once; the earliest of them holds the most microbatches in flight. */
export type StageKind = { readonly stage: Stage; readonly earliest: number; readonly times: number }

/** Remembered per layout: a search asks for the same few pipelines millions of times. */
const KNOWN = new WeakMap<readonly number[], Map<number, readonly StageKind[]>>()

export function stageKinds(layout: readonly number[], groups: number, pipeline: number): readonly StageKind[] {
  const known = KNOWN.get(layout) ?? new Map<number, readonly StageKind[]>()
  KNOWN.set(layout, known)
  const found = known.get(pipeline)
  if (found) return found
  const made = kindsOf(layout, groups, pipeline)
  known.set(pipeline, made)
  return made
}

function kindsOf(layout: readonly number[], groups: number, pipeline: number): readonly StageKind[] {
  const kinds: { stage: Stage; earliest: number; times: number }[] = []
  stagesOf(layout, groups, pipeline).forEach((stage, index) => {
    const last = kinds.at(-1)
    if (last && sameWork(last.stage, stage)) last.times += 1
    else kinds.push({ stage, earliest: index, times: 1 })
  })
  return kinds
}

const sameWork = (a: Stage, b: Stage): boolean =>
  a.first === b.first && a.last === b.last && a.layers.every((count, at) => count === b.layers[at])

/** Groups outside the repeated stack: embeddings before it, norm and head after it. */
export const isInput = (group: Pick<Group, 'stack'>): boolean => group.stack === 'input' || group.stack === 'vision'
export const isOutput = (group: Pick<Group, 'stack'>): boolean => group.stack === 'output'
