// The dataset from the parts that workers made: moved where it is wanted, with what is known of it. The same bits whoever made the parts.

import { hash } from 'node:crypto'
import { copyFile, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { canonicalJson } from '@ironlaw/contracts'
import { shardFiles, TOKENIZER_FILE, type TokenDataset } from '@ironlaw/contracts/token-dataset'
import type { DataRunFigures } from '@ironlaw/contracts/data-plan'
import { beginnings, doneTimes, recoverySeconds } from './attempts.ts'
import { type Example, type Figures, sumFigures } from './figures.ts'
import { diskBytes, measuredFigures } from './measured.ts'
import type { Clustered } from './passes/cluster.ts'
import type { Examined } from './passes/examine.ts'
import type { Shuffled } from './passes/shuffle.ts'
import type { WrittenUnit } from './passes/write.ts'
import { type Pipeline, shownPath, sourceOf } from './pipeline.ts'
import { loadTokenizer, tokenBytes } from './tokenizing.ts'
import { isThere, readJson } from './work-directory.ts'
import { readAll, shardCount } from './worker.ts'

export type Finished = { readonly figures: Figures; readonly measured: DataRunFigures; readonly samples?: number }

/** Of the run that is finished. */
export type Finishing = {
  readonly to: string
  readonly work: string
  readonly workers: number
  /** Where its beginnings are marked. */
  readonly begun: string
}

export async function finish(pipeline: Pipeline, { to, work, workers, begun }: Finishing): Promise<Finished> {
  const { units, files, duplicates } = pipeline
  const examined = duplicates ? await readAll<Examined>(units, files.examined) : []
  const written = await readAll<WrittenUnit>(units, files.written)
  const data = `${to}.unfinished`
  await rm(data, { recursive: true, force: true })
  await mkdir(data, { recursive: true })
  const figures = totalFigures(pipeline, examined, written)
  const shuffled = pipeline.tokenize ? await readShuffled(pipeline) : []
  const samples = pipeline.tokenize ? await finishTokens(pipeline, shuffled, data) : await finishDocuments(pipeline, written, data)
  await writeFile(join(data, 'figures.json'), canonicalJson(figures))
  await writeFile(join(data, 'sources.json'), canonicalJson(sourcesOf(pipeline)))
  await mkdir(dirname(to), { recursive: true })
  await rm(to, { recursive: true, force: true })
  await rename(data, to)
  await finishAside(pipeline, `${to}.set-aside.jsonl`)
  const clustered = duplicates && (await readJson<Clustered>(files.clustered))
  const measuring = { figures, examined, written, shuffled, ...(clustered ? { clustered } : {}), workers }
  const begun_ms = await beginnings(begun)
  const measured = await measuredFigures(pipeline, {
    ...measuring,
    wall_s: (Date.now() - (begun_ms[0] as number)) / 1000,
    recovery_s: recoverySeconds(begun_ms, await doneTimes(pipeline)),
    disk_bytes: await diskBytes(work),
  })
  return { figures, measured, ...(samples === undefined ? {} : { samples }) }
}

const readShuffled = async (pipeline: Pipeline): Promise<Shuffled[]> =>
  await Promise.all(
    Array.from({ length: await shardCount(pipeline) }, async (_, shard) => await readJson<Shuffled>(pipeline.files.shuffled(shard))),
  )

/** Where each source came from: what origin a sample has is known by the unit of its record. */
const sourcesOf = (pipeline: Pipeline) => ({
  sources: pipeline.spec.from.map(({ name, origin, generation }) => ({ name, origin, generation })),
  units: pipeline.units.map(({ source, file, start }) => ({ source, file: shownPath(pipeline, file), start })),
})

/** Records are counted over the file here, over the unit before. */
function totalFigures(pipeline: Pipeline, examined: readonly Examined[], written: readonly WrittenUnit[]): Figures {
  let sum: Figures = { steps: [], sources: {} }
  const before = new Map<string, number>()
  for (const { number, file } of pipeline.units) {
    const offset = before.get(file) ?? 0
    const { records } = written[number] as WrittenUnit
    for (const part of [examined[number]?.figures, written[number]?.figures])
      if (part) sum = sumFigures(sum, withOffset(part, pipeline, offset))
    before.set(file, offset + records)
  }
  return sum
}

function withOffset(figures: Figures, pipeline: Pipeline, offset: number): Figures {
  const moved = <Placed extends Pick<Example, 'file' | 'record'>>(placed: Placed): Placed => ({
    ...placed,
    file: shownPath(pipeline, placed.file),
    record: offset + placed.record + 1,
  })
  return {
    steps: figures.steps.map((step) => ({
      ...step,
      dropped: Object.fromEntries(
        Object.entries(step.dropped).map(([reason, dropped]) => [reason, { ...dropped, examples: dropped.examples.map(moved) }]),
      ),
    })),
    sources: Object.fromEntries(
      Object.entries(figures.sources).map(([name, { firstViolation, ...source }]) => [
        name,
        { ...source, ...(firstViolation ? { firstViolation: moved(firstViolation) } : {}) },
      ]),
    ),
  }
}

/** The dataset may be on another disk than the work, or on one that knows no links. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(async (cause: NodeJS.ErrnoException) => {
    if (!NO_LINKS.has(cause.code)) throw cause
    await copyFile(from, to)
  })
}

const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EMLINK'])

async function finishDocuments(pipeline: Pipeline, written: readonly WrittenUnit[], data: string): Promise<undefined> {
  await mkdir(join(data, 'documents'))
  for (const unit of pipeline.units) {
    if (written[unit.number]?.part.bytes === 0) continue
    const name = `${sourceOf(pipeline, unit).name}-${String(unit.number).padStart(6, '0')}.jsonl.zst`
    await linkOrCopy(pipeline.files.part(unit.number), join(data, 'documents', name))
  }
}

async function finishTokens(pipeline: Pipeline, shards: readonly Shuffled[], data: string): Promise<number> {
  const tokenize = pipeline.tokenize as NonNullable<Pipeline['tokenize']>
  const tokenizing = await loadTokenizer(tokenize, pipeline.directory)
  const full = shards.map((shard, number) => ({ shard, number })).filter(({ shard }) => shard.tokens > 0)
  for (const [place, { number }] of full.entries()) {
    const { tokens, documents } = shardFiles(place)
    await linkOrCopy(pipeline.files.shard(number, 'tokens'), join(data, tokens))
    await linkOrCopy(pipeline.files.shard(number, 'documents'), join(data, documents))
    await linkOrCopy(pipeline.files.shard(number, 'records'), join(data, documents.replace('documents', 'records')))
  }
  const tokenizer = await readFile(resolve(pipeline.directory, tokenize.tokenizer))
  await writeFile(join(data, TOKENIZER_FILE), tokenizer)
  const tokens = full.reduce((sum, { shard }) => sum + shard.tokens, 0)
  const dataset: TokenDataset = {
    apiVersion: 'ironlaw/v1',
    kind: 'TokenDataset',
    tokenizer: tokenize.tokenizer,
    tokenizerDigest: hash('sha256', tokenizer, 'hex'),
    vocabulary: tokenizing.vocabulary,
    dtype: tokenBytes(tokenizing) === 2 ? 'uint16' : 'uint32',
    sequence: tokenize.sequence,
    tokens,
    documents: full.reduce((sum, { shard }) => sum + shard.documents, 0),
    samples: Math.max(0, Math.floor((tokens - 1) / tokenize.sequence)),
    shards: full.map(({ shard }) => ({
      tokens: shard.tokens,
      documents: shard.documents,
      tokensDigest: shard.tokensDigest,
      documentsDigest: shard.documentsDigest,
      recordsDigest: shard.recordsDigest,
    })),
  }
  await writeFile(join(data, 'dataset.json'), `${JSON.stringify(dataset, undefined, 2)}\n`)
  return dataset.samples
}

/** All records that were set aside, in the order of the units. */
async function finishAside({ units, files }: Pipeline, to: string): Promise<void> {
  await rm(to, { force: true })
  for (const { number } of units)
    if (await isThere(files.aside(number))) await writeFile(to, await readFile(files.aside(number)), { flag: 'a' })
}
