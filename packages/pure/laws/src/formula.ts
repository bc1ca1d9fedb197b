// The formula of a law is text for people, and it is also evaluated: a test holds every printed formula equal to the
// function next to it, so that the page and the planner cannot diverge.
//
// Grammar: names, numbers, + - * / ^, parentheses, calls, and `where name = expression; name = expression` at the end.
// A list takes part element by element; sum, prod, mean, min, max, len and first reduce it. What no expression can say
// (an iteration, a search) is written as prose after "text: " and is not evaluated.

import { DAY, HOUR, KWH, MINUTE, YEAR } from '@ironlaw/units'
import { erfc, normalQuantile, normalShareAbove } from './normal.ts'
import { tolerantFloor, tolerantCeil } from './whole.ts'

type Term = number | readonly number[]
export type Scope = (name: string) => Term | undefined

const CONSTANTS: Readonly<Record<string, number>> = { minute: MINUTE, hour: HOUR, day: DAY, year: YEAR, kWh: KWH, pi: Math.PI, e: Math.E }

const MAPPED: Readonly<Record<string, (x: number) => number>> = {
  sqrt: Math.sqrt,
  ln: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  exp: Math.exp,
  ceil: tolerantCeil,
  floor: tolerantFloor,
  round: Math.round,
  abs: Math.abs,
  erfc,
  normalAbove: normalShareAbove,
  normalQuantile,
}

const REDUCED: Readonly<Record<string, (xs: readonly number[]) => number>> = {
  sum: (xs) => xs.reduce((a, b) => a + b, 0),
  prod: (xs) => xs.reduce((a, b) => a * b, 1),
  mean: (xs) => xs.reduce((a, b) => a + b, 0) / xs.length,
  min: (xs) => Math.min(...xs),
  max: (xs) => Math.max(...xs),
  len: (xs) => xs.length,
  first: (xs) => xs[0] ?? Number.NaN,
}

const TOKEN = /\s*(\d+(?:\.\d+)?(?:e[+-]?\d+)?|[A-Za-z_]\w*|[-+*/^(),])/y

/** The value of a formula, or undefined for prose. Throws on text that is neither: a law with such a formula fails its test. */
export function formulaValue(formula: string, scope: Scope): number | undefined {
  if (formula.startsWith('text: ')) return undefined
  const [main = '', where = ''] = formula.split(' where ')
  const definitions = new Map(
    where
      .split(';')
      .filter(Boolean)
      .map((part) => [part.split('=')[0]?.trim() ?? '', part.slice(part.indexOf('=') + 1)]),
  )
  const lookup: Scope = (name) => {
    const definition = definitions.get(name)
    return definition === undefined ? (scope(name) ?? CONSTANTS[name]) : new Parser(definition, lookup).value()
  }
  const value = new Parser(main, lookup).value()
  if (typeof value !== 'number') throw new Error(`formula gives a list: ${formula}`)
  return value
}

/** Recursive descent, evaluating as it reads. */
class Parser {
  #tokens: readonly string[]
  #at = 0
  #scope: Scope

  constructor(text: string, scope: Scope) {
    this.#tokens = tokensOf(text)
    this.#scope = scope
  }

  value(): Term {
    const value = this.#sum()
    if (this.#at < this.#tokens.length) throw new Error(`unexpected "${this.#tokens[this.#at]}"`)
    return value
  }

  #sum(): Term {
    let value = this.#product()
    for (let sign = this.#take('+', '-'); sign; sign = this.#take('+', '-')) {
      const plus = sign === '+'
      value = pairedTerms(value, this.#product(), (a, b) => (plus ? a + b : a - b))
    }
    return value
  }

  #product(): Term {
    let value = this.#power()
    for (let sign = this.#take('*', '/'); sign; sign = this.#take('*', '/')) {
      const times = sign === '*'
      value = pairedTerms(value, this.#power(), (a, b) => (times ? a * b : a / b))
    }
    return value
  }

  #power(): Term {
    if (this.#take('-')) return mappedTerm(this.#power(), (x) => -x)
    const base = this.#atom()
    return this.#take('^') ? pairedTerms(base, this.#power(), (a, b) => a ** b) : base
  }

  #atom(): Term {
    const token = this.#tokens[this.#at++]
    if (token === undefined) throw new Error('formula ends early')
    if (token === '(') return this.#closeParenthesis(this.#sum())
    if (/^\d/.test(token)) return Number(token)
    if (this.#take('(')) return this.#call(token)
    const value = this.#scope(token)
    if (value === undefined) throw new Error(`unknown name "${token}"`)
    return value
  }

  #call(name: string): Term {
    const args = [this.#sum()]
    while (this.#take(',')) args.push(this.#sum())
    this.#closeParenthesis(0)
    const map = MAPPED[name]
    if (map && args[0] !== undefined) return mappedTerm(args[0], map)
    const reduce = REDUCED[name]
    if (reduce) return reduce(args.flat())
    throw new Error(`unknown function "${name}"`)
  }

  #closeParenthesis(value: Term): Term {
    if (!this.#take(')')) throw new Error('missing )')
    return value
  }

  #take(...wanted: readonly string[]): string | undefined {
    const token = this.#tokens[this.#at]
    if (token === undefined || !wanted.includes(token)) return undefined
    this.#at += 1
    return token
  }
}

function tokensOf(text: string): string[] {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    tokens.push(match[1] ?? '')
    if (TOKEN.lastIndex >= text.trimEnd().length) return tokens
  }
  throw new Error(`cannot read formula "${text}" after "${tokens.at(-1) ?? ''}"`)
}

const isList = (term: Term): term is readonly number[] => typeof term !== 'number'

const mappedTerm = (term: Term, f: (x: number) => number): Term => (isList(term) ? term.map(f) : f(term))

function pairedTerms(a: Term, b: Term, f: (a: number, b: number) => number): Term {
  if (isList(a) && isList(b) && a.length !== b.length) return [Number.NaN]
  if (isList(a)) return a.map((x, index) => f(x, isList(b) ? (b[index] ?? Number.NaN) : b))
  return isList(b) ? b.map((y) => f(a, y)) : f(a, b)
}
