// A full disk under the work directory: how much is there, how much it takes in all, and how to go on.

import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { IronlawError } from '@ironlaw/contracts'
import type { Pipeline } from './pipeline.ts'

export async function diskFullError(pipeline: Pipeline, cause: IronlawError): Promise<IronlawError> {
  const directory = dirname(pipeline.files.pipeline)
  const [held, needed] = await heldAndNeeded(pipeline, directory)
  return new IronlawError(
    'IL_DISK_FULL',
    { path: directory },
    {
      cause,
      next: `${sizeText(held)} of about ${sizeText(needed)} that it needs are there ("ironlaw data plan" predicts it before): free as much, or move ${dirname(directory)} to another disk and name it with --work; the same command then goes on from what is done`,
    },
  )
}

const sizeText = (bytes: number): string => (bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(bytes / 1e9).toPrecision(3)} GB`)

/** Each unit leaves about as much as another. What no unit has written yet is taken for as large as the sources. */
async function heldAndNeeded({ units, duplicates, tokenize }: Pipeline, directory: string): Promise<readonly [number, number]> {
  const stored = units.reduce((sum, { start, end }) => sum + end - start, 0)
  const [examined, written, shuffled] = await Promise.all(['examine', 'write', 'shuffle'].map((folder) => filesIn(join(directory, folder))))
  const inAll = ({ bytes = 0, done = 0 }: Partial<PassFiles>, unknown: number): number =>
    done === 0 ? unknown : (bytes * units.length) / done
  const parts = inAll(written ?? {}, stored)
  const held = (examined?.bytes ?? 0) + (written?.bytes ?? 0) + (shuffled?.bytes ?? 0)
  return [held, Math.max(held, (duplicates ? inAll(examined ?? {}, 0) : 0) + (tokenize ? 2 : 1) * parts)]
}

type PassFiles = { readonly bytes: number; readonly done: number }

async function filesIn(directory: string): Promise<PassFiles> {
  // A pass that has not begun has none.
  const names = await readdir(directory).catch(() => [])
  const sizes = await Promise.all(
    names.map(async (name) =>
      stat(join(directory, name)).then(
        ({ size }) => size,
        // One that was not whole, and was removed by who wrote it.
        () => 0,
      ),
    ),
  )
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), done: names.filter((name) => name.endsWith('.json')).length }
}
