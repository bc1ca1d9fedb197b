// `ironlaw data build` as a process of its own, with the processor time of it and its workers.

import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { zstdDecompressSync } from 'node:zlib'

const IRONLAW = join(import.meta.dirname, '../../../packages/apps/cli/src/main.ts')

type BuildSpec = {
  readonly name: string
  readonly from: readonly object[]
  readonly steps: readonly object[]
  readonly workers?: number
  readonly resources?: { readonly nodes: number }
}

/** Beside the corpus, where its paths start from. */
export function writeSpec(directory: string, spec: BuildSpec): string {
  const path = join(directory, `${spec.name}.json`)
  writeFileSync(path, JSON.stringify({ apiVersion: 'ironlaw/v1', kind: 'Data', ...spec }))
  return path
}

export type Build = { readonly spec: string; readonly work: string; readonly to: string; readonly workers: number }

const wordsOf = ({ spec, work, to, workers }: Build): string[] => [
  IRONLAW,
  'data',
  'build',
  spec,
  '--work',
  work,
  '--to',
  to,
  '--workers',
  String(workers),
  '--json',
]

/** In a process group of its own, so that all of it can be killed at once; it does not outlive us. */
export function startBuild(build: Build): ChildProcess {
  const child = spawn(process.execPath, wordsOf(build), { detached: true, stdio: 'ignore' })
  const end = (): boolean => child.exitCode === null && child.signalCode === null && killQuietly(-(child.pid as number))
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  return child
}

/** Whether there was anything to kill. */
export function killQuietly(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It has ended by itself meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

type Amount = { readonly documents: number; readonly bytes: number }

export type Built = {
  readonly figures: {
    readonly steps: readonly {
      readonly step: string
      readonly into: Amount
      readonly kept: Amount
      readonly dropped: Record<string, Amount>
    }[]
    readonly sources: Record<
      string,
      { readonly records: number; readonly violations: number; readonly out: Amount & { readonly tokens: number } }
    >
  }
  /** Seconds by cause. */
  readonly measured: { readonly causes_s: Readonly<Record<string, number>> }
}

type Ended = {
  readonly status: number | null
  readonly output: string
  readonly errors: string
  readonly processorSeconds: number
  readonly seconds: number
}

/** The shell's `time` counts the processes that the command waited for as well. */
const TIMED = 'TIMEFORMAT="processor seconds %U %S"; time "$@"'

/** Runs to the end. `cores` pins it: nobody else's scheduling is then part of the measurement. */
export async function runTimed(words: readonly string[], cores?: string): Promise<Ended> {
  const pinned = cores === undefined ? words : ['taskset', '-c', cores, ...words]
  const started = performance.now()
  const child = spawn('bash', ['-c', TIMED, 'bash', ...pinned], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, errors] = [child.stdout, child.stderr].map((stream) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    return chunks
  }) as [Buffer[], Buffer[]]
  const [status] = (await once(child, 'close')) as [number | null]
  const said = Buffer.concat(errors).toString()
  const [, user = '0', system = '0'] = /processor seconds ([\d.]+) ([\d.]+)\s*$/.exec(said) ?? []
  return {
    status,
    output: Buffer.concat(output).toString(),
    errors: said,
    processorSeconds: Number(user) + Number(system),
    seconds: (performance.now() - started) / 1e3,
  }
}

export const tryBuild = async (build: Build, cores?: string): Promise<Ended> => await runTimed([process.execPath, ...wordsOf(build)], cores)

/** A build that must succeed. */
export async function runBuild(build: Build, cores?: string): Promise<Ended & { readonly built: Built }> {
  const ended = await tryBuild(build, cores)
  if (ended.status !== 0)
    throw new Error(`ironlaw data build ${build.spec} ended with status ${ended.status}: ${ended.errors.slice(-2000)}`)
  return { ...ended, built: JSON.parse(ended.output) as Built }
}

const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()

/** Of the names and bytes of all files. */
export async function digestOf(directory: string): Promise<string> {
  const digest = createHash('sha256')
  for (const path of filesIn(directory)) {
    digest.update(`\0${path.slice(directory.length)}\0`)
    await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) digest.update(chunk)
    })
  }
  return digest.digest('hex')
}

/** Lines of the documents that came out. Node decompresses one frame a call, and a file has many. */
export function* linesOut(to: string): Generator<string> {
  for (const path of filesIn(join(to, 'documents'))) {
    const bytes = readFileSync(path)
    for (let at = 0; at < bytes.length;) {
      const { buffer, engine } = zstdDecompressSync(bytes.subarray(at), { info: true }) as unknown as {
        readonly buffer: Buffer
        readonly engine: { readonly bytesWritten: number }
      }
      for (const line of buffer.toString().split('\n')) if (line !== '') yield line
      at += engine.bytesWritten
    }
  }
}
