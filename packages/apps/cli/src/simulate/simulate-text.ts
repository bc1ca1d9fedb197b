// A simulated run as text: when it ends, where the time goes, what to decide. `reliabilityText` is the short form that a plan shows.

import { PATIENCE, TRIAL_CAUSES, type ReliabilityDecisions, type Mix, type ReliabilityForecast, SPOT_LIFE } from '@ironlaw/simulator'
import { counted, dollars, isBaseUnit, joules, quantity, seconds, show, showPercent } from '@ironlaw/units'
import { paint } from '../paint.ts'
import { table } from '../table.ts'

export type MixAnswer = { readonly deadline_s: number; readonly best?: Mix; readonly mixes: readonly Mix[] }

type Simulation = { readonly half: ReliabilityForecast; readonly decisions: ReliabilityDecisions; readonly mix?: MixAnswer }

const BAR = 40
const BINS = 12

const showTime = (value: number): string => show(seconds(value), 's')
const bar = (share: number): string => paint('cyan', '█'.repeat(Math.round(BAR * share)))

/** The reliability part of a plan in a few lines. */
export function reliabilityText({
  accelerators,
  mtbf_s,
  spares,
  checkpoint,
  closedForm,
  outcome,
  range,
  goodput,
  money,
}: ReliabilityForecast): string[] {
  const { interruptions } = outcome
  return [
    `${paint('bold', 'with failures')}: ${rangeText(range)}, ${counted(interruptions.mean, 'interruption')} of ${accelerators.toLocaleString('en')} accelerators, one every ${showTime(mtbf_s)}`,
    `checkpoint every ${showTime(checkpoint.interval_s)} (Young-Daly ${showTime(closedForm.youngDaly_s)}, Daly ${showTime(closedForm.daly_s)}; each holds training for ${showTime(checkpoint.blocking_s)}, is safe after ${showTime(checkpoint.write_s)}); ${counted(spares, 'spare node')}`,
    `goodput ${showPercent(goodput.scheduling * goodput.runtime)} of wall time: scheduling ${showPercent(goodput.scheduling)} x runtime ${showPercent(goodput.runtime)}; times program ${showPercent(goodput.program)} of peak = ${showPercent(goodput.whole)}`,
    [
      money.cost_usd !== undefined && money.wasted_usd !== undefined
        ? `${show(dollars(money.cost_usd), 'USD')} with spares, ${show(dollars(money.wasted_usd), 'USD')} of it without progress`
        : '',
      `${show(joules(money.energy_j), 'J')}, ${show(joules(money.wasted_j), 'J')} of it without progress`,
    ]
      .filter(Boolean)
      .join('; '),
  ]
}

/** "23.1 d (20 to 29, 90 %: step, failure rate, restarts)". */
function rangeText({ low_s, median_s, high_s, holds, endless }: ReliabilityForecast['range']): string {
  const open = (time_s: number, share: number): string => `${endless > share ? 'over ' : ''}${showTime(time_s)}`
  return `${open(median_s, 0.5)} (${showTime(low_s)} to ${open(high_s, 0.05)}, 90 %: ${holds.join(', ')})`
}

export function simulationText({ half, decisions, mix }: Simulation): string {
  return [
    `${paint('bold', half.plan)}: ${showTime(half.work_s)} of training on ${half.accelerators.toLocaleString('en')} accelerators`,
    ...reliabilityText(half),
    '',
    histogram(half),
    '',
    waterfall(half),
    '',
    ...decisionLines(decisions, half.work_s),
    '',
    sparesTable(decisions, half.spares),
    '',
    worthTable(decisions, half.work_s),
    ...(mix ? ['', ...mixLines(mix)] : []),
    '',
    assumedTable(half),
  ].join('\n')
}

type Bin = { readonly from_s: number; readonly to_s: number; readonly replicas: number }

/** Equal bins from the shortest to the longest run. */
export function bins(walls_s: readonly number[]): Bin[] {
  const low = walls_s[0] ?? 0
  const width = ((walls_s.at(-1) ?? 0) - low) / BINS
  if (width === 0) return [{ from_s: low, to_s: low, replicas: walls_s.length }]
  return Array.from({ length: BINS }, (_, bin) => {
    const from_s = low + bin * width
    const to_s = from_s + width
    const inside = walls_s.filter((wall) => wall >= from_s && (wall < to_s || bin === BINS - 1))
    return { from_s, to_s, replicas: inside.length }
  })
}

function histogram({ range: { walls_s } }: ReliabilityForecast): string {
  const parts = bins(walls_s)
  const most = Math.max(...parts.map((part) => part.replicas))
  return table(
    ['the run ends after', 'runs', ''],
    parts.map((part) => [showTime(part.from_s), showPercent(part.replicas / walls_s.length), bar(part.replicas / most)]),
    [0, 1],
  )
}

/** Useful time first, then the losses from the largest down, each bar starting where the one before ended. */
function waterfall({ outcome: { shares, wall_s } }: ReliabilityForecast): string {
  const losses = TRIAL_CAUSES.filter((cause) => cause !== 'useful' && shares[cause] > 0).toSorted((a, b) => shares[b] - shares[a])
  const lost = 1 - shares.useful
  let before = 0
  const rows = losses.map((cause) => {
    const drawn = ' '.repeat(Math.round((BAR * before) / lost)) + bar(shares[cause] / lost)
    before += shares[cause]
    return [cause, showTime(shares[cause] * wall_s.mean), showPercent(shares[cause]), drawn]
  })
  return table(
    ['where the time goes', '', '', ''],
    [['useful', showTime(shares.useful * wall_s.mean), showPercent(shares.useful), ''], ...rows],
    [1, 2],
  )
}

function decisionLines({ interval, elastic, hang }: ReliabilityDecisions, work_s: number): string[] {
  const { effective } = interval
  return [
    `checkpoint interval: simulated optimum ${showTime(interval.simulated_s)} (useful ${showPercent(effective.simulated)}), Young-Daly ${showTime(interval.youngDaly_s)} (${showPercent(effective.youngDaly)}), Daly ${showTime(interval.daly_s)} (${showPercent(effective.daly)})${interval.differs ? '; they differ' : '; no difference that matters'}`,
    ...interval.because.map((reason) => `  because ${reason}`),
    ...(elastic
      ? [
          `without spares: ${elastic.stop_s > PATIENCE * work_s ? 'no end' : showTime(elastic.stop_s)} if the run waits for repair, ${elastic.shrink_s > PATIENCE * work_s ? 'no end' : showTime(elastic.shrink_s)} if it continues with one data-parallel replica fewer (${elastic.unit} ${elastic.unit === 1 ? 'node' : 'nodes'})`,
        ]
      : []),
    `hang time-out: ${showTime(hang.timeout_s)} without a step (costs ${(100 * hang.lost).toPrecision(2)} % of the time)`,
  ]
}

const sparesTable = ({ spares: { points, best } }: ReliabilityDecisions, held: number): string =>
  table(
    ['spare nodes', 'whole run', 'useful', 'cost', ''],
    points.map((point) => [
      String(point.spares),
      point.effective * PATIENCE < 1 ? 'no end' : showTime(point.wall_s),
      showPercent(point.effective),
      point.cost_usd === undefined || point.effective * PATIENCE < 1 ? '' : show(dollars(point.cost_usd), 'USD'),
      [
        ...(point === best ? [point.cost_usd === undefined ? 'fastest' : 'cheapest'] : []),
        ...(point.spares === held ? ['counted above'] : []),
      ].join(', '),
    ]),
    [0, 1, 2, 3],
  )

/** Of the run; what saves less is noise of the simulation. */
const WORTH_SAYING = 1e-4

const worthTable = ({ worth }: ReliabilityDecisions, work_s: number): string =>
  table(
    ['what would help', 'saves', ''],
    worth.map(({ change, saved_s, saved_usd }) => [
      change,
      saved_s < WORTH_SAYING * work_s ? 'next to nothing' : showTime(saved_s),
      saved_usd === undefined || saved_s < WORTH_SAYING * work_s ? '' : show(dollars(saved_usd), 'USD'),
    ]),
    [1, 2],
  )

function mixLines({ deadline_s, best, mixes }: MixAnswer): string[] {
  return [
    table(
      [`machines for a deadline of ${showTime(deadline_s)}`, 'whole run', 'in time', 'cost', ''],
      mixes.map((mix) => [
        mix.spot === undefined ? mix.steady : `${showPercent(mix.share)} ${mix.spot}, the rest ${mix.steady}`,
        mix.wall_s < deadline_s || mix.inTime > 0 ? showTime(mix.wall_s) : 'too late',
        showPercent(mix.inTime),
        mix.inTime > 0 ? show(dollars(mix.cost_usd), 'USD') : '',
        mix === best ? 'best' : '',
      ]),
      [1, 2, 3],
    ),
    ...(best ? [] : [paint('yellow', 'no mix meets the deadline in 90 % of cases')]),
    paint('dim', `${SPOT_LIFE.name}: ${showTime(SPOT_LIFE.value)} (${SPOT_LIFE.from})`),
  ]
}

const assumedTable = ({ assumed }: ReliabilityForecast): string =>
  table(
    ['assumed', '', 'from'],
    assumed.map(({ name, value, unit, from }) => [name, assumedValue(value, unit), from]),
    [1],
  )

/** Bare numbers and words as units stay as they are. */
function assumedValue(value: number, unit: string): string {
  if (isBaseUnit(unit) && unit !== '1') return show(quantity(value, unit), unit)
  return `${Number(value.toPrecision(4)).toLocaleString('en')}${unit === '1' ? '' : ` ${unit}`}`
}
