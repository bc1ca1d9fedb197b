// `npm run histories -- --seeds 10000`: seeded histories of the control code, checked; `--from N` goes on where others stopped, and
// `--from today` takes seeds that change from day to day. `--kind runs` or `--kind deployments` takes one kind instead of N of each.
// `npm run histories -- --kind runs --seed 42 --trace` replays one, makes it smaller when it fails, and prints what happened. The database
// is inside each worker; `--server` takes a PostgreSQL server of its own.

import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { SERVER_ABSENT, startPrivateServer } from '../../packages/effects/store/test/private-server.ts'
import { KINDS, type KindName } from './kinds.ts'
import { openLane, openServerLane } from './lane.ts'
import type { Bundle, Findings } from './worker.ts'

const { values: flags } = parseArgs({
  options: {
    kind: { type: 'string', default: 'all' },
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
/** More than are ever run in a day. */
const SEEDS_OF_DAY = 100_000
const DAY_MS = 86_400_000

const isKind = (name: string): name is KindName => Object.hasOwn(KINDS, name)
const names = flags.kind === 'all' ? Object.keys(KINDS) : [flags.kind]
const kinds = names.filter(isKind)
if (kinds.length < names.length) {
  console.error(`there is no kind of histories "${flags.kind}": take ${Object.keys(KINDS).join(' or ')}`)
  process.exit(1)
}
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
// It is lost with the machine in any case: without whole pages in its log it is twice as fast.
const server = flags.server ? await startPrivateServer(['full_page_writes=off', 'synchronous_commit=off']) : undefined
const from = flags.from === 'today' ? SEEDS_OF_DAY * Math.floor(Date.now() / DAY_MS) : Number(flags.from)
let isWell = true
for (const kind of kinds)
  isWell = (await (flags.seed === undefined ? runMany(kind, Number(flags.seeds)) : runOne(kind, Number(flags.seed)))) && isWell
await server?.stop()
process.exit(isWell ? 0 : 1)

async function runOne(kind: KindName, seed: number): Promise<boolean> {
  const lane = await (server ? openServerLane(server.url, `one_${kind}`) : openLane())
  const { plan, trace, effects, violations } = await KINDS[kind].replayed(seed, lane.connection, flags.trace)
  await lane.close()
  for (const line of trace) console.log(line)
  console.log(JSON.stringify(plan, null, 2))
  for (const violation of violations) console.log(`BROKEN: ${violation}`)
  console.log(`${kind}, seed ${seed}: ${effects} effects, ${violations.length} violations`)
  return violations.length === 0
}

async function runMany(kind: KindName, count: number): Promise<boolean> {
  const begun = Date.now()
  const all: Findings[] = []
  console.log(`${kind}: seeds from ${from}, ${count} of them`)
  let next = from
  const bundle = (): Bundle | undefined => {
    const size = Math.min(BUNDLE, from + count - next)
    next += size
    return size > 0 ? { kind, from: next - size, count: size } : undefined
  }
  const timer = setInterval(() => report(kind, all, begun), PROGRESS_S * 1000)
  const workers = Array.from({ length: Number(flags.workers) }, (_, index) => runWorker(`${kind}_${index}`, bundle, all))
  await Promise.all(workers)
  clearInterval(timer)
  return report(kind, all, begun)
}

/** Until there are no more bundles. */
function runWorker(name: string, bundle: () => Bundle | undefined, all: Findings[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const worker = fork(new URL('worker.ts', import.meta.url), server ? [server.url, name] : [], { serialization: 'advanced' })
  worker.on('exit', (status) => (status === 0 ? resolve() : reject(new Error(`${name} ended with ${status}`))))
  worker.on('message', (findings: Findings | 'ready') => {
    if (findings !== 'ready') {
      all.push(findings)
      for (const { seed, violation } of findings.broken)
        console.log(`BROKEN: ${violation}; npm run histories -- --kind ${findings.kind} --seed ${seed} --trace`)
    }
    const more = bundle()
    if (more) worker.send(more)
    else worker.disconnect()
  })
  return promise
}

function report(kind: KindName, all: readonly Findings[], begun: number): boolean {
  const sum = (of: (findings: Findings) => number): number => all.reduce((total, each) => total + of(each), 0)
  const taken_s = (Date.now() - begun) / 1000
  const histories = sum((each) => each.histories)
  const broken = sum((each) => each.broken.length)
  const figures = KINDS[kind].figures.map(([event, name]) => `${sum((each) => each.events.get(event) ?? 0)} ${name}`)
  console.log(
    `${kind}: ${histories} histories in ${taken_s.toFixed(0)} s, ${(histories / taken_s).toFixed(1)} a second, ${((1000 * sum((each) => each.cpu_s)) / histories).toFixed(0)} ms of a processor each: ` +
      `${figures.join(', ')}, ${sum((each) => each.effects)} effects, ` +
      `${(sum((each) => each.simulated_s) / 3600).toFixed(1)} simulated hours, ${broken} broken`,
  )
  return broken === 0
}
