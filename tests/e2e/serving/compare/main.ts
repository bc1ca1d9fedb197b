// `npm run compare:serving`: traces of requests against real engines behind the real gateway, and against the simulator with these engines
// as "ironlaw calibrate engine" measured them. Engines have one thread each. How fast the machine is, whose cores others may use as well,
// is read again between the replays. Traces that are scored were not seen by the calibration.

import { quantile } from '@ironlaw/laws/quantile'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { BLOCK_CHARACTERS, servingLedger } from '@ironlaw/policies/serving'
import { type CalibratedEngine, type EngineFactors, figuresOf, type AccountedRequest, fittedFactors } from '@ironlaw/simulator/serving'
import { showChange, showPercent } from '@ironlaw/units'
import { printableModel } from '../printable-model.ts'
import { Bed, type RunningEngine } from './bed.ts'
import { runBusyWindow } from './busy-spell.ts'
import { measuredRequests } from './measured.ts'
import { replayRequests } from './replay.ts'
import { compareRouters } from './routers.ts'
import { type TimeWindow, stepRatio } from './step-ratio.ts'
import { capacity, simulateRequests } from './simulated.ts'
import { type ComparedCell, comparisonTable, ledgerTable, showMilliseconds } from './text.ts'
import { type DrawOptions, drawnRequests, type Request, rowsOf } from './trace.ts'

const REPLICAS = [1, 2, 3]
const LOADS = [0.3, 0.6, 0.85]
const CELL_S = Number(process.env['COMPARE_CELL_S'] ?? 16)
const [SLOTS, CONTEXT] = [16, 768]
const GOAL = 0.15

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const began = Date.now()
const say = (text: string): void => console.log(`${((Date.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}`)
const file = printableModel()

const directory = mkdtempSync(join(tmpdir(), 'ironlaw-compare-'))
type Calibration = CalibratedEngine & { readonly coldStart_s: number }
type SimulatedEngine = CalibratedEngine['engine'] & { readonly sharing: readonly number[]; readonly coldStart_s: number }

/** A new version of the entry, by factors. */
function correctEntry({ network_s }: CalibratedEngine, factors: EngineFactors): Calibration {
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
  const curve = costs.decode.map(({ sequences, seconds }) => `${sequences}: ${showMilliseconds(seconds)}`).join(', ')
  const held = ['median', 'total'].map((name) => showChange(Number(entry.heldOut[name]?.is))).join(' in the median and ')
  say(`a step in ms by answers: ${curve}; with 1,000 keys ${showMilliseconds(1000 * costs.decodeKey_s)} more`)
  say(`a prompt of 100 tokens: ${showMilliseconds(costs.prefillSequence_s + 100 * costs.prefillToken_s + 5050 * costs.prefillPair_s)} ms`)
  say(
    `times as long with 1, 2, 3 engines busy: ${sharing.map((factor) => factor.toFixed(2)).join(', ')}; a start ${coldStart_s.toFixed(2)} s`,
  )
  say(`what was held out is off by ${held} of the sum`)
  return { engine, sharing, network_s, coldStart_s }
}

async function run(bed: Bed, requests: readonly Request[], engines: readonly RunningEngine[]): Promise<readonly AccountedRequest[]> {
  const answers = await replayRequests(bed.url, requests)
  // The last lines of the engines are on their way.
  await pause(200)
  return measuredRequests(
    answers,
    engines.map((engine) => engine.times()),
  )
}

const traceAt = (requests_per_s: number, drawn: Omit<DrawOptions, 'requests_per_s' | 'count'>): readonly Request[] =>
  drawnRequests({ requests_per_s, count: Math.ceil(requests_per_s * CELL_S), ...drawn })

/** With the engine's own time for a request, what a lone request spends outside its steps. */
async function networkTime_s(bed: Bed, { engine }: CalibratedEngine): Promise<number> {
  bed.route(bed.engines.slice(0, 1), 'round-robin')
  const alone = drawnRequests({ requests_per_s: 3, count: 16, seed: 31 })
  const spent = (await run(bed, alone, bed.engines)).map(({ causes }) => causes.network)
  return Math.max(0, quantile(spent, 0.5) - engine.costs.request_s)
}

const typicalRequests = (): readonly Request[] => drawnRequests({ requests_per_s: 1, count: 200, seed: 77 })

type Levels = { readonly seed: number; readonly loads: readonly number[] }

type ReplayedCell = {
  readonly name: string
  readonly replicas: number
  readonly requests: readonly Request[]
  readonly measured: readonly AccountedRequest[]
  readonly beside: readonly Readings[]
}

/** When the machine was read, before and after, with one, two, ... engines busy. */
type Readings = readonly TimeWindow[]

async function replayCells(bed: Bed, calibrated: CalibratedEngine, { seed, loads }: Levels): Promise<readonly ReplayedCell[]> {
  const found: ReplayedCell[] = []
  for (const replicas of REPLICAS) {
    const engines = bed.engines.slice(0, replicas)
    const most = capacity(calibrated, typicalRequests(), replicas)
    let before = await runBusyWindows(bed, replicas)
    for (const load of loads) {
      const requests = traceAt(load * most, { seed: seed + 10 * replicas + Math.round(10 * load) })
      bed.route(engines, 'round-robin')
      const served = await run(bed, requests, bed.engines)
      const after = await runBusyWindows(bed, replicas)
      found.push({ name: `${replicas}, ${showPercent(load)}`, replicas, requests, measured: served, beside: [before, after] })
      const readings = after.map((spell, index) => stepRatio(bed.engines.slice(0, index + 1), calibrated.engine, spell).toFixed(2))
      const rate = `${showPercent(load)} of ${most.toFixed(1)} requests a second`
      say(`${replicas} at ${rate}: ${requests.length} replayed; steps with 1, 2, ... busy take ${readings.join(', ')} times as long`)
      before = after
    }
  }
  return found
}

async function runBusyWindows(bed: Bed, most: number): Promise<Readings> {
  const spells: TimeWindow[] = []
  for (let busy = 1; busy <= most; busy += 1) spells.push(await runBusyWindow(bed, bed.engines.slice(0, busy)))
  return spells
}

/**
 * A machine that others use as well is not as fast as it was when it was calibrated: the median of all readings between the replays. One
 * reading alone, of three seconds, was off by a third where the replays beside it were not.
 */
function atRecentSpeed(calibrated: CalibratedEngine, found: readonly ReplayedCell[]): CalibratedEngine {
  const all = [...new Set(found.flatMap(({ beside }) => beside))]
  const sharing = calibrated.sharing.map((factor, index) => {
    const ratios = all.flatMap((readings) => {
      const spell = readings[index]
      return spell ? [stepRatio(bed.engines.slice(0, index + 1), calibrated.engine, spell)] : []
    })
    return ratios.length === 0 ? factor : quantile(ratios, 0.5)
  })
  return { ...calibrated, sharing }
}

const comparedCells = (calibrated: CalibratedEngine, found: readonly ReplayedCell[]): readonly ComparedCell[] =>
  found.map(({ name, replicas, requests, measured: served }) => ({
    name,
    measured: figuresOf(served),
    simulated: figuresOf(simulateRequests(calibrated, requests, { replicas, router: 'round-robin' })),
  }))

/** What the replays teach beside how fast the machine was meanwhile. */
function learnedFactors(calibrated: CalibratedEngine, found: readonly ReplayedCell[]): EngineFactors {
  const now = atRecentSpeed(calibrated, found)
  const cells = found.map(({ replicas, requests, measured: served }) => ({
    replicas,
    router: 'round-robin' as const,
    rows: rowsOf(requests),
    measured: served,
    hashTokens: BLOCK_CHARACTERS,
  }))
  const { sharing, ...factors } = fittedFactors(now, cells)
  return { ...factors, sharing: sharing.map((factor, index) => (factor * (now.sharing[index] ?? 1)) / (calibrated.sharing[index] ?? 1)) }
}

/** Requests come from the moment the only engine is started. */
async function replayCold(bed: Bed, calibrated: Calibration): Promise<void> {
  const requests = traceAt(0.5 * capacity(calibrated, typicalRequests(), 1), { seed: 701 })
  bed.route([], 'round-robin')
  const answers = replayRequests(bed.url, requests)
  const engine = await bed.startEngine()
  const ready_s = (performance.timeOrigin + performance.now()) / 1000
  bed.route([engine], 'round-robin')
  const answered = await answers
  await pause(200)
  const served = measuredRequests(answered, [engine.times()], ready_s)
  const predicted = simulateRequests(calibrated, requests, { replicas: 1, router: 'round-robin', ready_s: calibrated.coldStart_s })
  ledgerTable('from a cold start', servingLedger(served, predicted))
}

const calibrated = calibrate(0, '--model', file, '--copies', '3', '--slots', String(SLOTS), '--context', String(CONTEXT))
say(`calibrated; ${availableParallelism()} cores`)
const bed = await Bed.open({ file, slots: SLOTS, context: CONTEXT })
for (const _ of REPLICAS) await bed.startEngine()
// Left out: without it the first reading was 1.29 times the calibration, and the replays after it were not.
await runBusyWindow(bed, bed.engines)
const withNetwork = { ...calibrated, network_s: await networkTime_s(bed, calibrated) }
say(`network and gateway ${showMilliseconds(withNetwork.network_s)} ms`)
const found = await replayCells(bed, withNetwork, { seed: 3000, loads: LOADS })
console.log('\nas calibrated at the beginning')
const raw = comparisonTable(comparedCells(withNetwork, found))
console.log("with the machine's speed as it was read between the replays")
const lately = atRecentSpeed(withNetwork, found)
const error = comparisonTable(comparedCells(lately, found))
const predicted = found.flatMap(({ requests, replicas }) => simulateRequests(lately, requests, { replicas, router: 'round-robin' }))
ledgerTable(
  'all replays',
  servingLedger(
    found.flatMap(({ measured: served }) => served),
    predicted,
  ),
)
await compareRouters({ file, slots: SLOTS, context: CONTEXT }, lately, (other, requests) => run(other, requests, other.engines))
await replayCold(bed, { ...withNetwork, ...lately })
const after = correctEntry(withNetwork, learnedFactors(withNetwork, found))
const fresh = await replayCells(bed, after, { seed: 4000, loads: [0.6] })
console.log('\nfresh traces, as calibrated')
comparisonTable(comparedCells(atRecentSpeed(withNetwork, fresh), fresh))
console.log('fresh traces, after one round of feedback')
comparisonTable(comparedCells(atRecentSpeed(after, fresh), fresh))
await bed.stop()
rmSync(directory, { recursive: true })
say(`median error ${showPercent(error)} (${showPercent(raw)} as calibrated at the beginning), goal ${showPercent(GOAL)}`)
process.exit(0)
