// Tells histories for main.ts, a bundle of seeds at a time, in a database of its own.

import { toldHistory } from './history.ts'
import { openLane, openServerLane } from './lane.ts'
import { planOf } from './plan.ts'

export type Bundle = { readonly from: number; readonly count: number }

export type Findings = {
  readonly histories: number
  readonly runs: number
  readonly effects: number
  readonly simulated_s: number
  /** Processor time of this process. */
  readonly cpu_s: number
  readonly events: ReadonlyMap<string, number>
  readonly broken: readonly { readonly seed: number; readonly violation: string }[]
}

const [url, name = ''] = process.argv.slice(2)
const lane = await (url === undefined ? openLane() : openServerLane(url, name))
process.on('message', (bundle: Bundle) => void found(bundle).then((findings) => process.send?.(findings)))
process.on('disconnect', () => void lane.close())
process.send?.('ready')

async function found({ from, count }: Bundle): Promise<Findings> {
  const before = process.cpuUsage()
  const events = new Map<string, number>()
  const broken: { seed: number; violation: string }[] = []
  let [runs, effects, simulated_s] = [0, 0, 0]
  for (let seed = from; seed < from + count; seed += 1) {
    const plan = planOf(seed)
    const told = await toldHistory(plan, lane.connection)
    runs += plan.runs.length
    effects += told.effects
    simulated_s += told.simulated_s
    for (const [kind, times] of told.events) events.set(kind, (events.get(kind) ?? 0) + times)
    const [violation] = told.violations
    if (violation !== undefined) broken.push({ seed, violation })
  }
  const { user, system } = process.cpuUsage(before)
  return { cpu_s: (user + system) / 1e6, histories: count, runs, effects, simulated_s, events, broken }
}
