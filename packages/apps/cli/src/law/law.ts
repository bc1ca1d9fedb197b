import { IronlawError, nearestNames } from '@ironlaw/contracts'
import { book, explainedOutput, type Law } from '@ironlaw/laws'
import { givenValue, type Known, type KnownInputs, parse, show } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { derivationText } from '../plan/derivation.ts'
import { paint } from '../paint.ts'
import { table } from '../table.ts'

export function lawAnswer(id: string | undefined, flags: readonly string[], explained: boolean): CommandAnswer {
  if (id === undefined) return domains()
  if (!id.includes('/')) return domain(id)
  const law = book.get(id) ?? unknownLaw(id)
  return flags.length === 0 ? definition(law) : application(law, flags, explained)
}

function unknownLaw(id: string): never {
  const close = nearestNames(
    id,
    [...book.keys()].map((name) => ({ name })),
  )
  throw new IronlawError('IL_UNKNOWN_LAW', {
    id,
    suggestion: close.length > 0 ? `did you mean ${close.join(', ')}?` : 'run "ironlaw law" for the list',
  })
}

const domainOf = (id: string): string => id.split('/')[0] ?? ''

function domains(): CommandAnswer {
  const counts = new Map<string, number>()
  for (const id of book.keys()) counts.set(domainOf(id), (counts.get(domainOf(id)) ?? 0) + 1)
  return {
    json: { laws: book.size, domains: Object.fromEntries(counts) },
    text: () =>
      `${table(
        ['domain', 'laws'],
        [...counts].map(([name, n]) => [name, String(n)]),
        [1],
      )}\n\n${book.size} laws. "ironlaw law <domain>" lists one domain.`,
  }
}

function domain(name: string): CommandAnswer {
  const laws = [...book.values()].filter((law) => domainOf(law.id) === name)
  if (laws.length === 0) unknownLaw(name)
  return {
    json: { domain: name, laws: laws.map(({ id, name: title, decides }) => ({ id, name: title, decides })) },
    text: () =>
      table(
        ['law', 'decides'],
        laws.map(({ id, decides }) => [paint('bold', id), decides]),
      ),
  }
}

const flagName = (input: string): string => input.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

function definition(law: Law): CommandAnswer {
  const { id, name, decides, is, output, unit, source, validity } = law
  const inputs = Object.entries(law.inputs).map(([input, { unit, kind, fallback }]) => ({
    name: input,
    flag: `--${flagName(input)}`,
    unit,
    kind,
    ...(fallback !== undefined && Number.isFinite(fallback) && { default: fallback }),
  }))
  const also = Object.entries(law.also).map(([name, { unit, is }]) => ({ name, unit, is }))
  return {
    json: { id, name, decides, formula: `${output} = ${is}`, output, unit, source, validity, inputs, also },
    text: () =>
      [
        `${paint('bold', id)}  ${name}`,
        `decides ${decides}`,
        '',
        `  ${output} = ${is}   [${unit}]`,
        ...also.map((each) => `  ${each.name} = ${each.is}   [${each.unit}]`),
        '',
        table(
          ['input', 'unit', 'flag', ''],
          inputs.map((input) => [input.name, input.unit, input.flag, inputNote(input)]),
        ),
        '',
        `${paint('dim', 'holds')}   ${validity}`,
        `${paint('dim', 'source')}  ${source}`,
      ].join('\n'),
  }
}

const inputNote = ({ kind, default: fallback }: { kind: string; default?: number }): string =>
  kind === 'list'
    ? 'several, separated by commas'
    : fallback !== undefined
      ? `default ${fallback}`
      : kind === 'optional'
        ? 'may be left out'
        : ''

function application(law: Law, flags: readonly string[], full: boolean): CommandAnswer {
  const input = inputsFrom(law, flags)
  const answers = [law.output, ...Object.keys(law.also)].flatMap((name) => {
    const known = explainedOutput(law, input, name)
    return known ? [{ name, known, is: name === law.output ? law.is : (law.also[name]?.is ?? '') }] : []
  })
  const [result, ...also] = answers
  if (!result) throw new Error(`${law.id} has no output`)
  const outside = result.known.by.kind === 'law' ? result.known.by.outside : []
  return {
    json: {
      law: law.id,
      output: law.output,
      ...figure(result.known),
      outside,
      also: Object.fromEntries(also.map(({ name, known }) => [name, figure(known)])),
      ...(full && { derivation: result.known }),
    },
    text: () =>
      [
        full
          ? derivationText(law.output, result.known)
          : [namedFigure(result), ...outside.map((reason) => paint('yellow', `outside the law's validity: ${reason}`))].join('\n'),
        ...also.map((each) => (full ? `${namedFigure(each)}  ${paint('dim', `= ${each.is}`)}` : namedFigure(each))),
      ].join('\n'),
  }
}

const figure = ({ value, unit }: Known): { value: number; unit: string; text: string } => ({ value, unit, text: show(value, unit) })

const namedFigure = ({ name, known }: { name: string; known: Known }): string =>
  `${paint('bold', name)} = ${paint('cyan', show(known.value, known.unit))}`

/** `--write-time 2min --loss 0.1,0.2` as known inputs of the law; every problem names its flag. */
function inputsFrom(law: Law, flags: readonly string[]): KnownInputs {
  const input: Record<string, Known | readonly Known[]> = {}
  const byFlag = new Map(Object.keys(law.inputs).map((name) => [`--${flagName(name)}`, name]))
  for (const [flag, value] of pairs(law, flags)) {
    const name = byFlag.get(flag)
    if (name === undefined) throw usage(law, `the law ${law.id} has no input ${flag}; its inputs are ${[...byFlag.keys()].join(', ')}`)
    const { unit, kind } = law.inputs[name] ?? { unit: '1', kind: 'one' }
    const read = (text: string): Known => {
      const parsed = parse(text, unit)
      if (!parsed.ok) throw new IronlawError('IL_QUANTITY', { name: flag, reason: parsed.reason })
      return givenValue(parsed.value, unit)
    }
    input[name] = kind === 'list' ? value.split(',').map(read) : read(value)
  }
  const missing = Object.entries(law.inputs).filter(([name, { kind }]) => kind !== 'optional' && input[name] === undefined)
  if (missing.length > 0)
    throw usage(law, `the law ${law.id} also needs ${missing.map(([name, { unit }]) => `--${flagName(name)} [${unit}]`).join(', ')}`)
  return input
}

const usage = (law: Law, problem: string): IronlawError => new IronlawError('IL_USAGE', { problem, command: `law ${law.id}` })

function pairs(law: Law, flags: readonly string[]): [string, string][] {
  const found: [string, string][] = []
  for (let at = 0; at < flags.length; at += 1) {
    const [flag = '', inline] = (flags[at] ?? '').split(/=(.*)/s)
    if (!flag.startsWith('--')) throw usage(law, `"${flag}" is not a flag`)
    const value = inline ?? flags[(at += 1)]
    if (value === undefined) throw usage(law, `${flag} has no value`)
    found.push([flag, value])
  }
  return found
}
