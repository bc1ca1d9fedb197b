// Runs a target for its share of the time, in another process, and again when that one dies: the input it was on is the fault.

import { fork } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bundle } from './bundle.ts'
import type { FaultKind } from './execution.ts'
import { type Growth, GROWTH_LIMIT_BYTES } from './memory.ts'
import type { Assignment, Message, Progress } from './messages.ts'

type Fault = { readonly kind: FaultKind; readonly message: string; readonly file: string; readonly replay: string }

export type TargetReport = {
  readonly target: string
  readonly executions: number
  readonly seconds: number
  readonly branches: { readonly found: number; readonly of: number }
  readonly states: number
  readonly corpus: number
  readonly growth: Growth | undefined
  readonly faults: readonly Fault[]
  /** Inputs that reached something new, for whoever keeps them. */
  readonly entries: readonly Uint8Array[]
}

export type Share = {
  readonly target: string
  readonly bundle: Bundle
  readonly seed: number
  readonly seconds: number
  readonly corpus: readonly Uint8Array[]
  /** Where faults are kept. */
  readonly directory: string
  /** For files of the moment; in memory where that is possible. */
  readonly scratch: string
}

/** A 64 kB input that needs more is an amplifier. */
const HEAP_MB = 768
/** Of the processor, with one input: on a busy machine the clock says nothing. */
const HANG_S = 10
const LOOK_MS = 1000
/** Processes that die one after another end the target: the same fault keeps coming. */
const MOST_DEATHS = 5

export async function superviseTarget(share: Share): Promise<TargetReport> {
  const { target, bundle, seconds } = share
  const began = performance.now()
  const entries: Uint8Array[] = []
  const faults = new Map<string, Fault>()
  const last: Progress[] = []
  const note = (kind: FaultKind, key: string, { message, input }: { readonly message: string; readonly input: Uint8Array }): void => {
    if (!faults.has(key)) faults.set(key, { kind, message, ...saveFault(share, kind, input) })
  }
  for (let death = 0; death < MOST_DEATHS; death += 1) {
    const left_s = seconds - (performance.now() - began) / 1000
    if (left_s < 1 && death > 0) break
    const corpus = [...share.corpus, ...entries]
    const life = await runOnce({ ...share, seconds: left_s, corpus, seed: share.seed + death }, { entries, note })
    last.push(life.progress)
    if (life.ended === 'well') break
    note(life.ended, `${life.ended} ${life.how}`, { message: life.how, input: life.input })
  }
  const best = last.reduce((most, one) => (one.branches >= most.branches ? one : most))
  let worst = mostGrown(last)
  if (grewTooMuch(worst)) {
    // A leak grows in every process; a buffer that was alive at one look does not come back in a second one.
    const again = await runOnce({ ...share, corpus: [...share.corpus, ...entries] }, { entries, note })
    last.push(again.progress)
    worst = mostGrown([again.progress])
  }
  if (worst && grewTooMuch(worst))
    faults.set('growth', {
      kind: 'growth',
      message: `${(worst.bytes / 2 ** 20).toFixed(1)} MiB more are held at the end than after the warm-up`,
      file: '',
      replay: `npm run fuzz -- --target ${target} --seed ${share.seed} --minutes ${(seconds / 60).toFixed(1)}`,
    })
  return {
    target,
    executions: last.reduce((sum, { executions }) => sum + executions, 0),
    seconds: (performance.now() - began) / 1000,
    branches: { found: best.branches, of: bundle.branches },
    states: best.states,
    corpus: best.corpus,
    growth: worst,
    faults: [...faults.values()],
    entries,
  }
}

const mostGrown = (lives: readonly Progress[]): Growth | undefined =>
  lives.flatMap(({ growth }) => growth ?? []).toSorted((one, other) => other.bytes - one.bytes)[0]

const grewTooMuch = (growth: Growth | undefined): boolean => growth !== undefined && growth.bytes > GROWTH_LIMIT_BYTES

type Life = { readonly progress: Progress } & (
  | { readonly ended: 'well' }
  | { readonly ended: 'exit' | 'hang'; readonly how: string; readonly input: Uint8Array }
)

type Notes = {
  readonly entries: Uint8Array[]
  readonly note: (kind: FaultKind, key: string, found: { readonly message: string; readonly input: Uint8Array }) => void
}

function runOnce({ target, bundle, seed, seconds, corpus, scratch: folder }: Share, { entries, note }: Notes): Promise<Life> {
  const scratch = join(folder, `${target}.current`)
  writeFileSync(scratch, '')
  const assignment: Assignment = { target, ...bundle, seed, seconds, corpus, scratch }
  let progress: Progress = { executions: 0, branches: 0, states: 0, corpus: 0, growth: undefined }
  let ended: Life | undefined
  return new Promise((resolve) => {
    const child = fork(new URL('runner.ts', import.meta.url), {
      execArgv: ['--expose-gc', `--max-old-space-size=${HEAP_MB}`, '--disable-warning=ExperimentalWarning'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, TMPDIR: folder },
    })
    let words = ''
    child.stderr?.on('data', (data: Buffer) => (words = (words + data.toString('utf8')).slice(-4000)))
    const watch = watchInput(scratch, child.pid ?? 0, () => {
      ended = { ended: 'hang', how: `no end within ${HANG_S} s of processor time`, input: inputIn(scratch), progress }
      child.kill('SIGKILL')
    })
    child.on('message', (message: Message) => {
      if (message.kind === 'ready') child.send(assignment)
      else if (message.kind === 'entry') entries.push(message.input)
      else if (message.kind === 'fault') note(message.fault.kind, message.fault.key, message.fault)
      else progress = message.progress
      if (message.kind === 'done') ended = { ended: 'well', progress }
    })
    child.on('exit', (code, signal) => {
      clearInterval(watch)
      const why = words.split('\n').find((line) => /error|fatal/i.test(line)) ?? ''
      resolve(ended ?? { ended: 'exit', how: `ended with ${signal ?? code} ${why}`.trim(), input: inputIn(scratch), progress })
    })
  })
}

/** Calls back when a process has worked on one input for too long. */
function watchInput(scratch: string, pid: number, onHang: () => void): NodeJS.Timeout {
  let last = { at: 0, cpu_s: 0 }
  return setInterval(() => {
    const at = statSync(scratch).mtimeMs
    const cpu_s = processorTime_s(pid)
    if (at !== last.at) last = { at, cpu_s }
    else if (cpu_s - last.cpu_s > HANG_S) onHang()
  }, LOOK_MS)
}

/** User and system time in ticks of a hundredth, fields 14 and 15 of proc(5). */
function processorTime_s(pid: number): number {
  const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return (user + system) / 100
}

function inputIn(scratch: string): Uint8Array {
  const bytes = readFileSync(scratch)
  return bytes.length < 4 ? bytes : bytes.subarray(4, 4 + bytes.readUInt32LE(0))
}

function saveFault({ target, directory }: Share, kind: FaultKind, input: Uint8Array): Pick<Fault, 'file' | 'replay'> {
  const folder = join(directory, target)
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${kind}-${hash('sha256', input).slice(0, 12)}`)
  writeFileSync(file, input)
  return { file, replay: `npm run fuzz -- --replay ${file}` }
}
