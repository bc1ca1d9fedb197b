// `ironlaw calibrate`: measure, import, learn from a run, undo, or show the calibration in force. All but undo and show write a version.

import { basename } from 'node:path'
import { accelerator as acceleratorOf, type Catalog, type JsonObject, NODE_COUNTS, RANK_COUNTS } from '@ironlaw/catalog'
import { IronlawError } from '@ironlaw/contracts'
import { type CollectiveName, type MeasuredMachine, measuredMachine, parseNcclTests } from '@ironlaw/policies/calibration'
import { requestedDevices } from '@ironlaw/planner'
import type { CommandAnswer } from '../answer.ts'
import { userCatalog } from '../catalog/catalog-source.ts'
import { readDocument, readText } from '../input-file.ts'
import { runInterruptible } from '../interruption.ts'
import { context } from '../context/context.ts'
import { wholeNumber } from '../whole-number.ts'
import { measureOnCluster } from './cluster-job.ts'
import { dataCalibration } from './data-rates.ts'
import { saveChange, today } from './document.ts'
import { machineEntry, storageEntry } from './entries.ts'
import { importedLog } from './import-log.ts'
import { learnFrom } from './learn.ts'
import { measureLocally } from './local-job.ts'
import { currentVersion, undoVersion, type Version } from './measured-file.ts'
import { type MeasuredLine, type Measurements, measuredText, measurementsOf } from './measured-rows.ts'
import { lineText, versionText } from './text.ts'

export type CalibrateFlags = {
  readonly on?: string
  readonly with?: string
  readonly nodes: string
  readonly processes: string
  readonly local?: true
  readonly python: string
  readonly environment?: readonly string[]
  readonly storage: string
  readonly quick?: true
  readonly import?: string
  readonly plan?: string
  readonly from?: readonly string[]
  readonly undo?: true
  readonly show?: true
}

export async function calibrate(flags: CalibrateFlags): Promise<CommandAnswer> {
  if (flags.undo) return undoCalibration()
  if (flags.show) return versionAnswer(currentVersion())
  if (flags.from !== undefined) return answerWithNotes(...(await learnFrom(flags.from, flags.plan)))
  if (flags.import !== undefined) return importFile(flags.import, flags)
  return measureHere(flags)
}

function undoCalibration(): CommandAnswer {
  const done = undoVersion()
  if (!done) throw new IronlawError('IL_USAGE', { problem: 'nothing was measured yet, so there is nothing to undo', command: 'calibrate' })
  return {
    json: { undone: done.undone, version: done.now?.number ?? null },
    text: () => `version ${done.undone} undone; ${done.now ? `version ${done.now.number} is in force` : 'published figures are in force'}`,
  }
}

const versionAnswer = (version: Version | undefined): CommandAnswer => ({
  json: version
    ? { version: version.number, file: version.file, ...version.document, learned: dataCalibration(version.document) }
    : { version: null },
  text: () => (version ? versionText(version) : 'nothing was measured yet; run "ironlaw calibrate --on ACCELERATOR"'),
})

const answerWithNotes = (version: Version, notes: readonly string[]): CommandAnswer => ({ ...versionAnswer(version), notes })

/** The accelerator that the flag names, or the only one in the file that it names. */
function targetOf({ on, with: file }: CalibrateFlags): { readonly catalog: Catalog; readonly accelerator: string } {
  if (on === undefined) throw new IronlawError('IL_USAGE', { problem: '--on: name the accelerator', command: 'calibrate' })
  if (!/\.(ya?ml|json)$/.test(on)) {
    const catalog = userCatalog(file)
    return { catalog, accelerator: acceleratorOf(catalog, on).id }
  }
  const own = readDocument(on)
  const names = typeof own === 'object' && own !== null && 'accelerators' in own ? Object.keys(own.accelerators ?? {}) : []
  const [only, ...others] = names
  if (only === undefined || others.length > 0)
    throw new IronlawError('IL_USAGE', { problem: `--on: ${on} holds ${names.length} accelerators; name one`, command: 'calibrate' })
  return { catalog: userCatalog(on), accelerator: only }
}

async function measureHere(flags: CalibrateFlags): Promise<CommandAnswer> {
  const { catalog, accelerator } = targetOf(flags)
  const given = flags.quick ? ['--quick', '--windows', '3', '--window-ms', '5'] : []
  const job = {
    accelerator,
    devices: requestedDevices(catalog, { name: accelerator, perNode: countFlag('--processes', flags.processes, RANK_COUNTS) }),
    nodes: countFlag('--nodes', flags.nodes, NODE_COUNTS),
    processes: countFlag('--processes', flags.processes, RANK_COUNTS),
    python: flags.python,
    arguments: given,
    environment: environmentOf(flags.environment ?? []),
  }
  const goesOn = flags.local ? '' : `; the job keeps running until "ironlaw cancel calibrate-${accelerator}"`
  const { machine, rows } = await runInterruptible(
    { what: `nothing was written${goesOn}`, next: 'run the command again; --quick takes less time' },
    () => collectLines(flags.local ? measureLocally(job) : measureOnCluster(context(), job)),
  )
  const nodes = [...new Set(rows.flatMap(({ seconds }) => Object.keys(seconds)))]
  const found = measuredMachine(machine, rows)
  const software = `PyTorch ${machine.torch}, ${machine.backend}`
  const source = { ref: `ironlaw calibrate on ${nodes.join(', ')} (${machine.device}), ${software}`, date: today() }
  const from = 'calibrate'
  const entry: JsonObject = {
    sources: { [from]: source },
    measured: {
      on: nodes.join(', '),
      software,
      element: { is: `${machine.element_bytes} B`, from },
      processors: { is: String(machine.processors), from },
      ...machineEntry(found, from),
    },
  }
  const version = saveChange(catalog, {
    by: `calibrate --on ${accelerator}`,
    anew: accelerator,
    entries: {
      accelerators: { [accelerator]: entry },
      ...(found.storage && { storage: { [flags.storage]: storageOf(flags.storage, storageEntry(found.storage, from), source) } }),
    },
  })
  return answerWithNotes(version, [])
}

function storageOf(id: string, rates: JsonObject, source: JsonObject): JsonObject {
  const whole = { name: 'Storage of runs, as measured', tier: 'network' }
  return { ...(id === OWN_STORAGE ? whole : {}), sources: { calibrate: source }, ...rates }
}

/** The catalog entry for measured storage. */
const OWN_STORAGE = 'run-storage'

/** Collects rows as they arrive and shows progress on standard error. */
async function collectLines(lines: AsyncGenerator<MeasuredLine>): Promise<Measurements> {
  const all: MeasuredLine[] = []
  for await (const line of lines) {
    all.push(line)
    if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${all.length} measured: ${lineText(line)}`)
    else if (all.length % 25 === 0) process.stderr.write(`${all.length} measured: ${lineText(line)}\n`)
  }
  if (process.stderr.isTTY) process.stderr.write('\r\u001B[K')
  const found = measurementsOf(all)
  if (!found)
    throw new IronlawError('IL_USAGE', {
      problem: `the job ended after ${all.length} measurements, before it had finished`,
      command: 'calibrate',
    })
  return found
}

function importFile(file: string, flags: CalibrateFlags): CommandAnswer {
  const { catalog, accelerator } = targetOf(flags)
  const by = `calibrate --import ${basename(file)}`
  const text = readText(file)
  const check = measuredText(text)
  if (check)
    return answerWithNotes(saveChange(catalog, { by, entries: { accelerators: { [accelerator]: checkEntry(check, basename(file)) } } }), [])
  const tests = parseNcclTests(text, basename(file))
  if (!tests.ok) {
    const { entry, finished, notes } = importedLog(catalog, {
      file,
      text,
      accelerator,
      otherwise: tests.reason,
      ...(flags.plan !== undefined && { plan: flags.plan }),
    })
    return answerWithNotes(saveChange(catalog, { by, entries: { accelerators: { [accelerator]: entry } }, finished }), notes)
  }
  const from = `nccl-tests ${tests.name}` satisfies `nccl-tests ${CollectiveName}`
  const found: MeasuredMachine = measuredMachine({ element_bytes: 2 }, tests.rows)
  const entry: JsonObject = {
    sources: { [from]: { ref: `nccl-tests on ${tests.hosts.join(', ')} (${tests.device}), ${basename(file)}`, date: today() } },
    measured: { on: tests.hosts.join(', '), software: 'nccl-tests', ...machineEntry(found, from) },
  }
  return answerWithNotes(saveChange(catalog, { by, entries: { accelerators: { [accelerator]: entry } } }), [])
}

/** Output of a check before a start: one shape each, so it shows memory bandwidth and how nodes differ, not how products scale. */
function checkEntry({ machine, rows }: Measurements, file: string): JsonObject {
  const nodes = [...new Set(rows.flatMap((row) => Object.keys(row.seconds)))]
  const from = 'check before a start'
  const { nodeSpread } = measuredMachine(machine, rows)
  const found = {
    ...measuredMachine(
      machine,
      rows.filter(({ measured }) => measured !== 'product'),
    ),
    ...(nodeSpread && { nodeSpread }),
  }
  return {
    sources: { [from]: { ref: `check of ${nodes.join(', ')} (${machine.device}), ${file}`, date: today() } },
    measured: {
      on: nodes.join(', '),
      software: `PyTorch ${machine.torch}, ${machine.backend}`,
      element: { is: `${machine.element_bytes} B`, from },
      processors: { is: String(machine.processors), from },
      ...machineEntry(found, from),
    },
  }
}

/** Entries exist only for counts that have a name; refuse the others before measuring rather than after. */
function countFlag(flag: string, text: string, counts: readonly string[]): number {
  const count = wholeNumber(flag, text)
  if (!counts.includes(String(count)))
    throw new IronlawError('IL_USAGE', { problem: `${flag}: ${count} is not one of ${counts.join(', ')}`, command: 'calibrate' })
  return count
}

function environmentOf(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=')
      if (name === '' || value.length === 0)
        throw new IronlawError('IL_USAGE', { problem: `--environment: "${pair}" is not NAME=VALUE`, command: 'calibrate' })
      return [name, value.join('=')]
    }),
  )
}
