// How far workers have come, by the files that they leave: whoever sees the directory can tell, also while nobody works.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pipeline } from './pipeline.ts'

export type BuildProgress = {
  readonly pass: string
  /** Tasks of the pass. */
  readonly done: number
  readonly of: number
  /** Of the tasks of all passes. */
  readonly share: number
}

type Pass = { readonly pass: string; readonly folder: string; readonly of: number; readonly suffix: string }

function passesOf({ units, duplicates, tokenize }: Pipeline): readonly Pass[] {
  return [
    ...(duplicates
      ? [
          { pass: 'examine', folder: 'examine', of: units.length, suffix: '.json' },
          { pass: 'match', folder: 'cluster', of: duplicates.partitions, suffix: '.edges' },
          { pass: 'cluster', folder: 'duplicates', of: 1, suffix: '.json' },
        ]
      : []),
    ...(duplicates?.substrings
      ? [
          { pass: 'represent', folder: 'represent', of: units.length, suffix: '.json' },
          { pass: 'sift', folder: 'sift', of: duplicates.substrings.partitions, suffix: '.numbers' },
          { pass: 'window', folder: 'window', of: units.length, suffix: '.json' },
          // How many partitions there are is known when representatives are sifted.
          { pass: 'find', folder: 'find', of: 1, suffix: '.numbers' },
        ]
      : []),
    { pass: 'write', folder: 'write', of: units.length, suffix: '.json' },
    // How many shards there are is known when all is written.
    ...(tokenize ? [{ pass: 'shuffle', folder: 'shuffle', of: 1, suffix: '.json' }] : []),
  ]
}

/** A function that looks again. Passes that were found done are not listed anew: each has a file for every unit. */
export function progressOf(pipeline: Pipeline, directory: string): () => Promise<BuildProgress> {
  const passes = passesOf(pipeline)
  const all = passes.reduce((sum, { of }) => sum + of, 0)
  let [past, before] = [0, 0]
  return async () => {
    for (let pass = passes[past]; pass; pass = passes[past]) {
      const { folder, of, suffix } = pass
      // A pass that has not begun has no directory.
      const names = await readdir(join(directory, folder)).catch(() => [])
      const done = Math.min(of, names.filter((name) => name.endsWith(suffix)).length)
      if (done < of || past === passes.length - 1) return { pass: pass.pass, done, of, share: (before + done) / Math.max(1, all) }
      past += 1
      before += of
    }
    return { pass: 'write', done: 0, of: 0, share: 1 }
  }
}
