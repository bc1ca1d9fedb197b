// `npm run histories -- --seeds 10000`: seeded histories of the control code, checked; `--from N` goes on where others stopped.
// `npm run histories -- --seed 42 --trace` replays one, makes it smaller when it fails, and prints what happened. The database is inside
// each worker; `--server` takes a PostgreSQL server of its own.

import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { SERVER_ABSENT, startPrivateServer } from '../../packages/effects/store/test/private-server.ts'
import { smallest, toldHistory } from './history.ts'
import { openLane, openServerLane } from './lane.ts'
import { planOf } from './plan.ts'
import type { Bundle, Findings } from './worker.ts'

const { values: flags } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
    server: { type: 'boolean', default: false },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
})
const BUNDLE = 25
const PROGRESS_S = 30

if (flags.server && SERVER_ABSENT !== undefined) {
  console.error(SERVER_ABSENT)
  process.exit(1)
}
// The server ends with this process, but only if it is left this way.
for (const [name, status] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(name, () => process.exit(status))
const server = flags.server ? await startPrivateServer() : undefined
const isWell = flags.seed === undefined ? await many(Number(flags.from), Number(flags.seeds)) : await one(Number(flags.seed))
await server?.stop()
process.exit(isWell ? 0 : 1)

async function one(seed: number): Promise<boolean> {
  const lane = await (server ? openServerLane(server.url, 'one') : openLane())
  const whole = await toldHistory(planOf(seed), lane.connection)
  const plan = whole.violations.length > 0 ? await smallest(planOf(seed), lane.connection) : planOf(seed)
  const told = await toldHistory(plan, lane.connection, { isTraced: flags.trace, name: `h${seed}-told` })
  await lane.close()
  for (const line of told.trace) console.log(line)
  console.log(JSON.stringify(plan, null, 2))
  for (const violation of whole.violations) console.log(`BROKEN: ${violation}`)
  console.log(`seed ${seed}: ${told.effects} effects, ${whole.violations.length} violations`)
  return whole.violations.length === 0
}

async function many(from: number, count: number): Promise<boolean> {
  const begun = Date.now()
  const all: Findings[] = []
  let next = from
  const bundle = (): Bundle | undefined => {
    const size = Math.min(BUNDLE, from + count - next)
    next += size
    return size > 0 ? { from: next - size, count: size } : undefined
  }
  const timer = setInterval(() => report(all, begun), PROGRESS_S * 1000)
  const workers = Array.from({ length: Number(flags.workers) }, (_, index) => worked(`lane_${index}`, bundle, all))
  await Promise.all(workers)
  clearInterval(timer)
  return report(all, begun)
}

/** Until there are no more bundles. */
function worked(name: string, bundle: () => Bundle | undefined, all: Findings[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const worker = fork(new URL('worker.ts', import.meta.url), server ? [server.url, name] : [], { serialization: 'advanced' })
  worker.on('exit', (status) => (status === 0 ? resolve() : reject(new Error(`${name} ended with ${status}`))))
  worker.on('message', (findings: Findings | 'ready') => {
    if (findings !== 'ready') {
      all.push(findings)
      for (const { seed, violation } of findings.broken) console.log(`BROKEN: ${violation}; npm run histories -- --seed ${seed} --trace`)
    }
    const more = bundle()
    if (more) worker.send(more)
    else worker.disconnect()
  })
  return promise
}

function report(all: readonly Findings[], begun: number): boolean {
  const sum = (of: (findings: Findings) => number): number => all.reduce((total, each) => total + of(each), 0)
  const taken_s = (Date.now() - begun) / 1000
  const histories = sum((each) => each.histories)
  const broken = sum((each) => each.broken.length)
  const kind = (name: string): number => sum((each) => each.events.get(name) ?? 0)
  console.log(
    `${histories} histories in ${taken_s.toFixed(0)} s, ${(histories / taken_s).toFixed(1)} a second, ${((1000 * sum((each) => each.cpu_s)) / histories).toFixed(0)} ms of a processor each: ${sum((each) => each.runs)} runs ` +
      `(${kind('run-succeeded')} succeeded, ${kind('run-failed')} failed, ${kind('run-cancelled')} cancelled), ` +
      `${kind('attempt-created')} attempts, ${kind('attempt-abandoned')} given up, ${sum((each) => each.effects)} effects, ` +
      `${(sum((each) => each.simulated_s) / 3600).toFixed(1)} simulated hours, ${broken} broken`,
  )
  return broken === 0
}
