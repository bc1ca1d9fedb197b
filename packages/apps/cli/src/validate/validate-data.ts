// `ironlaw validate data`: corpora are drawn, probed and planned, then made into datasets. Nothing was fitted to them: other seeds are other corpora.

import { runTrial, type Trial } from '@ironlaw/pipelines'
import { planData, type ScoredFigure, scoredRun } from '@ironlaw/planner'
import { bytes as bytesOf, show, showPercent } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { progressLine } from '../progress.ts'
import { table } from '../table.ts'
import { wholeNumber } from '../whole-number.ts'

export type ValidateDataFlags = { readonly corpora: string; readonly seed: string; readonly megabytes: string; readonly rows?: true }

/** Of corpora, whose figure must lie in its 90 % interval. */
const GOAL = 0.85
const SHARE = 0.2
/** One worker starts no process, and loads a small tokenizer. */
const START_S = 0.05

type Scored = { readonly seed: number; readonly traits: Trial['traits']; readonly rows: readonly ScoredFigure[] }

export async function validateDataAnswer(flags: ValidateDataFlags): Promise<CommandAnswer> {
  const corpora = wholeNumber('--corpora', flags.corpora)
  const first = wholeNumber('--seed', flags.seed)
  const bytes = 1e6 * wholeNumber('--megabytes', flags.megabytes)
  const line = progressLine('corpora')
  const scored: Scored[] = []
  // The first trial warms the machine up, and is not counted.
  await runTrial(first + corpora, { bytes, share: SHARE, workers: 1 })
  for (let seed = first; seed < first + corpora; seed += 1) {
    scored.push(score(await runTrial(seed, { bytes, share: SHARE, workers: 1 })))
    line.tick(1)
  }
  line.clear()
  const figures = ['tokens after tokenize', 'documents after deduplicate', 'documents after keep', 'duration'].map((figure) =>
    summary(figure, scored),
  )
  const missed = figures.find(({ figure, inside }) => (figure === 'tokens after tokenize' || figure === 'duration') && inside < GOAL)
  return {
    json: { corpora, bytes, share: SHARE, figures, ...(flags.rows ? { rows: scored } : {}) },
    text: () => validationText(figures, { corpora, bytes }),
    ...(missed && {
      exit: 3,
      violation: {
        problem: `${missed.figure} lies in its 90 % interval in ${showPercent(missed.inside)} of the corpora; the goal is ${showPercent(GOAL)}`,
        next: 'on a machine that does other work too, times are not what the probe measured: try again when it is quiet',
      },
    }),
  }
}

function score({ seed, traits, probe, measured }: Trial): Scored {
  const { plan } = planData({ name: 'validation', probe, conditions: { workers: 1, start_s: START_S, similarity: traits.similarity } })
  return { seed, traits, rows: scoredRun(plan, measured) }
}

type Summary = { readonly figure: string; readonly inside: number; readonly error: number; readonly worst: number; readonly width: number }

function summary(figure: string, scored: readonly Scored[]): Summary {
  const rows = scored.flatMap((each) => each.rows.filter((row) => row.figure === figure))
  const errors = rows.map(({ predicted, measured }) => Math.abs(predicted / measured - 1)).toSorted((a, b) => a - b)
  const widths = rows.map(({ low, high, measured }) => (high - low) / 2 / measured).toSorted((a, b) => a - b)
  return {
    figure,
    inside: rows.filter(({ inside }) => inside).length / Math.max(1, rows.length),
    error: errors[Math.floor(errors.length / 2)] ?? 0,
    worst: errors.at(-1) ?? 0,
    width: widths[Math.floor(widths.length / 2)] ?? 0,
  }
}

const validationText = (figures: readonly Summary[], { corpora, bytes }: { corpora: number; bytes: number }): string =>
  [
    `${corpora} corpora of ${show(bytesOf(bytes), 'B')}, each planned from ${showPercent(SHARE)} of its contents, then made into tokens`,
    '',
    table(
      ['figure', 'in its 90 % interval', 'median error', 'largest', 'half width'],
      figures.map(({ figure, inside, error, worst, width }) => [
        figure,
        showPercent(inside),
        showPercent(error),
        showPercent(worst),
        showPercent(width),
      ]),
      [1, 2, 3, 4],
    ),
  ].join('\n')
