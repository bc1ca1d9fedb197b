// A corpus with known truth as files of JSON lines: `node tests/e2e/data/corpus.ts DIRECTORY GIGABYTES [SEED]`. The same seed gives the same bytes,
// however many threads write them.

import { closeSync, mkdirSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { addLine, itemText, MOST_LINE_BYTES, newTarget } from './document-lines.ts'
import { type Corpus, EVALUATION_ITEMS, FILE_DOCUMENTS, fileName, filesOf } from './documents.ts'

/** Measured over a million documents. */
const MEAN_LINE_BYTES = 2_600
const CHUNK_BYTES = 1 << 22

export const corpusOf = (gigabytes: number, { seed = 1, clean = false }: Partial<Corpus> = {}): Corpus => ({
  seed,
  clean,
  // Whole blocks in both halves, so that every near-duplicate has its partner.
  documents: 2_000 * Math.max(1, Math.round((gigabytes * 1e9) / MEAN_LINE_BYTES / 2_000)),
})

function writeFile(directory: string, corpus: Corpus, file: number): void {
  const chunk = newTarget(CHUNK_BYTES + MOST_LINE_BYTES)
  const handle = openSync(join(directory, fileName(file)), 'w')
  const end = Math.min(corpus.documents, (file + 1) * FILE_DOCUMENTS)
  for (let document = file * FILE_DOCUMENTS; document < end; document += 1) {
    addLine(chunk, corpus, document)
    if (chunk.at < CHUNK_BYTES && document + 1 < end) continue
    writeSync(handle, chunk.bytes, 0, chunk.at)
    chunk.at = 0
  }
  closeSync(handle)
}

type Share = { readonly directory: string; readonly corpus: Corpus; readonly first: number; readonly step: number }

function writeShare({ directory, corpus, first, step }: Share): void {
  for (let file = first; file < filesOf(corpus); file += step) writeFile(directory, corpus, file)
}

/** Writes the files of a corpus and the evaluation set, and returns how many bytes the files have. */
export async function writeCorpus(directory: string, corpus: Corpus, threads = availableParallelism()): Promise<number> {
  mkdirSync(directory, { recursive: true })
  writeFileSync(
    join(directory, 'evaluation.items'),
    Array.from(
      { length: EVALUATION_ITEMS },
      (_, item) => `${JSON.stringify({ id: `item-${item}`, question: itemText(corpus, item) })}\n`,
    ).join(''),
  )
  await Promise.all(
    Array.from({ length: threads }, (_, first) => {
      const share: Share = { directory, corpus, first, step: threads }
      const worker = new Worker(import.meta.filename, { workerData: share })
      return new Promise<void>((done, failed) => {
        worker.once('error', failed)
        worker.once('exit', () => done())
      })
    }),
  )
  return Array.from({ length: filesOf(corpus) }, (_, file) => statSync(join(directory, fileName(file))).size).reduce(
    (sum, size) => sum + size,
    0,
  )
}

if (!isMainThread) writeShare(workerData as Share)
else if (import.meta.main) {
  const [directory, gigabytes, seed] = process.argv.slice(2)
  if (directory === undefined || gigabytes === undefined) throw new Error('usage: corpus.ts DIRECTORY GIGABYTES [SEED]')
  const started = performance.now()
  const corpus = corpusOf(Number(gigabytes), { seed: Number(seed ?? 1) })
  const bytes = await writeCorpus(directory, corpus)
  const seconds = (performance.now() - started) / 1e3
  console.log(
    `${corpus.documents} documents, ${(bytes / 1e9).toFixed(2)} GB in ${seconds.toFixed(1)} s: ${(bytes / 1e6 / seconds).toFixed(0)} MB/s`,
  )
}
