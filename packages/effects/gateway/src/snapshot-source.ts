// Where snapshots come from: a file or a URL, looked at again and again. The last good one is kept on disk and is what a gateway starts
// with when its source is gone; one that is broken or older than the one in force is counted and left alone.

import { readFile, rename, writeFile } from 'node:fs/promises'
import { IronlawError } from '@ironlaw/contracts'
import { parseJson } from './json.ts'
import { parseSnapshot, type Snapshot } from '@ironlaw/contracts/gateway-snapshot'

export type SourceOptions = {
  /** A path, or a URL that starts with http. */
  readonly source: string
  readonly keepAt: string
  readonly every_ms: number
  readonly token?: string
  /** The URL is a control plane's: it is told this with every look. */
  readonly report?: () => object
  /** The network and the disk, where they are not those of this machine. */
  readonly surroundings?: SourceSurroundings
}

/** Everything that a source does outside its process. */
type SourceSurroundings = {
  readonly read: (path: string) => Promise<Read>
  readonly fetch: (url: string, asking: Asking) => Promise<Read>
  /** What went wrong, or undefined. */
  readonly keep: (path: string, text: string) => Promise<string | undefined>
}

const FETCH_TIMEOUT_MS = 5000

type Read = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string }

export class SnapshotSource {
  readonly #options: SourceOptions
  readonly #surroundings: SourceSurroundings
  #timer: NodeJS.Timeout | undefined
  #text = ''
  #version = -1

  constructor(options: SourceOptions) {
    this.#options = options
    this.#surroundings = options.surroundings ?? MACHINE
  }

  /** The source's snapshot, or the one kept from before. */
  async first(): Promise<Snapshot> {
    const fresh = await this.look()
    if (typeof fresh === 'object') return fresh
    const kept = await this.#surroundings.read(this.#options.keepAt)
    const parsed = kept.ok ? parseSnapshot(parseJson(kept.text)) : { ok: false as const, problem: kept.problem }
    if (!parsed.ok) throw new IronlawError('IL_FILE', { path: this.#options.source, reason: fresh ?? parsed.problem })
    this.#version = parsed.snapshot.version
    return parsed.snapshot
  }

  watch(onSnapshot: (snapshot: Snapshot) => void, onFault: (problem: string) => void): void {
    const look = async (): Promise<void> => {
      const seen = await this.look()
      if (typeof seen === 'object') onSnapshot(seen)
      else if (seen !== undefined) onFault(seen)
      if (this.#timer) this.watch(onSnapshot, onFault)
    }
    this.#timer = setTimeout(() => void look(), this.#options.every_ms).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Once more what there is to report, to a control plane; whatever it answers. */
  async tell(): Promise<void> {
    if (this.#options.report) await this.look()
  }

  /** A snapshot newer than the last, what is wrong, or undefined where nothing changed. */
  async look(): Promise<Snapshot | string | undefined> {
    const { source, keepAt, token, report } = this.#options
    const body = report && JSON.stringify({ ...report(), version: this.#version })
    const read = source.startsWith('http') ? await this.#surroundings.fetch(source, { token, body }) : await this.#surroundings.read(source)
    if (!read.ok) return read.problem
    if (read.text === '' || read.text === this.#text) return undefined
    this.#text = read.text
    const parsed = parseSnapshot(parseJson(read.text))
    if (!parsed.ok) return parsed.problem
    if (parsed.snapshot.version <= this.#version) return `version ${parsed.snapshot.version} is not newer than ${this.#version}`
    this.#version = parsed.snapshot.version
    const kept = await this.#surroundings.keep(keepAt, read.text)
    return kept ?? parsed.snapshot
  }
}

async function readText(path: string): Promise<Read> {
  try {
    return { ok: true, text: await readFile(path, 'utf8') }
  } catch (cause) {
    return { ok: false, problem: String(cause) }
  }
}

type Asking = { readonly token: string | undefined; readonly body: string | undefined }

/** No text where a control plane has nothing newer. */
async function fetchText(url: string, { token, body }: Asking): Promise<Read> {
  try {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    }
    const posted = body === undefined ? {} : { method: 'POST', body }
    const answer = await fetch(url, { headers, ...posted, signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) })
    return answer.ok ? { ok: true, text: await answer.text() } : { ok: false, problem: `status ${answer.status}` }
  } catch (cause) {
    return { ok: false, problem: String(cause) }
  }
}

/** Whole or not at all: a crash while writing must not cost the last good one. */
async function keepText(path: string, text: string): Promise<string | undefined> {
  try {
    await writeFile(`${path}.new`, text, { mode: 0o600 })
    await rename(`${path}.new`, path)
    return undefined
  } catch (cause) {
    return String(cause)
  }
}

const MACHINE: SourceSurroundings = { read: readText, fetch: fetchText, keep: keepText }
