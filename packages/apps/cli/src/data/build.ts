// `ironlaw data build`: the dataset of a data spec, on this machine.

import { dirname, join, resolve } from 'node:path'
import { parseDataSpec } from '@ironlaw/contracts/data-spec'
import { build, type Finished } from '@ironlaw/pipelines'
import { counted } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { sizeText } from '../artifact/artifacts.ts'
import { readDocument } from '../input-file.ts'
import { progressLine } from '../progress.ts'
import { table } from '../table.ts'
import { wholeNumber } from '../whole-number.ts'

export type BuildFlags = { readonly to?: string; readonly work?: string; readonly workers?: string }

export async function buildDataset(file: string, flags: BuildFlags): Promise<CommandAnswer> {
  const spec = parseDataSpec(readDocument(file), file)
  const directory = dirname(resolve(file))
  const to = resolve(flags.to ?? spec.name)
  const line = progressLine('steps')
  const finished = await build({
    spec,
    directory,
    to,
    work: resolve(flags.work ?? join(dirname(to), '.ironlaw-data')),
    ...(flags.workers === undefined ? {} : { workers: wholeNumber('--workers', flags.workers) }),
    onProgress: () => line.tick(0),
  })
  line.clear()
  return { json: { to, ...finished }, text: () => buildText(finished, to) }
}

const share = (part: number, whole: number): string => (whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)} %`)
const grouped = (count: number): string => count.toLocaleString('en')

function buildText({ figures, measured, samples }: Finished, to: string): string {
  const { duration_s } = measured
  const steps = figures.steps
    .filter(({ into }) => into.documents > 0)
    .map(({ step, into, kept, dropped }) => [
      step,
      grouped(into.documents),
      grouped(kept.documents),
      share(kept.documents, into.documents),
      reasonsText(Object.entries(dropped).map(([reason, { documents }]) => [reason, documents])),
    ])
  const sources = Object.entries(figures.sources).map(([name, { records, violations, out }]) => [
    name,
    grouped(records),
    grouped(violations),
    grouped(out.documents),
    sizeText(out.bytes),
    out.tokens === 0 ? '' : grouped(out.tokens),
  ])
  const causes = Object.entries(measured.causes_s)
    .toSorted(([, a], [, b]) => b - a)
    .filter(([, seconds]) => seconds >= 0.01 * duration_s)
    .map(([cause, seconds]) => `${cause} ${share(seconds, duration_s)}`)
  return [
    table(['step', 'documents', 'kept', '', 'dropped most for'], steps, [1, 2, 3]),
    '',
    table(['source', 'records', 'set aside', 'documents', 'text', 'tokens'], sources, [1, 2, 3, 4, 5]),
    '',
    `${duration_s.toFixed(1)} s: ${causes.join(', ')}`,
    `${samples === undefined ? 'documents' : counted(samples, 'sample')} in ${to}`,
  ].join('\n')
}

const MOST_REASONS = 3

const reasonsText = (reasons: readonly (readonly [string, number])[]): string =>
  reasons
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST_REASONS)
    .map(([reason, documents]) => `${reason} (${grouped(documents)})`)
    .join(', ')
