// A derivation as an indented tree: each line is a quantity and its origin; below a computed one are the formula and its inputs.

import { type Known, type KnownInputs, show } from '@ironlaw/units'
import { paint } from '../paint.ts'

export function derivationText(name: string, known: Known): string {
  return lines(name, known).join('\n')
}

function lines(name: string, known: Known): string[] {
  const head = `${paint('bold', name)} = ${paint('cyan', show(known.value, known.unit))}`
  const { by } = known
  switch (by.kind) {
    case 'given':
      return [`${head}  ${paint('dim', 'given')}`]
    case 'default':
      return [`${head}  ${paint('dim', 'default')}`]
    case 'source':
      return [`${head}  ${paint('dim', `${by.ref}, ${by.asOf}`)}`]
    case 'law': {
      const warnings = by.outside.map((reason) => paint('yellow', `outside the law's validity: ${reason}`))
      const children = by.steps ? lines(by.output, by.steps) : undefined
      const inputs = children ? [children] : inputLines(by.from)
      return [`${head}  ${paint('dim', by.law)}`, ...warnings.map((text) => `  ${text}`), `  = ${by.is}`, ...branches(inputs)]
    }
  }
}

const inputLines = (from: KnownInputs): string[][] =>
  Object.entries(from).flatMap(([name, known]) =>
    isList(known) ? known.map((each, index) => lines(`${name}${index + 1}`, each)) : [lines(name, known)],
  )

const isList = (known: Known | readonly Known[]): known is readonly Known[] => Array.isArray(known)

function branches(groups: readonly (readonly string[])[]): string[] {
  return groups.flatMap((group, index) => {
    const last = index === groups.length - 1
    return group.map((line, row) => `  ${row === 0 ? (last ? '└ ' : '├ ') : last ? '  ' : '│ '}${line}`)
  })
}
