// The gateway for a long time: half of what it can take, a fault every minute, and what grows. npm run soak -- --minutes 40. It fails when a
// request is lost without a byte, when a gateway ends by itself, or when memory, descriptors or rows are shown to grow beyond their limits.

import { parseArgs } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { requestText, unaryLoad } from '../load.ts'
import { KEY, OTHER_KEY } from '../../../../packages/effects/gateway/test/setting.ts'
import { FAULTS } from './faults.ts'
import { type Reading, slopeOf } from './slope.ts'
import { SoakLoad } from './soak-load.ts'
import { descriptorsOf, heapOf, memoryOf, type Part, SoakSystem } from './soak-system.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '40' }, 'per-second': { type: 'string' } } })
const minutes = Number(values.minutes)
const MIB = 2 ** 20
const SAMPLE_MS = 2000
/** Compilers, caches and the first leases settle. */
const WARM_UP_SHARE = 0.2
/** In less, what settles in the first minutes looks like growth. */
const JUDGED_MINUTES = 15
/** The part of a minute for which a fault lasts. */
const FAULT_S = 20
/** Growth an hour that may be shown; a leak of one small object a request would be a hundred times as much. */
const LIMITS = { 'resident memory, MiB': 32, 'heap after collection, MiB': 8, descriptors: 20 } as const

type Figure = keyof typeof LIMITS

const series: Record<Figure, Reading[]> = { 'resident memory, MiB': [], 'heap after collection, MiB': [], descriptors: [] }
const problems: string[] = []
const began = performance.now()
const elapsed_s = (): number => (performance.now() - began) / 1000
const say = (line: string): void => console.log(`${elapsed_s().toFixed(0).padStart(5)} s  ${line}`)

async function sample(gateway: Part): Promise<void> {
  const at_s = elapsed_s()
  series['resident memory, MiB'].push({ at_s, value: memoryOf(gateway) / MIB })
  series.descriptors.push({ at_s, value: descriptorsOf(gateway) })
  const heap = await heapOf(gateway)
  if (heap !== undefined) series['heap after collection, MiB'].push({ at_s, value: heap / MIB })
}

function judge(figure: Figure, from_s: number): void {
  const readings = series[figure].filter(({ at_s }) => at_s >= from_s)
  const slope = slopeOf(readings)
  const limit = LIMITS[figure]
  const [first, last] = [readings[0]?.value ?? Number.NaN, readings.at(-1)?.value ?? Number.NaN]
  if (!slope) {
    problems.push(`${figure}: only ${readings.length} samples`)
    return
  }
  const { perHour, low, high } = slope
  if (minutes < JUDGED_MINUTES) {
    say(`${figure}: ${first.toFixed(1)} to ${last.toFixed(1)}, ${perHour.toFixed(1)} an hour; too short a run to judge`)
    return
  }
  const verdict = low > limit ? 'GROWS' : high <= limit ? 'shown not to grow' : 'not decided by a run of this length'
  say(
    `${figure}: ${first.toFixed(1)} to ${last.toFixed(1)}, ${perHour.toFixed(1)} an hour (95 %: ${low.toFixed(1)} to ${high.toFixed(1)}), limit ${limit}: ${verdict}`,
  )
  if (low > limit) problems.push(`${figure} grows by ${perHour.toFixed(1)} an hour`)
}

async function soak(system: SoakSystem): Promise<void> {
  await system.start()
  const [steady, other] = system.gateways
  if (!steady || !other) throw new Error('no gateway was started')
  const headers = { authorization: `Bearer ${KEY}` }
  const proxy = { name: 'gateway', port: steady.port, headers, pid: () => 0 }
  await unaryLoad(proxy, { connections: 32, requests: 3000 })
  const from = performance.now()
  const { done } = await unaryLoad(proxy, { connections: 32, requests: 6000 })
  const capacity = (1000 * done) / (performance.now() - from)
  const perSecond = values['per-second'] === undefined ? capacity / 2 : Number(values['per-second'])
  say(`one gateway takes ${capacity.toFixed(0)} requests/s here; ${perSecond.toFixed(0)} are sent`)
  const requests = [false, false, false, true].flatMap((stream) =>
    [KEY, OTHER_KEY].map((key) => requestText({ headers: { authorization: `Bearer ${key}` } }, stream, { max_tokens: 20 })),
  )
  const load = new SoakLoad(system.gateways, { requests, perSecond })
  const start_s = elapsed_s()
  let restarts = 0
  const minute = async (number: number): Promise<void> => {
    const fault = FAULTS[number % FAULTS.length]
    say(fault?.name ?? '')
    if (fault?.name.startsWith('one gateway')) restarts += 1
    await fault?.act(system, FAULT_S)
  }
  const ended = { at: start_s + 60 * minutes }
  const sampling = (async () => {
    for (; elapsed_s() < ended.at; await sleep(SAMPLE_MS)) await sample(steady)
  })()
  for (let number = 0; elapsed_s() < ended.at - FAULT_S; number += 1) {
    const next_s = start_s + 60 * number + 10
    await sleep(Math.max(0, 1000 * (next_s - elapsed_s())))
    await minute(number)
  }
  await sampling
  await load.stop()
  say(JSON.stringify(load.counts))
  for (const figure of ['resident memory, MiB', 'heap after collection, MiB', 'descriptors'] as const)
    judge(figure, start_s + WARM_UP_SHARE * 60 * minutes)
  const rows = await system.rows()
  // A lease for each start of a gateway and each budget, and the budget.
  const most = 1 + 2 + restarts
  say(`rows of the budgets: ${rows} (at most ${most}: a budget, and a lease for every start of a gateway)`)
  if (rows === undefined || rows > most) problems.push(`${rows} rows are kept`)
  if (load.counts.lost > 0) problems.push(`${load.counts.lost} requests were lost: ${load.losses.slice(0, 5).join('; ')}`)
  if (load.counts.answered === 0) problems.push('nothing was answered')
  if (steady.process.exitCode !== null || steady.process.signalCode !== null) problems.push(`a gateway ended: ${steady.output}`)
}

const system = new SoakSystem()
try {
  await soak(system)
} catch (cause) {
  problems.push(String(cause instanceof Error ? cause.stack : cause))
} finally {
  await system.end()
}
for (const problem of problems) console.error(problem)
say(problems.length === 0 ? 'held' : 'BROKEN')
process.exit(problems.length === 0 ? 0 : 1)
