// `ironlaw data select`: the documents with the highest scores, with a minimum of each class.

import { IronlawError } from '@ironlaw/contracts'
import { copyRecords, readIds, readScores, type ScoredRecord } from '@ironlaw/pipelines'
import { type Coreset, scoreStaleness, selectCoreset, type Staleness, uniformShortfalls } from '@ironlaw/planner'
import { bytes, counted, show, showPercent } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { paint } from '../paint.ts'
import { table } from '../table.ts'
import { wholeNumber } from '../whole-number.ts'
import { shareOf } from './share.ts'

export type SelectFlags = {
  readonly keep: string
  readonly perClass?: string
  readonly to?: string
  readonly before?: string
  readonly lowest?: true
  readonly id: string
  readonly score: string
  readonly class: string
}

type ClassRow = Extract<Coreset, { ok: true }>['classes'][number] & {
  /** What the highest scores alone would keep. */
  readonly by_score: number
  /** What a uniform draw would keep. */
  readonly uniform: number
}

type Selection = {
  readonly pool: number
  readonly kept: number
  /** Every sample better than this is kept; nothing where all are. */
  readonly cut?: number
  /** Kept below the cut, for the minimum of a class. */
  readonly below: number
  readonly classes: readonly ClassRow[]
  readonly least: number
  readonly before?: Staleness & { readonly file: string; readonly samples: number }
  readonly written?: { readonly file: string; readonly lines: number; readonly bytes: number; readonly sha256: string }
}

/** Classes that a screen holds; `--json` has all. */
const MOST_ROWS = 20

export async function selectAnswer(files: string, flags: SelectFlags): Promise<CommandAnswer> {
  const least = flags.perClass === undefined ? 0 : wholeNumber('--per-class', flags.perClass)
  const names = { id: flags.id, score: flags.score, class: flags.class, needsClass: least > 0 }
  checkTarget(flags.to)
  const read = await readScores(files, names)
  const samples = flags.lowest ? read.map((sample) => ({ ...sample, score: -sample.score })) : read
  const keep = keptNumber(flags.keep, samples.length)
  const coreset = selectCoreset(samples, { keep, least })
  if (!coreset.ok) throw new IronlawError('IL_USAGE', { problem: coreset.reason, command: 'data select' })
  const isKept = new Uint8Array(samples.length)
  for (const { record } of coreset.kept) isKept[record] = 1
  const before = flags.before === undefined ? undefined : await readIds(flags.before, flags.id)
  const written =
    flags.to === undefined
      ? undefined
      : await copyRecords({ files, to: flags.to, records: samples.length, takes: (record) => isKept[record] === 1 })
  const selection: Selection = {
    pool: samples.length,
    kept: coreset.kept.length,
    ...cutOf(samples, isKept, flags.lowest ? -1 : 1),
    classes: classRows(samples, coreset.classes, keep),
    least,
    ...(before && {
      before: { file: flags.before as string, samples: before.length, ...scoreStaleness(before, coreset.kept, samples.length) },
    }),
    ...(written && { written: { file: flags.to as string, ...written } }),
  }
  return { json: selection, text: () => selectionText(selection, flags.lowest === true) }
}

function checkTarget(to: string | undefined): void {
  if (to === undefined || /\.jsonl(?:\.zst)?$/.test(to)) return
  throw new IronlawError('IL_USAGE', { problem: `--to: "${to}" ends in neither .jsonl nor .jsonl.zst`, command: 'data select' })
}

/** A share of the pool, or a number of samples. */
function keptNumber(text: string, pool: number): number {
  const share = text === '1' ? undefined : shareOf(text)
  if (share !== undefined) return Math.max(1, Math.round(share * pool))
  const most = /^[\d,_.]+$/.test(text) ? wholeNumber('--keep', text) : Number.NaN
  if (most <= pool) return most
  throw new IronlawError('IL_QUANTITY', {
    name: '--keep',
    reason: most > pool ? `there are ${pool.toLocaleString('en')} samples` : `"${text}" is neither a share such as "30 %" nor a number`,
  })
}

/** @param sign of a score as the user wrote it */
function cutOf(samples: readonly ScoredRecord[], isKept: Uint8Array, sign: number): Pick<Selection, 'cut' | 'below'> {
  let cut = -Infinity
  for (const { record, score } of samples) if (isKept[record] === 0 && score > cut) cut = score
  const below = samples.reduce((sum, { record, score }) => sum + (isKept[record] === 1 && score < cut ? 1 : 0), 0)
  return cut === -Infinity ? { below } : { cut: sign * cut, below }
}

function classRows(samples: readonly ScoredRecord[], classes: readonly Omit<ClassRow, 'by_score' | 'uniform'>[], keep: number): ClassRow[] {
  const alone = selectCoreset(samples, { keep, least: 0 })
  const byScore = new Map(alone.ok ? alone.classes.map((each) => [each.class, each.kept]) : [])
  return classes.map((each) => ({
    ...each,
    by_score: byScore.get(each.class) ?? 0,
    uniform: Math.round((each.pool * keep) / samples.length),
  }))
}

const number = (value: number): string => value.toLocaleString('en')

function selectionText({ pool, kept, cut, below, classes, least, before, written }: Selection, lowest: boolean): string {
  const limit = cut === undefined ? '' : `: all with a score ${lowest ? 'below' : 'above'} ${Number(cut.toPrecision(6))}`
  const others = below > 0 ? `, and ${number(below)} ${lowest ? 'above' : 'below'} it for the minimums of their classes` : ''
  return [
    `kept ${paint('bold', number(kept))} of ${number(pool)} samples (${showPercent(kept / pool)})${limit}${others}`,
    ...(classes.length > 1 ? ['', classTable(classes), ''] : []),
    ...missedText(classes, { share: kept / pool, least }),
    ...(before ? [stalenessText(before, kept)] : []),
    ...(written ? [`wrote ${written.file}: ${counted(written.lines, 'record')}, ${show(bytes(written.bytes), 'B')}`] : []),
  ].join('\n')
}

function classTable(classes: readonly ClassRow[]): string {
  // Those that scores alone would treat worst come first.
  const rows = classes.toSorted((a, b) => a.by_score / a.pool - b.by_score / b.pool || b.pool - a.pool)
  const shown = rows
    .slice(0, MOST_ROWS)
    .map((row) => [
      row.class || '(none)',
      number(row.pool),
      number(row.kept),
      showPercent(row.kept / row.pool),
      number(row.by_score),
      number(row.uniform),
    ])
  const more = rows.length > MOST_ROWS ? [[paint('dim', `and ${rows.length - MOST_ROWS} more; --json has all`), '', '', '', '', '']] : []
  return table(['class', 'pool', 'kept', '', 'by score alone', 'drawn at random'], [...shown, ...more], [1, 2, 3, 4, 5])
}

function missedText(classes: readonly ClassRow[], { share, least }: { readonly share: number; readonly least: number }): readonly string[] {
  const named = (each: readonly { readonly class: string; readonly kept: number }[]): string =>
    `${each
      .slice(0, 5)
      .map((missed) => `${missed.class} (${missed.kept})`)
      .join(', ')}${each.length > 5 ? ` and ${each.length - 5} more` : ''}`
  const uniform = uniformShortfalls(Object.fromEntries(classes.map((each) => [each.class, each.pool])), { share, least })
  const short = classes.filter((each) => each.short > 0)
  return [
    ...(uniform.length > 0 ? [`drawn at random, fewer than ${least} would be kept of ${named(uniform)}`] : []),
    ...(short.length > 0 ? [`smaller than the minimum of ${least}, and kept whole: ${named(short)}`] : []),
  ]
}

function stalenessText({ file, samples, agreement, byChance, isStale }: NonNullable<Selection['before']>, kept: number): string {
  const found = `of ${counted(samples, 'sample')} in ${file}, ${showPercent(agreement)} are kept again (${showPercent(byChance)} would be by chance)`
  if (samples !== kept) return `${found}; keep as many as there are to see whether those scores are stale`
  return `${found}: ${isStale ? paint('yellow', 'those scores are stale, train on this selection') : 'those scores still hold'}`
}
