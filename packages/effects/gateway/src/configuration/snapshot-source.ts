// Where snapshots come from: a file or a URL, read again and again. A new one is applied, then kept on disk for the next start, then reported to
// the control plane as applied; one that is broken, older or cannot be applied is reported as rejected, with the reason, and what is in force
// stays. A copy that cannot be written (disk full) holds nothing up: staying on revoked keys is worse than starting with older ones later.

import { hash } from 'node:crypto'
import { readFile, rename, stat, utimes, writeFile } from 'node:fs/promises'
import { IronlawError, systemReason } from '@ironlaw/contracts'
import { type GatewaySync, REASON_CHARACTERS } from '@ironlaw/contracts/gateway-sync'
import { parseSnapshot, type GatewaySnapshot } from '@ironlaw/contracts/gateway-snapshot'
import { parseJson } from '../front/json.ts'
import type { OwnToken } from './own-token.ts'
import type { SnapshotStatus } from './snapshot-status.ts'

export type SourceOptions = {
  /** A path, or a URL that starts with http. */
  readonly source: string
  readonly keepAt: string
  readonly every_ms: number
  readonly token?: OwnToken
  /** The URL is a control plane's: this goes to it with every look. */
  readonly report?: () => object
  /** The network and the disk, where they are not those of this machine. */
  readonly surroundings?: SourcePorts
}

/** Everything that a source does outside its process. */
type SourcePorts = {
  readonly read: (path: string) => Promise<ReadResult>
  readonly fetch: (url: string, asking: FetchOptions) => Promise<ReadResult>
  /** What went wrong, or undefined. */
  readonly keep: (path: string, text: string) => Promise<string | undefined>
  /** How long ago a kept copy was last confirmed; 0 where the surroundings cannot say. */
  readonly age_ms?: (path: string) => Promise<number>
  readonly confirm?: (path: string) => Promise<void>
}

const FETCH_TIMEOUT_MS = 5000
/** How often the kept copy is marked as still valid; its age after a restart is too high by this at the most. */
const TOUCH_MS = 60_000

type ReadResult = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string }

type Candidate = { readonly snapshot: GatewaySnapshot; readonly text: string }

type LookResult = Candidate | { readonly problem: string } | undefined

export class SnapshotSource {
  readonly #options: SourceOptions
  readonly #surroundings: SourcePorts
  #timer: NodeJS.Timeout | undefined
  /** What the source held last, applied or not. */
  #text = ''
  #applied: GatewaySnapshot | undefined
  #appliedHash = ''
  #rejected: GatewaySync['rejected']
  /** What is in force and not on disk yet. */
  #unkept: string | undefined
  /** When the source last said that what is in force is the newest, by the clock that only goes forward. */
  #confirmed_ms = 0
  #touched_ms = 0

  constructor(options: SourceOptions) {
    this.#options = options
    this.#surroundings = options.surroundings ?? MACHINE
  }

  /** The source's snapshot, or the one kept from before. */
  async first(): Promise<GatewaySnapshot> {
    const look = await this.#read()
    if (look && 'snapshot' in look) {
      await this.#apply(look, () => undefined)
      return look.snapshot
    }
    const { keepAt, source } = this.#options
    const kept = await this.#surroundings.read(keepAt)
    const parsed = kept.ok ? parseSnapshot(parseJson(kept.text)) : { ok: false as const, problem: kept.problem }
    if (!parsed.ok) {
      const reason = look?.problem ?? parsed.problem
      throw new IronlawError('IL_NO_CONFIGURATION', { source, reason, next: configurationAdvice(source, reason) })
    }
    this.#applied = parsed.snapshot
    this.#appliedHash = kept.ok ? hash('sha256', kept.text) : ''
    this.#confirmed_ms = performance.now() - ((await this.#surroundings.age_ms?.(keepAt)) ?? 0)
    return parsed.snapshot
  }

  watch(onSnapshot: (snapshot: GatewaySnapshot) => void, onFault: (problem: string) => void): void {
    const look = async (): Promise<void> => {
      const problem = await this.lookOnce(onSnapshot)
      if (problem !== undefined) onFault(problem)
      if (this.#timer) this.watch(onSnapshot, onFault)
    }
    this.#timer = setTimeout(() => void look(), this.#options.every_ms).unref()
  }

  /** Looks once, and applies what is new; answers what went wrong, if something did. */
  async lookOnce(onSnapshot: (snapshot: GatewaySnapshot) => void): Promise<string | undefined> {
    const seen = await this.#read()
    return seen && 'snapshot' in seen ? this.#apply(seen, onSnapshot) : seen?.problem
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Once more what there is to report, to a control plane; whatever it answers. */
  async sendReport(): Promise<void> {
    if (this.#options.report) await this.#read()
  }

  status(): SnapshotStatus {
    return {
      age_s: Math.max(0, performance.now() - this.#confirmed_ms) / 1000,
      isKept: this.#unkept === undefined,
      isRejecting: this.#rejected !== undefined,
    }
  }

  /** Another snapshot than the one in force, what is wrong, or undefined where nothing changed. */
  async #read(): Promise<LookResult> {
    const { source, token, report } = this.#options
    const body = report && JSON.stringify({ ...report(), ...this.#acknowledgement() })
    const read = source.startsWith('http')
      ? await this.#surroundings.fetch(source, { token: token?.(), body })
      : await this.#surroundings.read(source)
    if (!read.ok) return read
    if (read.text === '' || read.text === this.#text) return this.#confirmCurrent()
    this.#text = read.text
    if (hash('sha256', read.text) === this.#appliedHash) {
      this.#rejected = undefined
      return this.#confirmCurrent()
    }
    const document = parseJson(read.text)
    const parsed = parseSnapshot(document)
    if (!parsed.ok) return this.#reject(versionOf(document), parsed.problem)
    const { snapshot } = parsed
    if (!isNewer(snapshot, this.#applied))
      return this.#reject(snapshot, `version ${snapshot.version} is not newer than ${this.#applied?.version ?? -1}`)
    return { snapshot, text: read.text }
  }

  async #apply({ snapshot, text }: Candidate, onSnapshot: (snapshot: GatewaySnapshot) => void): Promise<string | undefined> {
    try {
      onSnapshot(snapshot)
    } catch (cause) {
      return this.#reject(snapshot, `cannot be applied: ${String(cause)}`).problem
    }
    this.#applied = snapshot
    this.#appliedHash = hash('sha256', text)
    this.#rejected = undefined
    this.#confirmed_ms = performance.now()
    const problem = await this.#surroundings.keep(this.#options.keepAt, text)
    this.#unkept = problem === undefined ? undefined : text
    this.#touched_ms = this.#confirmed_ms
    return problem === undefined ? undefined : `version ${snapshot.version} is in force, but no copy could be kept: ${problem}`
  }

  async #confirmCurrent(): Promise<undefined> {
    // The source holds what was rejected: that says nothing about what is in force.
    if (this.#rejected || !this.#applied) return
    this.#confirmed_ms = performance.now()
    const { keepAt } = this.#options
    if (this.#unkept !== undefined && (await this.#surroundings.keep(keepAt, this.#unkept)) === undefined) this.#unkept = undefined
    if (this.#unkept !== undefined || this.#confirmed_ms - this.#touched_ms < TOUCH_MS) return
    this.#touched_ms = this.#confirmed_ms
    await this.#surroundings.confirm?.(keepAt)
  }

  #reject({ epoch, version }: Pick<GatewaySnapshot, 'epoch' | 'version'>, problem: string): { readonly problem: string } {
    this.#rejected = { ...(epoch !== undefined && { epoch }), version, reason: problem.slice(0, REASON_CHARACTERS) }
    return { problem }
  }

  #acknowledgement(): Pick<GatewaySync, 'version' | 'epoch' | 'digest' | 'kept' | 'rejected'> {
    const { version = -1, epoch, digest } = this.#applied ?? {}
    return {
      version,
      ...(epoch !== undefined && { epoch }),
      ...(digest !== undefined && { digest }),
      kept: this.#unkept === undefined,
      ...(this.#rejected && { rejected: this.#rejected }),
    }
  }
}

/** Versions of two epochs say nothing about each other: whatever the source holds is newer then. */
const isNewer = (next: GatewaySnapshot, applied: GatewaySnapshot | undefined): boolean =>
  applied === undefined || next.epoch !== applied.epoch || next.version > applied.version

/** Of a document that is no snapshot, as far as it says. */
function versionOf(document: unknown): Pick<GatewaySnapshot, 'epoch' | 'version'> {
  const { epoch, version } = Object(document)
  return {
    version: Number.isSafeInteger(version) && version >= 0 ? version : -1,
    ...(typeof epoch === 'string' && epoch !== '' && { epoch: epoch.slice(0, 200) }),
  }
}

const READ_GUIDE = 'docs/guides/gateway.md shows one'

/** What to do about a configuration that cannot be had at the start. */
function configurationAdvice(source: string, reason: string): string {
  if (/status 40[13]/.test(reason))
    return 'set IRONLAW_TOKEN to a token of the role gateway; "ironlaw token create gateway-1 --role gateway" prints one'
  if (reason.startsWith('status ')) return 'check that the URL is that of an Ironlaw control plane, or of a configuration'
  if (source.startsWith('http')) return 'start the control plane there ("ironlaw up"), or correct --control or --config'
  if (reason === NO_FILE) return `write that file (${READ_GUIDE}), name another with --config, or follow a control plane with --control URL`
  return `correct the file; ${READ_GUIDE}`
}

const NO_FILE = 'there is no such file or directory'

async function readText(path: string): Promise<ReadResult> {
  try {
    return { ok: true, text: await readFile(path, 'utf8') }
  } catch (cause) {
    return { ok: false, problem: systemReason(cause) ?? String(cause) }
  }
}

async function fileAge_ms(path: string): Promise<number> {
  const { mtimeMs } = await stat(path)
  return Math.max(0, Date.now() - mtimeMs)
}

async function touch(path: string): Promise<void> {
  const now = new Date()
  // A copy that cannot be marked only looks older than it is.
  await utimes(path, now, now).catch(() => undefined)
}

type FetchOptions = { readonly token: string | undefined; readonly body: string | undefined }

/** No text where a control plane has nothing newer. */
async function fetchText(url: string, { token, body }: FetchOptions): Promise<ReadResult> {
  try {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    }
    const posted = body === undefined ? {} : { method: 'POST', body }
    const answer = await fetch(url, { headers, ...posted, signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) })
    return answer.ok ? { ok: true, text: await answer.text() } : { ok: false, problem: `status ${answer.status}` }
  } catch (cause) {
    return { ok: false, problem: fetchProblem(cause) }
  }
}

/** "fetch failed" says nothing; why it did is in the cause. */
function fetchProblem(cause: unknown): string {
  const inner = cause instanceof Error ? (cause.cause ?? cause) : cause
  const [first]: unknown[] = inner instanceof AggregateError ? inner.errors : [inner]
  return first instanceof Error ? first.message : String(first)
}

/** Whole or not at all: neither a crash while writing nor a power failure after it may cost the last good one. */
async function keepText(path: string, text: string): Promise<string | undefined> {
  try {
    await writeFile(`${path}.new`, text, { mode: 0o600, flush: true })
    await rename(`${path}.new`, path)
    return undefined
  } catch (cause) {
    return String(cause)
  }
}

const MACHINE: SourcePorts = { read: readText, fetch: fetchText, keep: keepText, age_ms: fileAge_ms, confirm: touch }
