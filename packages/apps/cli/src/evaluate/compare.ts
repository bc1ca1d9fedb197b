// `ironlaw evaluate compare`: whether the model of one evaluation may replace that of another.

import { IronlawError } from '@ironlaw/contracts'
import type { Evaluation } from '@ironlaw/contracts/evaluation'
import { checkComparable, readEvaluation, type ReadEvaluation } from '@ironlaw/evaluations'
import { type ComparedPart, type ComparisonVerdict, STAGES } from '@ironlaw/policies/evaluation'
import { showPoints } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { shareOf } from '../data/share.ts'
import { table } from '../table.ts'
import { wholeNumber } from '../whole-number.ts'
import { comparisonOf, type JudgedComparison, seenMargin } from './comparable.ts'

export type CompareFlags = {
  readonly margin: string
  readonly falseBlock: string
  readonly miss: string
  readonly looks: string
  readonly across?: readonly string[]
}

type Compared = { readonly before: ReadEvaluation; readonly after: ReadEvaluation }

export async function compareAnswer(first: string, second: string, flags: CompareFlags): Promise<CommandAnswer> {
  const [before, after] = [await readEvaluation(first), await readEvaluation(second)]
  checkComparable(before.evaluation, after.evaluation, { across: flags.across ?? [] })
  const slices = [...new Set(after.evaluation.slices.map(({ slice }) => slice))]
  const rule = {
    margin: seenMargin(before, after, share('--margin', flags.margin)),
    risk: { falseBlock: share('--false-block', flags.falseBlock), miss: share('--miss', flags.miss) },
    looks: wholeNumber('--looks', flags.looks),
    slices,
  }
  return comparisonAnswer({ before, after }, comparisonOf(before, after, rule))
}

export function comparisonAnswer(compared: Compared, comparison: JudgedComparison): CommandAnswer {
  const violation = violationOf(comparison)
  return {
    json: jsonOf(compared, comparison),
    text: () => comparisonText(compared, comparison),
    ...(violation && { exit: 3, violation }),
  }
}

function share(flag: string, text: string): number {
  const value = shareOf(text)
  if (value !== undefined && value > 0 && value < 1) return value
  throw new IronlawError('IL_QUANTITY', { name: flag, reason: `"${text}" is not a share between 0 and 1, such as 0.02 or "2 %"` })
}

const points = (difference: number): string => `${difference > 0 ? '+' : ''}${showPoints(difference)}`

function violationOf({ verdict, parts, rule: { margin } }: JudgedComparison): CommandAnswer['violation'] {
  const [all] = parts
  if (verdict === 'worse') {
    const worse = parts.filter((part) => part.verdict === 'worse').map((part) => `${partName(part)} (${points(part.difference)} points)`)
    return { problem: `the new model is worse: ${worse.join(', ')}`, next: 'keep the old one, or see which items it lost in results.jsonl' }
  }
  if (verdict !== 'undecided' || !all) return undefined
  const items = Math.ceil(all.items * (all.smallestDrop / margin) ** 2)
  return {
    problem: `undecided: ${all.items.toLocaleString('en')} items show a drop of ${points(all.smallestDrop).slice(1)} points, and the margin is ${points(margin).slice(1)}`,
    next:
      items > all.items
        ? `use about ${items.toLocaleString('en')} items, or a larger --margin`
        : 'add items: the difference lies too near to the margin for so few',
  }
}

const partName = ({ slice, value }: ComparedPart): string => (slice === undefined ? 'all items' : `${slice}: ${value ?? ''}`)

const VERDICTS: Readonly<Record<ComparisonVerdict, string>> = {
  better: 'better',
  'as-good': 'as good',
  worse: 'worse',
  undecided: 'undecided',
}

const jsonOf = ({ before, after }: Compared, { verdict, parts, rule }: JudgedComparison): object => ({
  verdict,
  before: before.evaluation.model,
  after: after.evaluation.model,
  instrument: after.evaluation.instrument_digest,
  ...(after.evaluation.sequential && { sequential: after.evaluation.sequential }),
  rule: { margin: rule.margin, risk: { false_block: rule.risk.falseBlock, miss: rule.risk.miss }, looks: rule.looks },
  parts: parts.map(({ slice, value, items, differing, difference, bounds, smallestDrop, verdict: own }) => ({
    ...(slice !== undefined && { slice, value }),
    items,
    differing,
    difference: { value: difference, ...bounds },
    smallest_drop: smallestDrop,
    verdict: own,
  })),
})

function comparisonText({ before, after }: Compared, { verdict, parts, rule }: JudgedComparison): string {
  const rows = parts.map((part) => [
    partName(part),
    part.items.toLocaleString('en'),
    `${(100 * part.differing).toFixed(1)} %`,
    points(part.difference),
    `${points(part.bounds.low)} to ${points(part.bounds.high)}`,
    points(part.smallestDrop).slice(1),
    VERDICTS[part.verdict],
  ])
  const { id } = after.evaluation.model
  return [
    `${id} against ${before.evaluation.model.id}: ${VERDICTS[verdict]}`,
    '',
    table(['', 'items', 'differ', 'points', 'interval', 'visible drop', 'verdict'], rows, [1, 2, 3, 4, 5]),
    '',
    `margin ${points(rule.margin).slice(1)} points${after.evaluation.judge ? ' of verdicts, as a judge sees it' : ''}; an equal model is refused with ${percent(rule.risk.falseBlock)}, one worse by the margin passed with ${percent(rule.risk.miss)}${rule.looks === 1 ? '' : `, over ${rule.looks} candidates`}`,
    ...stageLines(after.evaluation),
  ].join('\n')
}

/** Bounds of a stage lie further apart than those of one comparison. */
function stageLines({ sequential, items: { count } }: Evaluation): readonly string[] {
  if (!sequential) return []
  const { asked, stage } = sequential
  const ended = asked < count ? 'stopped, as the verdict is sure' : 'asked to the end'
  return [
    `${ended}: ${asked.toLocaleString('en')} of ${count.toLocaleString('en')} items, stage ${stage} of ${STAGES}; the chances hold for all stages together`,
  ]
}

const percent = (value: number): string => `${Number((100 * value).toPrecision(3))} %`
