// A few items asked as the run will ask them: what plans take the time from.

import type { EvaluateSpec } from '@ironlaw/contracts/evaluate-spec'
import { type ItemRequest, itemRequests } from '@ironlaw/policies/evaluation'
import { answerItem } from './answer-item.ts'
import { eachAtOnce } from './each-at-once.ts'
import { type EvaluationRequest, prepare, type Prepared } from './prepare.ts'

type AskedItem = { readonly size: number; readonly ms: number; readonly tokens_in: number; readonly tokens_out: number }

export type EngineProbe = Pick<Prepared, 'model' | 'instrument'> & {
  /** What is read of each item of the set: tokens where they are known, else characters. */
  readonly sizes: readonly number[]
  /** Those that were completed while the engine was as busy as it will be, and the time in which they were. */
  readonly items: readonly AskedItem[]
  readonly time_s: number
  /** Of all items that were asked. */
  readonly took_s: number
}

export type ProbeRequest = EvaluationRequest & {
  /** Items that are measured. */
  readonly items_measured: number
  /** Which items to ask, of so many. */
  readonly places: (sizes: readonly number[], wanted: number) => readonly number[]
}

export async function probeEngine(request: ProbeRequest): Promise<EngineProbe> {
  const prepared = await prepare(request)
  const { items, reading, spec, model, instrument } = prepared
  const sizes = items.map((item) => itemRequests(item, reading).reduce((sum, each) => sum + sizeOf(each), 0))
  const wanted = itemsToAsk(spec, request.items_measured)
  const chosen = request.places(sizes, wanted).flatMap((place) => {
    const item = items[place]
    return item ? [{ item, size: sizes[place] ?? 0 }] : []
  })
  const completed: (AskedItem & { readonly at_ms: number })[] = []
  const began = performance.now()
  const work = async ({ item, size }: (typeof chosen)[number]): Promise<void> => {
    const { ms, tokens_in, tokens_out } = await answerItem(prepared, item)
    completed.push({ size, ms, tokens_in, tokens_out, at_ms: performance.now() - began })
  }
  await eachAtOnce({ items: chosen, atOnce: spec.engine.concurrency, work })
  return { model, instrument, sizes, ...busyPart(completed, spec.engine.concurrency), took_s: (performance.now() - began) / 1000 }
}

/** Answers of equal length are completed in waves, of which only whole ones say how fast they come; one more wave begins, and one ends, the probe. */
function itemsToAsk({ engine: { concurrency } }: EvaluateSpec, measured: number): number {
  return (Math.ceil(measured / concurrency) + 2) * concurrency
}

/** Between the end of the first wave and the beginning of the last, when fewer are asked at a time; all of it where the items are too few. */
function busyPart(
  completed: readonly (AskedItem & { readonly at_ms: number })[],
  concurrency: number,
): Pick<EngineProbe, 'items' | 'time_s'> {
  const isLong = completed.length >= 3 * concurrency
  const items = isLong ? completed.slice(concurrency, completed.length - concurrency) : completed
  const from_ms = isLong ? (completed[concurrency - 1]?.at_ms ?? 0) : 0
  return {
    items: items.map(({ size, ms, tokens_in, tokens_out }) => ({ size, ms, tokens_in, tokens_out })),
    time_s: ((items.at(-1)?.at_ms ?? 0) - from_ms) / 1000,
  }
}

function sizeOf(request: ItemRequest): number {
  if (request.ask === 'likelihood') return request.tokens.length
  const { input } = request
  return 'prompt' in input ? input.prompt.length : input.messages.reduce((sum, { content }) => sum + content.length, 0)
}
