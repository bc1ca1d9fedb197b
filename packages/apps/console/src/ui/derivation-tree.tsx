// The derivation of a number: the law, its inputs with units, each with its source or its own law, down to given values.

import { type Known, type KnownInputs, show } from '@ironlaw/units'
import type { ReactNode } from 'react'

type TreeProps = { readonly name: string; readonly known: Known }

export const Tree = ({ name, known }: TreeProps): ReactNode => (
  <ul className="tree">
    <Node name={name} known={known} depth={0} />
  </ul>
)

/** Depth that is open at first: enough to see the law and its inputs. */
const OPEN_DEPTH = 2

function Node({ name, known, depth }: TreeProps & { readonly depth: number }): ReactNode {
  const head = (
    <>
      <span className="tree-name">{name}</span>
      <span className="tree-value">{show(known.value, known.unit)}</span>
    </>
  )
  const { by } = known
  if (by.kind !== 'law')
    return (
      <li className="leaf">
        <div className="tree-head">{head}</div>
        <p className="source">
          {by.kind === 'source' ? `${by.ref}, ${by.asOf}` : by.kind === 'given' ? 'given here' : 'default of the law'}
        </p>
      </li>
    )
  const inputs = by.steps ? [[by.output, by.steps] as const] : inputsOf(by.from)
  return (
    <li>
      <details open={depth < OPEN_DEPTH}>
        <summary className="tree-head">{head}</summary>
        <p className="formula">
          <code>{by.is}</code>
          <span>{by.law.startsWith('planner/') ? 'planner' : <a href={`#/laws?law=${encodeURIComponent(by.law)}`}>{by.law}</a>}</span>
        </p>
        {by.outside.map((reason) => (
          <p key={reason} className="outside">
            Outside the law's validity: {reason}
          </p>
        ))}
        <ul>
          {inputs.map(([input, each]) => (
            <Node key={input} name={input} known={each} depth={depth + 1} />
          ))}
        </ul>
      </details>
    </li>
  )
}

const inputsOf = (from: KnownInputs): readonly (readonly [string, Known])[] =>
  Object.entries(from).flatMap(([name, known]) =>
    isList(known) ? known.map((each, index) => [`${name} ${index + 1}`, each] as const) : [[name, known] as const],
  )

const isList = (known: Known | readonly Known[]): known is readonly Known[] => Array.isArray(known)
