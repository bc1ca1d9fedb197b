// Files of a package import each other in one direction. A circle, also of types alone, means that a concept sits in the wrong file.

import { dirname, normalize } from 'node:path/posix'
import type { Tree } from './tree.ts'

const IMPORT = /\bfrom\s*['"](\.[^'"\n]+)['"]|\bimport\s*\(?\s*['"](\.[^'"\n]+)['"]/g
const isSource = (path: string): boolean => /^(?:packages\/.*\/src|tools)\/.*\.tsx?$/.test(path)

/** One fault per circle, named by its files in the order in which they import each other. */
export function circleFaults({ paths, text }: Tree): string[] {
  const sources = new Set(paths.filter(isSource))
  const imports = new Map([...sources].map((path) => [path, importsOf(path, text(path)).filter((target) => sources.has(target))]))
  const done = new Set<string>()
  const faults: string[] = []
  const visit = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path)
    if (start >= 0) faults.push(`${path}: imports itself by way of ${[...way.slice(start + 1), path].join(', ')}`)
    if (start >= 0 || done.has(path)) return
    for (const target of imports.get(path) ?? []) visit(target, [...way, path])
    done.add(path)
  }
  for (const path of sources) visit(path, [])
  return faults
}

const importsOf = (path: string, text: string): readonly string[] =>
  [...text.matchAll(IMPORT)].map((match) => normalize(`${dirname(path)}/${match[1] ?? match[2] ?? ''}`))
