// An import goes to a lower layer and to a package that the table in ARCHITECTURE.md allows; nothing pure reaches outside.

import { dirname, normalize } from 'node:path/posix'
import { type Tree, tableUnder } from './tree.ts'

type Layer = { readonly level: number; readonly may: ReadonlySet<string> }

const IMPORT = /\bfrom\s*['"]([^'"\n]+)['"]|\bimport\s*\(?\s*['"]([^'"\n]+)['"]/g
const SOURCE = /^packages\/(pure|effects|apps)\/([\w-]+)\/src\/.*\.tsx?$/
const isTest = (path: string): boolean => /\.test(-d)?\.tsx?$/.test(path)

/** What a pure package may not touch: a clock, randomness, the process, the network. The page's own globals are unknown to the compiler here. */
const IMPURE = /(?<![.\w])(?:Date\.now|new Date\b|Math\.random|performance\.now|process\.|setTimeout|setInterval|fetch\(|crypto\.)/

export function layerFaults(tree: Tree): string[] {
  const layers = layerTable(tree.text('ARCHITECTURE.md'))
  return [
    ...tableFaults(layers),
    ...tree.paths.flatMap((path) => {
      const [, group, name = ''] = SOURCE.exec(path) ?? []
      if (group === undefined) return []
      const layer = layers.get(name)
      if (!layer) return [`${path}: package "${name}" is not in the layer table of ARCHITECTURE.md`]
      const text = tree.text(path)
      return [
        ...importFaults(path, text, { name, layer, pure: group === 'pure' }),
        ...(group === 'pure' && !isTest(path) ? purityFaults(path, text) : []),
      ]
    }),
  ]
}

function layerTable(markdown: string): ReadonlyMap<string, Layer> {
  return new Map(
    tableUnder(markdown, ['layer', 'package', 'may import']).map(([level = '', name = '', may = '']) => [
      name,
      {
        level: Number(level),
        may: new Set(
          may
            .split(',')
            .map((part) => part.trim())
            .filter(Boolean),
        ),
      },
    ]),
  )
}

const tableFaults = (layers: ReadonlyMap<string, Layer>): string[] =>
  [...layers].flatMap(([name, { level, may }]) =>
    [...may]
      .filter((other) => (layers.get(other)?.level ?? Infinity) >= level)
      .map((other) => `ARCHITECTURE.md: ${name} may not import ${other}, which is not in a lower layer`),
  )

type Importer = { readonly name: string; readonly layer: Layer; readonly pure: boolean }

function importFaults(path: string, text: string, { name, layer, pure }: Importer): string[] {
  return [...text.matchAll(IMPORT)].flatMap((match) => {
    const target = match[1] ?? match[2] ?? ''
    const other = /^@ironlaw\/([\w-]+)/.exec(target)?.[1]
    if (other !== undefined && other !== name && !layer.may.has(other)) return [`${path}: ${name} may not import ${other}`]
    if (target.startsWith('.') && !normalize(`${dirname(path)}/${target}`).startsWith(`${path.split('/').slice(0, 3).join('/')}/`))
      return [`${path}: "${target}" leaves the package`]
    if (pure && !isTest(path) && target.startsWith('node:')) return [`${path}: a pure package may not import ${target}`]
    return []
  })
}

const purityFaults = (path: string, text: string): string[] =>
  text
    .split('\n')
    .flatMap((line, index) =>
      IMPURE.test(line) && !/^\s*(?:\/\/|\*)/.test(line)
        ? [`${path}:${index + 1}: a pure package may not use ${IMPURE.exec(line)?.[0]}`]
        : [],
    )
