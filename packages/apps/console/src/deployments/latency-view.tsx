// A latency over the last half hour, one line per revision, with the objective of the plan.

import type { DeploymentFigures, LatencyPercentiles, TrafficFigures } from '@ironlaw/contracts/deployment-figures'
import { memo, type ReactNode } from 'react'
import { type Frame, pathOf, Plot } from '../charts/plot.tsx'
import type { Series } from '../charts/series.ts'
import { showClock, showDuration } from '../runs/run-words.tsx'
import { Card, Empty } from '../ui/card.tsx'

export type LatencyViewProps = {
  readonly title: string
  readonly of: 'ttft_s' | 'tpot_s'
  readonly figures: DeploymentFigures | undefined
  readonly objective: number | undefined
  readonly stable: number
  /** The revision being rolled out, if any. */
  readonly tried: number | undefined
}

type Point = readonly [at: number, seconds: number]

export const LatencyView = memo(({ title, of, figures, objective, stable, tried }: LatencyViewProps): ReactNode => {
  const lines = figures ? linesOf(figures, of) : []
  const points = lines.flatMap(([, parts]) => parts.flat())
  const bands = figures ? bandsOf(figures, of) : []
  const highest = Math.max(objective ?? 0, ...points.map(([, seconds]) => seconds), ...bands.map(({ p99 }) => p99))
  const inkOf = (revision: number): string => ROLES[roleOf(revision, stable, tried)]
  const about = `The typical answer of every half minute${bands.length > 0 ? ', and a bar from p50 to p99' : ''}${objective === undefined ? '' : `; SLO ${showDuration(objective)}`}.`
  return (
    <Card title={title} about={about} busy={!figures}>
      {points.length < 2 ? (
        <Empty>{figures ? 'No traffic yet. Send a request through the gateway.' : 'Reading…'}</Empty>
      ) : (
        <Plot
          label={`${title} over ${points.length} half minutes`}
          height={220}
          x={{
            name: 'time',
            kind: 'time',
            domain: [Math.min(...points.map(([at]) => at)), Math.max(...points.map(([at]) => at))],
            format: minute,
          }}
          y={{ name: 'seconds', kind: 'linear', domain: [0, 1.15 * highest], format: showDuration }}
          series={[
            ...lines.map(([revision, parts]) => ({ name: nameOf(revision), ink: inkOf(revision), points: parts.flat() })),
            ...percentiles(bands),
          ]}
        >
          {(frame) => (
            <>
              {bands
                .filter(({ revision }) => frame.isShown(nameOf(revision)))
                .map(({ at, revision, p50, p99 }) => (
                  <rect
                    key={`${revision} ${at}`}
                    className={`spread fill-${inkOf(revision)}`}
                    x={frame.x(at) - 2.5}
                    width={5}
                    y={frame.y(p99)}
                    height={Math.max(1, frame.y(p50) - frame.y(p99))}
                  />
                ))}
              {objective !== undefined && (
                <line className="ceiling" x2={frame.width} y1={frame.y(objective)} y2={frame.y(objective)}>
                  <title>objective {showDuration(objective)}</title>
                </line>
              )}
              {lines
                .filter(([revision]) => frame.isShown(nameOf(revision)))
                .map(([revision, parts]) =>
                  parts.map((part) => <LineSegment key={part[0]?.[0]} part={part} frame={frame} ink={inkOf(revision)} />),
                )}
            </>
          )}
        </Plot>
      )}
    </Card>
  )
})

const nameOf = (revision: number): string => `revision ${revision}`

type Line = readonly [revision: number, parts: readonly (readonly Point[])[]]

/** By its current state: live, being rolled out, or replaced. */
const ROLES = { live: 'work', 'on trial': 'exchange', over: 'waiting' } as const

type Role = keyof typeof ROLES

const roleOf = (revision: number, stable: number, tried: number | undefined): Role =>
  revision === stable ? 'live' : revision === tried ? 'on trial' : 'over'

/** The line is broken where there were no answers. */
function linesOf({ windows, window_s }: DeploymentFigures, of: 'ttft_s' | 'tpot_s'): readonly Line[] {
  const told = windows.flatMap((window): (TrafficFigures & { readonly value: number })[] => {
    const value = window[of]
    return value === undefined ? [] : [{ ...window, value }]
  })
  return [...Map.groupBy(told, ({ revision }) => revision)].map(([revision, rows]) => {
    const parts: Point[][] = []
    for (const { from_at, value } of rows) {
      const before = parts.at(-1)?.at(-1)
      if (before && from_at - before[0] <= 1.5 * window_s) parts.at(-1)?.push([from_at, value])
      else parts.push([[from_at, value]])
    }
    return [revision, parts]
  })
}

type Band = LatencyPercentiles & { readonly at: number; readonly revision: number }

const bandsOf = ({ windows }: DeploymentFigures, of: 'ttft_s' | 'tpot_s'): readonly Band[] =>
  windows.flatMap(({ from_at, revision, ttft_percentiles_s, tpot_percentiles_s }) => {
    const told = of === 'ttft_s' ? ttft_percentiles_s : tpot_percentiles_s
    return told ? [{ at: from_at, revision, ...told }] : []
  })

/** The upper end of the bars, shown with the typical answer. */
const percentiles = (bands: readonly Band[]): readonly Series[] =>
  [...Map.groupBy(bands, ({ revision }) => revision)].map(([revision, rows]) => ({
    name: `${nameOf(revision)}, p99`,
    with: nameOf(revision),
    points: rows.map(({ at, p99 }) => [at, p99]),
  }))

type LineSegmentProps = { readonly part: readonly Point[]; readonly frame: Frame; readonly ink: string }

/** A single window does not make a line. */
const LineSegment = ({ part, frame, ink }: LineSegmentProps): ReactNode => {
  const [first] = part
  if (!first) return undefined
  return part.length === 1 ? (
    <circle className={`fill-${ink}`} cx={frame.x(first[0])} cy={frame.y(first[1])} r={2.5} />
  ) : (
    <path className={`curve ink-${ink}`} d={pathOf(part, frame)} />
  )
}

const minute = (at: number): string => showClock(at).slice(0, 5)
