// Lives histories for main.ts, a bundle of seeds at a time, in a database of its own.

import { KINDS, type KindName } from './kinds.ts'
import { openLane, openServerLane } from './lane.ts'

export type Bundle = { readonly kind: KindName; readonly from: number; readonly count: number }

export type Findings = {
  readonly kind: KindName
  readonly histories: number
  readonly effects: number
  readonly simulated_s: number
  /** Processor time of this process. */
  readonly cpu_s: number
  readonly events: ReadonlyMap<string, number>
  readonly broken: readonly { readonly seed: number; readonly violation: string }[]
}

const [url, name = ''] = process.argv.slice(2)
const lane = await (url === undefined ? openLane() : openServerLane(url, name))
process.on('message', (bundle: Bundle) => void runBundle(bundle).then((findings) => process.send?.(findings)))
process.on('disconnect', () => void lane.close())
process.send?.('ready')

async function runBundle({ kind, from, count }: Bundle): Promise<Findings> {
  const before = process.cpuUsage()
  const events = new Map<string, number>()
  const broken: { seed: number; violation: string }[] = []
  let [effects, simulated_s] = [0, 0]
  for (let seed = from; seed < from + count; seed += 1) {
    const lived = await KINDS[kind].lived(seed, lane.connection)
    effects += lived.effects
    simulated_s += lived.simulated_s
    for (const [event, times] of lived.events) events.set(event, (events.get(event) ?? 0) + times)
    const [violation] = lived.violations
    if (violation !== undefined) broken.push({ seed, violation })
  }
  const { user, system } = process.cpuUsage(before)
  return { kind, cpu_s: (user + system) / 1e6, histories: count, effects, simulated_s, events, broken }
}
