// The page that says how well the simulator speaks of published campaigns, from the same functions as `ironlaw validate reliability` and
// `ironlaw simulate checkpoint-table`: docs/validation/reliability.md.

import { type Check, checkpointTable, FIRST_ORDER_HOLDS, type TableCell, validateReliability } from '@ironlaw/simulator/validation'
import { seconds, show, showChange, showPercent } from '@ironlaw/units'
import { type GeneratedFile, markdownTable } from './generated.ts'

const SAMPLE = { replicas: 400, seed: 1 }

export function reliabilityPage(): GeneratedFile[] {
  const { checks, notScored } = validateReliability(SAMPLE)
  const page = [
    INTRODUCTION,
    '## Predicted from other clusters',
    PREDICTED,
    checkTable(checks, 'prediction'),
    coverage(checks),
    "## With the campaign's own failure rate",
    'This checks the arithmetic; nothing is predicted.',
    checkTable(checks, 'consistency'),
    '## What the misses say',
    MISSES,
    '## Inputs',
    inputs(checks),
    '## Not scored',
    markdownTable(
      ['figures', 'why', 'which'],
      notScored.map(({ ids, why }) => [String(ids.length), why, ids.map((id) => `\`${id}\``).join(', ')]),
    ),
    '## Closed forms against simulation',
    tableText(checkpointTable(SAMPLE.seed)),
  ]
  return [{ path: 'docs/validation/reliability.md', content: `${page.join('\n\n')}\n` }]
}

const INTRODUCTION = `# How well the simulator speaks of published campaigns

\`npx ironlaw validate reliability\` prints the tables below, with \`--json\` every input and its source. The published figures are in
\`facts/reliability-runs\`. The predicted figure is the median of ${SAMPLE.replicas} simulated campaigns, the interval holds nine in ten of them.`

const PREDICTED = `Nothing of the campaign goes in but its size, its length and the size of its model. Every simulated campaign is a cluster of its own:

- hardware failures are log-normal over the published rates of the *other* clusters, which differ by a factor of seven. With five or six clusters
  the next one may lie far off, so quantiles are those of Student's t;
- software stops the run not at all, or as often for each hardware failure as in one of the other clusters that counted both;
- detection takes anything up to MegaScale's bound of ten minutes, the start of a job scatters as MLPerf logs of one size do.

Storage bandwidth and planned stops of Llama 3 are its own. Interruptions are scored together and by cause. The forecast of a plan draws its
range in the same way, with the interval of the step on top.`

const MISSES = `- OPT-175B was restarted by hand in 2021 and waited for hosts of a cloud: its 59 % does not follow from the others' restarts, which take minutes.
  Its counts lie inside, at the upper end. With its own rate they come near.
- RSC's 0.9 counts time in the queue of a shared cluster; the simulated job has its nodes from the start, so with its own rate it is too good.
- Two sources only count software apart from hardware, and they differ by a factor of thirteen. Without Llama 3's own figure the prediction for
  it is none or RSC's, where user code counts: the median of its effective time is seven points too low for that.
- The interval for Llama 3's interruptions spans a factor of more than fifty. That is the honest width of "how often will a new cluster fail"; measure
  your own rate for a month, state it (\`failures.perThousandNodeDays\`), and it shrinks to about ten per cent either way.
- Effective time rests on three assumptions that no campaign publishes together: detection (half of MegaScale's bound), the start of a job (MLPerf
  logs) and the checkpoint interval (Daly's, at least 5 min). With the whole of MegaScale's bound Llama 3 would lose about two and a half points more.`

const figure = (value: number): string => Number(value.toPrecision(3)).toLocaleString('en')
const BOUNDS = { above: 'above ', 'at least': 'at least ', below: 'below ', about: 'about ' } as const

const checkTable = (checks: readonly Check[], test: Check['test']): string =>
  markdownTable(
    ['campaign', 'figure', 'published', 'predicted', '90 % interval', '', 'note'],
    checks
      .filter((check) => check.test === test)
      .map(({ campaign, figure: of, published, unit, bound, predicted, low, high, inside, note = '' }) => [
        campaign,
        of,
        `${bound === undefined ? '' : BOUNDS[bound]}${figure(published)} ${unit}`,
        figure(predicted),
        low === undefined || high === undefined ? '' : `${figure(low)} to ${figure(high)}`,
        inside === undefined ? '' : inside ? 'inside' : '**outside**',
        note,
      ]),
  )

function coverage(checks: readonly Check[]): string {
  const predicted = checks.filter(({ test, inside }) => test === 'prediction' && inside !== undefined)
  return `${predicted.filter(({ inside }) => inside).length} of ${predicted.length} predicted figures lie in their 90 % interval.`
}

/** Those of Llama 3 as an example; the others differ in size, length and rate. */
function inputs(checks: readonly Check[]): string {
  const llama = checks.find(({ id, test }) => id === 'llama3-eff' && test === 'prediction')
  const rows = (llama?.inputs ?? []).map(({ name, value, unit, from }) => [
    name,
    unit === 's' ? show(seconds(value), 's') : `${figure(value)}${unit === '1' ? '' : ` ${unit}`}`,
    from,
  ])
  return `For Llama 3, predicted; other campaigns differ in size, length, model and whose rates are left out.\n\n${markdownTable(['input', 'value', 'from'], rows)}`
}

const isFirstOrderValid = ({ write_s, mtbf_s }: TableCell): boolean => write_s / mtbf_s < FIRST_ORDER_HOLDS

function tableText(cells: readonly TableCell[]): string {
  const worst = (of: readonly number[]): string => showPercent(Math.max(...of.map(Math.abs)), 2)
  return [
    `Overhead at the Young-Daly interval, of useful time; errors are relative to the simulation. Daly's complete cost function is within
${worst(cells.map(({ completeError }) => completeError))} everywhere: its one assumption, memoryless failures, holds in all cells. The first order (write / interval + interval / (2 MTBF)) is
within ${worst(cells.filter(isFirstOrderValid).map(({ firstOrderError }) => firstOrderError))} where a write takes less than 1/${Math.round(1 / FIRST_ORDER_HOLDS).toLocaleString('en')} of the time between failures, and too low above that (bold): it leaves out that work
is lost again during rework and writes, a share that grows with the square root of write over MTBF.`,
    markdownTable(
      ['MTBF', 'write', 'interval', 'first order', 'error', 'complete', 'error', 'simulated'],
      cells.map((cell) => [
        show(seconds(cell.mtbf_s), 's'),
        show(seconds(cell.write_s), 's'),
        show(seconds(cell.interval_s), 's'),
        showPercent(cell.firstOrder, 2),
        isFirstOrderValid(cell) ? showChange(cell.firstOrderError) : `**${showChange(cell.firstOrderError)}**`,
        showPercent(cell.complete, 2),
        showChange(cell.completeError),
        showPercent(cell.simulated, 2),
      ]),
    ),
  ].join('\n\n')
}
