// A shape that crosses a process is declared once, as a schema in contracts; its type is inferred. A type written by hand beside a schema
// drifts from it, and nothing notices.

import type { Tree } from './tree.ts'

type Shape = { readonly path: string; readonly name: string; readonly fields: readonly string[] }

const CONTRACTS = /^packages\/pure\/contracts\/src\/.*\.ts$/
const SOURCE = /^packages\/.*\/src\/.*\.tsx?$/
const SCHEMA = /^(?:export )?const ([A-Z][A-Z0-9_]*) = z\s*\.(?:strict|loose)?[oO]bject\(\{/gm
const TYPE = /^export (?:type (\w+) =|interface (\w+)) \{/gm
/** Fewer fields may agree by chance. */
const TELLING_FIELDS = 4

export const wireShapeFaults = (tree: Tree): string[] => [...repeatedShapes(tree), ...otherCasings(tree)]

function repeatedShapes({ paths, text }: Tree): string[] {
  const sources = paths.filter((path) => SOURCE.test(path) && !path.includes('.test.'))
  const shapesIn = (from: readonly string[], declaration: RegExp): readonly Shape[] =>
    from.flatMap((path) => shapesOf(path, text(path), declaration))
  const schemas = shapesIn(
    sources.filter((path) => CONTRACTS.test(path)),
    SCHEMA,
  )
  return shapesIn(sources, TYPE).flatMap((type) =>
    schemas
      .filter((schema) => (CONTRACTS.test(type.path) && plainName(type) === plainName(schema)) || hasSameFields(type, schema))
      .map((schema) => `${type.path}: type ${type.name} repeats the schema ${schema.name} of ${schema.path}: infer it, or name it apart`),
  )
}

/** Documents that people write or keep as files (docs/decisions/2026-11-17-casing-on-the-wire.md). */
const DOCUMENTS =
  /\/(?:[a-z]+-spec|training-plan|serving-plan|rl-plan|running|run-shape|checkpoint-policy|run-plan|control-contexts|model-signature|model-version|artifact|data-order|data-plan|data-probe|data-figures|evaluation|release-record|token-dataset|site-devices)\.ts$/

/** What the API itself declares has one casing. */
const otherCasings = ({ paths, text }: Tree): string[] =>
  paths
    .filter((path) => CONTRACTS.test(path) && !path.includes('.test.') && !DOCUMENTS.test(path))
    .flatMap((path) => shapesOf(path, text(path), SCHEMA))
    .flatMap(({ path, name, fields }) =>
      fields.filter((field) => /[A-Z]/.test(field)).map((field) => `${path}: ${name}.${field}: fields of the API are in snake_case`),
    )

const plainName = ({ name }: Shape): string => name.replaceAll('_', '').toLowerCase()

const hasSameFields = ({ fields }: Shape, schema: Shape): boolean =>
  fields.length >= TELLING_FIELDS && fields.length === schema.fields.length && fields.every((field) => schema.fields.includes(field))

const shapesOf = (path: string, text: string, declaration: RegExp): readonly Shape[] =>
  [...text.matchAll(declaration)].map((match) => ({
    path,
    name: match[1] ?? match[2] ?? '',
    fields: fieldsFrom(text, match.index + match[0].length),
  }))

const TOKEN =
  /\/\/.*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/|[{([]|[})\]]|[^]/g

/** Names before a colon or a comma on the first level, from behind the opening brace to its end. */
function fieldsFrom(text: string, start: number): readonly string[] {
  let depth = 1
  let level = ''
  for (const [token] of text.slice(start).matchAll(TOKEN)) {
    if (/^[{([]$/.test(token)) depth += 1
    if (/^[})\]]$/.test(token)) depth -= 1
    if (depth === 0) break
    if (depth === 1 && !/^(?:\/[/*]|[})\]])/.test(token)) level += token
  }
  return level.split(/[,;\n]/).flatMap((field) => /^\s*(?:readonly )?(\w+)\??\s*(?::|$)/.exec(field)?.[1] ?? [])
}
