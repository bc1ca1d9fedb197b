// What differs between the origins of two runs, field by field.

import type { Json } from '@ironlaw/contracts'
import type { FieldDifference, RunPart } from '@ironlaw/contracts/run-diff'
import type { RunOrigin } from '@ironlaw/contracts/run-origin'

/** The body of its plan too, where the store has it. */
export type DescribedRun = { readonly origin: RunOrigin; readonly plan?: Readonly<Record<string, unknown>> }

type Fields = ReadonlyMap<string, Json>

export function fieldDifferences(before: DescribedRun, after: DescribedRun): readonly FieldDifference[] {
  const [first, second] = [partsOf(before), partsOf(after)]
  return [...first].flatMap(([part, fields]) => changesOf(part, fields, second.get(part) ?? new Map()))
}

/** What the run does not say: it may differ all the same. */
export const unknownParts = ({ origin: { run, code, environment } }: DescribedRun): readonly { run: string; part: RunPart }[] => [
  ...(code ? [] : [{ run, part: 'code' as const }]),
  ...(environment ? [] : [{ run, part: 'environment' as const }]),
]

function partsOf({ origin, plan }: DescribedRun): ReadonlyMap<RunPart, Fields> {
  const { code, configuration, data, environment } = origin
  const { argv, shape, plan: _plan, ...settings } = configuration
  const { nodes, processesPerNode, devices, smaller, ...limits } = shape
  const {
    processor,
    accelerators,
    driver,
    others = [],
    attempt: _attempt,
    node: _node,
    packages_digest: _digest,
    ...software
  } = environment ?? {}
  const { id: _id, name: _name, ...planned } = plan ?? {}
  return new Map<RunPart, Fields>([
    ['code', fieldsOf(code && { ...code, ...(code.changes && { changes: changedFiles(code.changes) }) })],
    ['data', fieldsOf({ uses: Object.fromEntries(data.uses.map(({ name, id }) => [name, id])), from: data.from })],
    ['configuration', new Map([...fieldsOf({ ...settings, ...limits }), ...argumentFields(argv)])],
    [
      'environment',
      fieldsOf({
        ...software,
        ...(environment && { 'nodes that differ': others.map(({ node, fields }) => `${node}: ${fields.join(', ')}`) }),
      }),
    ],
    ['hardware', fieldsOf({ nodes, processesPerNode, devices, smaller, processor, accelerators, driver })],
    ['plan', fieldsOf(planned)],
  ])
}

const changedFiles = ({ digest, files }: NonNullable<NonNullable<RunOrigin['code']>['changes']>): Json => ({
  digest,
  files: Object.fromEntries(files.map(({ path, blob }) => [path, blob ?? 'not in git'])),
})

/** By flag, so that an argument in between does not make all that follow look different. */
function argumentFields(argv: readonly string[]): Fields {
  const fields = new Map<string, Json>()
  let words = 0
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? ''
    const [, flag, value] = /^(--?[A-Za-z][\w.-]*)(?:=(.*))?$/s.exec(word) ?? []
    const next = argv[at + 1]
    if (flag === undefined) fields.set(`argv.${(words += 1)}`, word)
    else if (value !== undefined) fields.set(`argv.${flag}`, value)
    else if (next !== undefined && !/^--?[A-Za-z]/.test(next)) {
      fields.set(`argv.${flag}`, next)
      at += 1
    } else fields.set(`argv.${flag}`, true)
  }
  return fields
}

/** Scalars and empty values by their path. What is undefined is not there, as in the JSON that all of this came from. */
function fieldsOf(value: unknown, path = ''): Fields {
  if (value === undefined) return new Map()
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return new Map([[path, value as Json]])
  return new Map(Object.entries(value).flatMap(([field, each]) => [...fieldsOf(each, path === '' ? field : `${path}.${field}`)]))
}

function changesOf(part: RunPart, before: Fields, after: Fields): readonly FieldDifference[] {
  const fields = [...new Set([...before.keys(), ...after.keys()])]
  return fields.flatMap((field) => {
    const [first, second] = [before.get(field), after.get(field)]
    if (JSON.stringify(first) === JSON.stringify(second)) return []
    return [
      { part, field, ...(first !== undefined && { before: first }), ...(second !== undefined && { after: second }) } as FieldDifference,
    ]
  })
}
