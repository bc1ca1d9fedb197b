// Counts branches: parses a module and puts a counter into every function, both sides of every condition, every loop, case, default and
// catch. Positions come from the parser that rolldown brings, the text between them stays as it was. istanbul-lib-instrument would do,
// but reads JavaScript only and would see TypeScript after it was printed anew.

import { parseAst } from 'rolldown/parseAst'

export type InstrumentedSource = {
  readonly code: string
  /** The next free number of a counter. */
  readonly next: number
  /** Text that the module compares or reads by: material for inputs that get further. */
  readonly words: readonly string[]
}

type Node = { readonly type: string; readonly start: number; readonly end: number; readonly [field: string]: unknown }
type Insertion = { readonly at: number; readonly text: string; readonly closes: boolean }

/** Where bundled modules find the array of counters. */
export const COUNTERS = '$branchCounters'
const LONGEST_WORD = 40

export function instrument(source: string, { lang, first }: { readonly lang: 'ts' | 'js'; readonly first: number }): InstrumentedSource {
  const insertions: Insertion[] = []
  const words = new Set<string>()
  let next = first
  const bump = (): string => `$c[${(next += 1) - 1}]++`
  const wrap = (node: unknown): void => {
    if (!isNode(node)) return
    insertions.push({ at: node.start, text: `(${bump()},`, closes: false }, { at: node.end, text: ')', closes: true })
  }
  const enter = (node: unknown, after = ''): void => {
    if (!isNode(node)) return
    if (node.type === 'BlockStatement' || node.type === 'FunctionBody') {
      insertions.push({ at: node.start + 1, text: `${bump()};`, closes: false })
      if (after !== '') insertions.push({ at: node.end, text: after, closes: true })
    } else insertions.push({ at: node.start, text: `{${bump()};`, closes: false }, { at: node.end, text: `}${after}`, closes: true })
  }
  visit(parseAst(source, { lang, preserveParens: false }), (node) => {
    count(node, { wrap, enter, bump, insertions })
    for (const word of wordsOf(node)) words.add(word)
  })
  return { code: `const $c=globalThis.${COUNTERS};${withInsertions(source, insertions)}`, next, words: [...words] }
}

type Tools = {
  readonly wrap: (node: unknown) => void
  readonly enter: (node: unknown, after?: string) => void
  readonly bump: () => string
  readonly insertions: Insertion[]
}

function count(node: Node, { wrap, enter, bump, insertions }: Tools): void {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'CatchClause':
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
      return enter(node['body'])
    case 'ArrowFunctionExpression':
      return node['expression'] === true ? wrap(node['body']) : enter(node['body'])
    case 'IfStatement':
      if (isNode(node['alternate'])) {
        enter(node['consequent'])
        return enter(node['alternate'])
      }
      return enter(node['consequent'], ` else {${bump()}}`)
    case 'ConditionalExpression':
      wrap(node['consequent'])
      return wrap(node['alternate'])
    case 'LogicalExpression':
    case 'AssignmentPattern':
      return wrap(node['right'])
    case 'SwitchCase': {
      const [statement] = Array.isArray(node['consequent']) ? node['consequent'] : []
      if (isNode(statement)) insertions.push({ at: statement.start, text: `${bump()};`, closes: false })
    }
  }
}

function wordsOf(node: Node): readonly string[] {
  if (isRecord(node['regex'])) return String(node['regex']['pattern']).match(/[\w=:" -]{3,}/g) ?? []
  const texts = [
    node.type === 'Literal' && node['value'],
    node.type === 'TemplateElement' && isRecord(node['value']) && node['value']['cooked'],
    node.type === 'Property' && isNode(node['key']) && node['key'].type === 'Identifier' && node['key']['name'],
  ]
  return texts.filter((text): text is string => typeof text === 'string' && text !== '' && text.length <= LONGEST_WORD)
}

/** Outer before inner. An import's path is no word of the module's input. */
function visit(node: unknown, see: (node: Node) => void): void {
  if (Array.isArray(node)) {
    for (const item of node) visit(item, see)
    return
  }
  if (!isNode(node) || node.type.startsWith('Import') || isTypeOnly(node)) return
  see(node)
  for (const value of Object.values(node)) if (typeof value === 'object' && value !== null) visit(value, see)
}

/** `x as T` and `x satisfies T` hold code; every other node of TypeScript's is a type. */
const isTypeOnly = ({ type }: Node): boolean => type.startsWith('TS') && !/^TS(?:As|Satisfies|NonNull)/.test(type)

function withInsertions(source: string, insertions: readonly Insertion[]): string {
  const closing = insertions.filter(({ closes }) => closes).toReversed()
  const ordered = [...closing, ...insertions.filter(({ closes }) => !closes)].toSorted((one, other) => one.at - other.at)
  const parts: string[] = []
  let from = 0
  for (const { at, text } of ordered) {
    parts.push(source.slice(from, at), text)
    from = at
  }
  return parts.join('') + source.slice(from)
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null

const isNode = (value: unknown): value is Node => isRecord(value) && typeof value['type'] === 'string' && typeof value['start'] === 'number'
