// `npm run compare:serving`: traces of requests against real engines behind the real gateway, and against the simulator with these engines
// as "ironlaw calibrate engine" measured them. Engines have one thread each; how they slow each other on the cores of this machine is
// measured with one, two and three busy ones, beside the gateway and the clients. Traces that are scored were not seen by the calibration.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type RouterName, servingLedger } from '@ironlaw/policies/serving'
import { speedOf, measuredReplica } from '@ironlaw/simulator/serving'
import { printableModel } from '../printable-model.ts'
import { Bed, type RunningEngine } from './bed.ts'
import { type Cell, type Factors, taught } from './feedback.ts'
import { inPlace } from './in-place.ts'
import { measured } from './measured.ts'
import { replayed } from './replay.ts'
import { figuresOf, quantile, type Served } from './served.ts'
import { stepRatio } from './step-ratio.ts'
import { type Calibrated, capacity, simulated } from './simulated.ts'
import { type Compared, comparisonTable, ledgerTable, ms, percent, signed, table } from './text.ts'
import { type Drawn, drawnRequests, type Request } from './trace.ts'

const REPLICAS = [1, 2, 3]
const LOADS = [0.3, 0.6, 0.85]
const CELL_S = Number(process.env['COMPARE_CELL_S'] ?? 16)
const [SLOTS, CONTEXT] = [16, 768]
const ROUTERS: readonly RouterName[] = ['round-robin', 'least-tokens', 'prefix-aware']
/**
 * More than the places of one engine, fewer than those of all three; and few requests at a time. A place keeps one conversation and serves
 * one request, where the simulator's blocks are shared: two requests of a session at once find their prefix there, and here only one does.
 */
const SESSIONS = 42
const GOAL = 0.15

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const began = Date.now()
const say = (text: string): void => console.log(`${((Date.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}`)
const file = printableModel()

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-compare-'))
type Calibration = Calibrated & { readonly coldStart_s: number }
type SimulatedEngine = Calibrated['engine'] & { readonly sharing: readonly number[]; readonly coldStart_s: number }

/** A new version of the entry, by factors. */
function corrected({ network_s }: Calibrated, factors: Factors): Calibration {
  const path = join(directory, 'factors.json')
  writeFileSync(path, JSON.stringify(factors))
  return calibrate(network_s, '--correct', path)
}

function calibrate(network_s: number, ...flags: readonly string[]): Calibration {
  const cli = join(import.meta.dirname, '../../../../packages/apps/cli/src/main.ts')
  const printed = execFileSync(process.execPath, [cli, 'calibrate', 'engine', '--as', 'tiny', ...flags, '--json'], {
    env: { ...process.env, IRONLAW_MEASURED: join(directory, 'measured') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { engine, entry }: { engine: SimulatedEngine; entry: { readonly heldOut: Readonly<Record<string, { readonly is: string }>> } } =
    JSON.parse(printed.toString())
  const { costs, sharing, coldStart_s } = engine
  const curve = costs.decode.map(({ sequences, seconds }) => `${sequences}: ${ms(seconds)}`).join(', ')
  const held = ['median', 'total'].map((name) => signed(Number(entry.heldOut[name]?.is))).join(' in the median and ')
  say(`a step in ms by answers: ${curve}; with 1,000 keys ${ms(1000 * costs.decodeKey_s)} more`)
  say(`a prompt of 100 tokens: ${ms(costs.prefillSequence_s + 100 * costs.prefillToken_s + 5050 * costs.prefillPair_s)} ms`)
  say(
    `times as long with 1, 2, 3 engines busy: ${sharing.map((factor) => factor.toFixed(2)).join(', ')}; a start ${coldStart_s.toFixed(2)} s`,
  )
  say(`what was held out is off by ${held} of the sum`)
  return { engine, sharing, network_s, coldStart_s }
}

async function run(bed: Bed, requests: readonly Request[], engines: readonly RunningEngine[]): Promise<readonly Served[]> {
  const answers = await replayed(bed.url, requests)
  // The last lines of the engines are on their way.
  await pause(200)
  return measured(
    answers,
    engines.map((engine) => engine.times()),
  )
}

const traceAt = (requests_per_s: number, drawn: Omit<Drawn, 'requests_per_s' | 'count'>): readonly Request[] =>
  drawnRequests({ requests_per_s, count: Math.ceil(requests_per_s * CELL_S), ...drawn })

/** With the engine's own time for a request, what a lone request spends outside its steps. */
async function networkTime_s(bed: Bed, { engine }: Calibrated): Promise<number> {
  bed.route(bed.engines.slice(0, 1), 'round-robin')
  const alone = drawnRequests({ requests_per_s: 3, count: 16, seed: 31 })
  const spent = (await run(bed, alone, bed.engines)).map(({ causes }) => causes.network)
  return Math.max(0, quantile(spent, 0.5) - engine.costs.request_s)
}

const usualRequests = (sessions?: number): readonly Request[] =>
  drawnRequests({ requests_per_s: 1, count: 200, seed: 77, ...(sessions !== undefined && { sessions }) })

type Levels = { readonly seed: number; readonly loads: readonly number[] }

async function cells(bed: Bed, calibrated: Calibrated, { seed, loads }: Levels): Promise<readonly (Cell & { readonly name: string })[]> {
  const found: (Cell & { readonly name: string })[] = []
  for (const replicas of REPLICAS) {
    const most = capacity(calibrated, usualRequests(), replicas)
    for (const load of loads) {
      const requests = traceAt(load * most, { seed: seed + 10 * replicas + Math.round(10 * load) })
      const engines = bed.engines.slice(0, replicas)
      bed.route(engines, 'round-robin')
      const from_s = (performance.timeOrigin + performance.now()) / 1000
      found.push({ name: `${replicas}, ${percent(load)}`, replicas, requests, measured: await run(bed, requests, bed.engines) })
      const ratio = stepRatio(engines, calibrated.engine, { from_s, until_s: Infinity }).toFixed(2)
      const rate = `${percent(load)} of ${most.toFixed(1)} requests a second`
      say(`${replicas} at ${rate}: ${requests.length} replayed, steps took ${ratio} times as long as calibrated`)
    }
  }
  return found
}

const compared = (calibrated: Calibrated, found: readonly (Cell & { readonly name: string })[]): readonly Compared[] =>
  found.map(({ name, replicas, requests, measured: served }) => ({
    name,
    measured: figuresOf(served),
    simulated: figuresOf(simulated(calibrated, requests, { replicas, router: 'round-robin' })),
  }))

async function routers(bed: Bed, calibrated: Calibrated): Promise<void> {
  const replicas = REPLICAS.length
  const rate = 0.35 * capacity(calibrated, usualRequests(SESSIONS), replicas)
  const { prefill_s_per_token, step_s, step_s_per_sequence } = speedOf(measuredReplica(calibrated.engine))
  const mean = (served: readonly Served[]): number => served.reduce((sum, { ttft_s }) => sum + ttft_s, 0) / served.length
  const rows: { readonly router: RouterName; readonly real: number; readonly sim: number }[] = []
  for (const [text, router] of ROUTERS.entries()) {
    const requests = traceAt(rate, { seed: 501, sessions: SESSIONS, text })
    bed.route(bed.engines, router, { prefill_s_per_token, step_s, step_s_per_sequence })
    rows.push({
      router,
      real: mean(await run(bed, requests, bed.engines)),
      sim: mean(simulated(calibrated, requests, { replicas, router })),
    })
  }
  const ranked = (of: 'real' | 'sim'): string =>
    rows
      .toSorted((one, other) => one[of] - other[of])
      .map(({ router }) => router)
      .join(' < ')
  table(
    ['router', 'mean ttft ms', 'sim.'],
    rows.map(({ router, real, sim }) => [router, ms(real), ms(sim)]),
  )
  console.log(`order in reality: ${ranked('real')}\norder simulated:  ${ranked('sim')}\n`)
}

/** Requests come from the moment the only engine is started. */
async function coldReplay(bed: Bed, calibrated: Calibration): Promise<void> {
  const requests = traceAt(0.5 * capacity(calibrated, usualRequests(), 1), { seed: 701 })
  bed.route([], 'round-robin')
  const answers = replayed(bed.url, requests)
  const engine = await bed.startEngine()
  const ready_s = (performance.timeOrigin + performance.now()) / 1000
  bed.route([engine], 'round-robin')
  const answered = await answers
  await pause(200)
  const served = measured(answered, [engine.times()], ready_s)
  const predicted = simulated(calibrated, requests, { replicas: 1, router: 'round-robin', ready_s: calibrated.coldStart_s })
  ledgerTable('from a cold start', servingLedger(served, predicted))
}

const calibrated = calibrate(0, '--model', file, '--copies', '3', '--slots', String(SLOTS), '--context', String(CONTEXT))
say(`calibrated; ${availableParallelism()} cores`)
const bed = await Bed.open({ file, slots: SLOTS, context: CONTEXT })
for (const _ of REPLICAS) await bed.startEngine()
// Left out: without it the first reading was 1.29 times the calibration, and the replays after it were not.
await inPlace(bed, bed.engines, calibrated)
const network_s = await networkTime_s(bed, calibrated)
say(`network and gateway ${ms(network_s)} ms`)
// One engine alone is as calibrated; what two and three cost each other, the gateway and the clients is measured here.
const busy = [calibrated.sharing[0] ?? 1]
for (const replicas of REPLICAS.slice(1)) busy.push(await inPlace(bed, bed.engines.slice(0, replicas), calibrated))
const sharing = busy.map((factor, index) => factor / (calibrated.sharing[index] ?? 1))
const withNetwork = corrected({ ...calibrated, network_s }, { decode: 1, prefill: 1, sharing })
const found = await cells(bed, withNetwork, { seed: 3000, loads: LOADS })
const error = comparisonTable(compared(withNetwork, found))
const predicted = found.flatMap(({ requests, replicas }) => simulated(withNetwork, requests, { replicas, router: 'round-robin' }))
ledgerTable(
  'all replays',
  servingLedger(
    found.flatMap(({ measured: served }) => served),
    predicted,
  ),
)
await routers(bed, withNetwork)
await coldReplay(bed, withNetwork)
const after = corrected(withNetwork, taught(withNetwork, found))
const fresh = await cells(bed, after, { seed: 4000, loads: [0.6] })
console.log('fresh traces, as calibrated')
comparisonTable(compared(withNetwork, fresh))
console.log('fresh traces, after one round of feedback')
comparisonTable(compared(after, fresh))
await bed.stop()
rmSync(directory, { recursive: true })
say(`median error ${percent(error)}, goal ${percent(GOAL)}`)
process.exit(0)
