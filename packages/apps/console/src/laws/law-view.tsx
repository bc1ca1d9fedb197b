// One law: its statement, sliders for its inputs, the result and its curve, and the examples it was checked with.

import { explainedOutput, type Law, type LooseValues } from '@ironlaw/laws'
import { type BaseUnit, parse, quantity, show } from '@ironlaw/units'
import { type ReactNode, useMemo } from 'react'
import { pathOf, Plot } from '../charts/plot.tsx'
import { extent } from '../charts/scale.ts'
import { Card } from '../ui/card.tsx'
import { Tree } from '../ui/derivation-tree.tsx'
import { Select } from '../ui/fields.tsx'
import { Slider } from '../ui/slider.tsx'
import type { LawsState } from './laws-state.ts'
import { changesOf, changesText, curveOf, examplesOf, knownsOf, ladderOf, valuesOf, withChanges } from './trial.ts'

export type LawViewProps = { readonly law: Law; readonly state: LawsState; readonly change: (part: Partial<LawsState>) => void }

export function LawView({ law, state, change }: LawViewProps): ReactNode {
  const examples = useMemo(() => examplesOf(law), [law])
  const example = examples.find(({ id }) => id === state.example) ?? examples[0]
  const base = useMemo(() => valuesOf(law, example), [law, example])
  const changes = changesOf(state.at)
  const values = withChanges(base, changes)
  const known = explainedOutput(law, knownsOf(law, values))
  const set = (name: string, value: number): void => change({ at: changesText({ ...changes, [name]: value }) })
  return (
    <>
      <header className="law-head">
        <p className="eyebrow">{law.id}</p>
        <h1>{law.name}</h1>
        <p>Settles {law.decides}.</p>
        <p className="law-formula">
          <code>
            {law.output} = {law.is}
          </code>
        </p>
        <p className="quiet">{law.source}</p>
        <p className="quiet">Holds for {law.validity}.</p>
      </header>
      <div className="cards">
        <Card title="Try it">
          {examples.length > 0 && (
            <Select
              label="Start from a worked example"
              value={example?.id ?? ''}
              options={examples.map(({ id, title }) => ({ id, name: title }))}
              onChange={(id) => change({ example: id, at: '' })}
            />
          )}
          <Sliders law={law} base={base} values={values} onSet={set} />
          {state.at !== '' && (
            <button type="button" className="link" onClick={() => change({ at: '' })}>
              Back to the example
            </button>
          )}
        </Card>
        <Card title="Result">
          {known && (
            <>
              <p className="big">{show(known.value, known.unit)}</p>
              <Curve law={law} base={base} values={values} along={state.along} onAlong={(along) => change({ along })} />
            </>
          )}
        </Card>
        {known && (
          <Card title="Derivation" wide={Object.keys(law.also).length === 0}>
            <Tree name={law.output} known={known} />
          </Card>
        )}
        {Object.keys(law.also).length > 0 && (
          <Card title="The same inputs also give">
            <dl className="sums">
              {Object.entries(law.also).map(([name, { is }]) => (
                <div key={name} title={is}>
                  <dt>{name}</dt>
                  <dd>{outputText(law, values, name)}</dd>
                </div>
              ))}
            </dl>
          </Card>
        )}
      </div>
    </>
  )
}

function outputText(law: Law, values: LooseValues, name: string): string {
  const known = explainedOutput(law, knownsOf(law, values), name)
  return known ? show(known.value, known.unit) : '–'
}

type SlidersProps = {
  readonly law: Law
  readonly base: LooseValues
  readonly values: LooseValues
  readonly onSet: (name: string, value: number) => void
}

const Sliders = ({ law, base, values, onSet }: SlidersProps): ReactNode =>
  Object.entries(law.inputs).map(([name, input]) => {
    const value = values[name]
    const start = base[name]
    if (typeof value !== 'number' || typeof start !== 'number')
      return value === undefined ? undefined : (
        <p key={name} className="quiet">
          {name}:{' '}
          {[value]
            .flat()
            .map((each) => showValue(each, input.unit))
            .join(', ')}
        </p>
      )
    return (
      <Slider
        key={name}
        label={name}
        ladder={ladderOf(input, start)}
        value={value}
        shown={showValue(value, input.unit)}
        typed={(text) => {
          const parsed = parse(text, input.unit)
          return parsed.ok ? parsed.value : undefined
        }}
        onChange={(next) => onSet(name, next)}
      />
    )
  })

const showValue = (value: number, unit: BaseUnit): string => show(quantity(value, unit), unit)

type CurveProps = Pick<SlidersProps, 'law' | 'base' | 'values'> & { readonly along: string; readonly onAlong: (name: string) => void }

function Curve({ law, base, values, along, onAlong }: CurveProps): ReactNode {
  const names = Object.keys(law.inputs).filter((each) => typeof base[each] === 'number')
  const name = names.find((each) => each === along) ?? names[0]
  const input = name === undefined ? undefined : law.inputs[name]
  const start = name === undefined ? undefined : base[name]
  if (name === undefined || !input || typeof start !== 'number') return undefined
  const points = curveOf(law, values, { name, ladder: ladderOf(input, start) })
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
  if (points.length < 2) return undefined
  const kind = (all: readonly number[]): 'log' | 'linear' =>
    Math.min(...all) > 0 && Math.max(...all) / Math.min(...all) > 30 ? 'log' : 'linear'
  const here = curveOf(law, values, { name, ladder: [Number(values[name])] })[0]
  return (
    <>
      <Plot
        label={`${law.output} along ${name}`}
        height={250}
        x={{ name, kind: kind(xs), domain: extent(xs, { kind: kind(xs), room: 0 }), format: (value) => showValue(value, input.unit) }}
        y={{
          kind: kind(ys),
          domain: extent(ys, { kind: kind(ys), room: 0.06 }),
          format: (value) => showValue(value, law.unit),
          name: law.output,
        }}
        series={[{ name: law.output, points }]}
      >
        {(frame) => (
          <>
            <path className="curve" d={pathOf(points, frame)} />
            {here && here[0] >= Math.min(...xs) && here[0] <= Math.max(...xs) && (
              <circle className="here" cx={frame.x(here[0])} cy={frame.y(here[1])} r={6} />
            )}
          </>
        )}
      </Plot>
      {names.length > 1 && <Select label="Along" value={name} options={names.map((id) => ({ id, name: id }))} onChange={onAlong} />}
    </>
  )
}
