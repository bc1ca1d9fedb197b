// The request log: lines into files of bounded number and size, for a log shipper to collect. When the disk is slower than the requests, lines
// are dropped and counted; memory does not grow (litellm#12685 is what happens otherwise).

import { mkdir, open, readdir, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

export type SpoolLimits = { readonly file_bytes: number; readonly files: number; readonly pending_bytes: number }

const SPOOL_LIMITS: SpoolLimits = { file_bytes: 67_108_864, files: 16, pending_bytes: 8_388_608 }

const FLUSH_MS = 200

export class RequestLog {
  readonly #directory: string
  readonly #limits: SpoolLimits
  readonly #onDrop: (lines: number) => void
  #pending: string[] = []
  #pendingBytes = 0
  #writing: Promise<void> | undefined
  #file: FileHandle | undefined
  #fileBytes = 0
  #number = 0
  readonly #timer: NodeJS.Timeout

  constructor(
    directory: string,
    { limits = SPOOL_LIMITS, onDrop }: { readonly limits?: SpoolLimits; readonly onDrop: (lines: number) => void },
  ) {
    this.#directory = directory
    this.#limits = limits
    this.#onDrop = onDrop
    this.#timer = setInterval(() => this.#flush(), FLUSH_MS).unref()
  }

  write(line: string): void {
    if (this.#pendingBytes + line.length > this.#limits.pending_bytes) {
      this.#onDrop(1)
      return
    }
    this.#pending.push(line)
    this.#pendingBytes += line.length + 1
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#writing
    this.#flush()
    await this.#writing
    await this.#file?.close()
  }

  #flush(): void {
    if (this.#pending.length === 0 || this.#writing) return
    const lines = this.#pending
    this.#pending = []
    this.#pendingBytes = 0
    this.#writing = this.#append(`${lines.join('\n')}\n`)
      // Counted, and shown in the metrics.
      .catch(() => this.#dropLines(lines.length))
      .finally(() => (this.#writing = undefined))
  }

  /** A full or missing disk: these lines are gone, the next try opens a file again. */
  #dropLines(lines: number): void {
    this.#onDrop(lines)
    this.#file = undefined
  }

  async #append(text: string): Promise<void> {
    if (!this.#file || this.#fileBytes > this.#limits.file_bytes) await this.#rotate()
    const { bytesWritten } = (await this.#file?.write(text)) ?? { bytesWritten: 0 }
    this.#fileBytes += bytesWritten
  }

  async #rotate(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
    await mkdir(this.#directory, { recursive: true })
    const names = (await readdir(this.#directory)).filter((name) => /^requests-\d+\.ndjson$/.test(name)).toSorted()
    for (const name of names.slice(0, Math.max(0, names.length + 1 - this.#limits.files)))
      await rm(join(this.#directory, name), { force: true })
    this.#number = Math.max(this.#number, Number(names.at(-1)?.slice(9, 21) ?? 0)) + 1
    this.#file = await open(join(this.#directory, `requests-${String(this.#number).padStart(12, '0')}.ndjson`), 'a', 0o600)
    this.#fileBytes = 0
  }
}
