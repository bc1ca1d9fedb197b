// The log-likelihood ratio of each guardrail between its two bounds, stage by stage.

import type { Guardrail, EvidenceTrail, GuardrailRule } from '@ironlaw/contracts/deployment-figures'
import { memo, type ReactNode } from 'react'
import { type Frame, pathOf, Plot } from '../charts/plot.tsx'
import { showDuration } from '../runs/run-words.tsx'
import { Empty } from '../ui/card.tsx'
import { GUARDRAILS } from './words.tsx'

export const GUARDRAIL_INK: Readonly<Record<Guardrail, string>> = {
  ttft: 'work',
  tpot: 'exchange',
  errors: 'waiting',
  quality: 'accent',
  outputs: 'words',
}

export const GUARDRAIL_NAMES = ['ttft', 'tpot', 'errors', 'quality', 'outputs'] as const satisfies readonly Guardrail[]

/** Beyond the bounds a test is decided, so values are clipped there. */
const BEYOND = 1.45

export type EvidencePlotProps = { readonly trail: EvidenceTrail | undefined; readonly rule: GuardrailRule }

export const EvidencePlot = memo(({ trail, rule: { worse, as_good } }: EvidencePlotProps): ReactNode => {
  const points = trail?.points ?? []
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || points.length < 2) return <Empty>No evidence yet: counting starts with the first answers of the revision.</Empty>
  const [low, high] = [BEYOND * as_good, BEYOND * worse]
  const stages = [...Map.groupBy(points, ({ stage }) => stage)]
  return (
    <Plot
      label={`Evidence of the guardrails over ${showDuration(last.at - first.at)}`}
      height={280}
      x={{ kind: 'linear', domain: [0, Math.max(1, last.at - first.at)], format: showDuration, name: 'since the trial began' }}
      y={{ kind: 'linear', domain: [low, high], format: (value) => value.toFixed(1), name: 'log likelihood ratio' }}
      series={GUARDRAIL_NAMES.map((of) => ({
        name: GUARDRAILS[of],
        points: walk(points, of).map(([at, value]) => [at - first.at, Math.max(low, Math.min(high, value))]),
      }))}
    >
      {(frame) => (
        <>
          <Bounds frame={frame} worse={worse} asGood={as_good} />
          {stages.slice(1).map(([stage, [begin]]) => (
            <line
              key={stage}
              className="stage"
              x1={frame.x((begin?.at ?? 0) - first.at)}
              x2={frame.x((begin?.at ?? 0) - first.at)}
              y2={frame.height}
            />
          ))}
          {stages.flatMap(([stage, rows]) =>
            GUARDRAIL_NAMES.map((of) => (
              <path
                key={`${stage} ${of}`}
                className={`curve ink-${GUARDRAIL_INK[of]}`}
                d={pathOf(
                  walk(rows, of).map(([at, value]) => [at - first.at, Math.max(low, Math.min(high, value))]),
                  frame,
                )}
              >
                <title>{GUARDRAILS[of]}</title>
              </path>
            )),
          )}
        </>
      )}
    </Plot>
  )
})

const walk = (points: readonly EvidenceTrail['points'][number][], of: Guardrail): readonly (readonly [number, number])[] =>
  points.flatMap(({ at, evidence }) => (evidence[of] === undefined ? [] : [[at, evidence[of]] as const]))

const Bounds = ({ frame, worse, asGood }: { readonly frame: Frame; readonly worse: number; readonly asGood: number }): ReactNode => (
  <>
    <rect className="zone bad" width={frame.width} height={Math.max(0, frame.y(worse))} />
    <rect className="zone good" width={frame.width} y={frame.y(asGood)} height={Math.max(0, frame.height - frame.y(asGood))} />
    <line className="bound bad" x2={frame.width} y1={frame.y(worse)} y2={frame.y(worse)} />
    <line className="bound good" x2={frame.width} y1={frame.y(asGood)} y2={frame.y(asGood)} />
    <text x={6} y={frame.y(worse) - 6} className="bound-name">
      worse: rolled back
    </text>
    <text x={6} y={frame.y(asGood) + 15} className="bound-name">
      as good
    </text>
  </>
)
