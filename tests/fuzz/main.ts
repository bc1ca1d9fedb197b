// npm run fuzz -- --minutes 30. Parsers that face the outside, each in a process of its own for its share of the time, and a gateway as a
// whole. The seed decides what is tried; time decides how much of it.

import { hash, randomInt } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleTarget } from './bundle.ts'
import { fuzzGateway, type GatewayReport, replayAtGateway } from './gateway-process.ts'
import { replay } from './replay.ts'
import { reportTable } from './report.ts'
import { superviseTarget, type TargetReport } from './supervise.ts'
import { corpusFolder, entryOf, keptInputs, targetNames } from './targets.ts'

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string' },
    target: { type: 'string' },
    replay: { type: 'string' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const GATEWAY = 'gateway-process'

const HELP = `npm run fuzz -- [flags]
  --minutes N    how long in all, 30 unless given
  --seed S       what is tried; drawn and printed unless given. "date" takes the day's
  --target A,B   only these: ${targetNames().join(', ')}, ${GATEWAY}
  --replay FILE  run one input again and say how it went; the target is the folder's name, or --target
  --jobs N       processes at the same time
  --keep         add small inputs that reached something new to tests/fuzz/corpus
  --json         figures as JSON`

/** Of the whole time; the rest is divided among the parsers. */
const GATEWAY_SHARE = 0.2
const KEPT_BYTES = 400
const MOST_KEPT = 24
/** Files that are written for each input would be most of the work on a disk. */
const IN_MEMORY = '/dev/shm'

if (flags.help) console.log(HELP)
else if (flags.replay !== undefined) {
  const file = resolve(flags.replay)
  const target = flags.target ?? basename(dirname(file))
  const input = readFileSync(file)
  process.exitCode = await (target === GATEWAY ? replayAtGateway(input) : replay({ target, input }))
} else process.exitCode = await fuzzAll()

async function fuzzAll(): Promise<number> {
  const seed = seedOf(flags.seed)
  const directory = mkdtempSync(join(tmpdir(), 'ironlaw-fuzz-'))
  const scratch = mkdtempSync(join(existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'ironlaw-fuzz-'))
  const chosen = flags.target === undefined ? [...targetNames(), GATEWAY] : flags.target.split(',')
  const parsers = chosen.filter((name) => name !== GATEWAY)
  const total_s = Number(flags.minutes) * 60
  const gateway_s = !chosen.includes(GATEWAY) ? 0 : parsers.length === 0 ? total_s : total_s * GATEWAY_SHARE
  if (!flags.json) console.log(`seed ${seed}, ${flags.minutes} minutes, faults go to ${directory}`)
  const reports = await fuzzParsers(parsers, { seed, directory, scratch, total_s: total_s - gateway_s })
  const gateway = gateway_s > 0 ? await fuzzGateway({ seed, seconds: gateway_s, directory }) : undefined
  rmSync(scratch, { recursive: true })
  if (flags.keep) for (const report of reports) keepInputs(report)
  print({ seed, reports, gateway })
  return reports.every(({ faults }) => faults.length === 0) && (gateway?.faults.length ?? 0) === 0 ? 0 : 1
}

function seedOf(text: string | undefined): number {
  if (text === 'date') return Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''))
  return text === undefined ? randomInt(2 ** 31) : Number(text)
}

type Run = { readonly seed: number; readonly directory: string; readonly scratch: string; readonly total_s: number }

async function fuzzParsers(names: readonly string[], { seed, directory, scratch, total_s }: Run): Promise<readonly TargetReport[]> {
  const jobs = Math.max(1, Math.min(Number(flags.jobs), names.length))
  const todo = [...names]
  const reports: TargetReport[] = []
  const end = performance.now() + total_s * 1000
  const lane = async (): Promise<void> => {
    for (let target = todo.shift(); target !== undefined; target = todo.shift()) {
      const bundle = await bundleTarget(target, { entry: entryOf(target), directory: scratch })
      const seconds = Math.max(0, end - performance.now()) / 1000 / Math.ceil((todo.length + 1) / jobs)
      const corpus = keptInputs(target).map(({ input }) => input)
      reports.push(await superviseTarget({ target, bundle, seed, seconds, corpus, directory, scratch }))
    }
  }
  await Promise.all(Array.from({ length: jobs }, lane))
  return reports.toSorted((one, other) => one.target.localeCompare(other.target))
}

function keepInputs({ target, entries }: TargetReport): void {
  mkdirSync(corpusFolder(target), { recursive: true })
  const small = entries.filter(({ length }) => length <= KEPT_BYTES).toSorted((one, other) => one.length - other.length)
  for (const input of small.slice(0, MOST_KEPT)) writeFileSync(join(corpusFolder(target), hash('sha256', input).slice(0, 12)), input)
}

type Results = { readonly seed: number; readonly reports: readonly TargetReport[]; readonly gateway: GatewayReport | undefined }

function print({ seed, reports, gateway }: Results): void {
  if (flags.json) {
    console.log(JSON.stringify({ seed, targets: reports.map((report) => ({ ...report, entries: undefined })), gateway }))
    return
  }
  if (reports.length > 0) console.log(`\n${reportTable(reports)}`)
  if (gateway) console.log(`\n${GATEWAY}: ${gateway.summary}`)
  for (const { target, faults } of reports)
    for (const { kind, message, replay: command } of faults) console.log(`\n${target}: ${kind}: ${message}\n  ${command}`)
  for (const { message, replay: command } of gateway?.faults ?? []) console.log(`\n${GATEWAY}: ${message}\n  ${command}`)
  const count = reports.reduce((sum, { faults }) => sum + faults.length, gateway?.faults.length ?? 0)
  console.log(`\n${count} faults at seed ${seed}`)
}
