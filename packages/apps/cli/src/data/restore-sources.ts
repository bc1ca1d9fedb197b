// The artifacts that a spec names as sources, as files of the run.

import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type Artifacts, readManifest, restore } from '@ironlaw/artifacts'
import { IronlawError } from '@ironlaw/contracts'
import type { DataSource, DataSpec } from '@ironlaw/contracts/data-spec'
import { runTasks } from '@ironlaw/pipelines'
import { isAbsent } from './json-file.ts'
import type { Rank } from './rank.ts'

type Restoring = { readonly artifacts: Artifacts; readonly rank: Rank; readonly to: string }

export type RestoredSpec = {
  /** Every source is files. */
  readonly files: DataSpec
  /** Artifacts by id: what their names meant when the run was created. */
  readonly pinned: DataSpec
}

export async function restoreSources(spec: DataSpec, { artifacts, rank, to }: Restoring): Promise<RestoredSpec> {
  const idOf = (name: string): string => {
    const used = rank.uses.find((each) => each.name === name)
    if (used) return used.id
    throw new IronlawError(
      'IL_NOT_FOUND',
      { kind: 'artifact among those that the run uses', id: name },
      { next: 'create the run with "ironlaw apply SPEC", which names them' },
    )
  }
  const ids = new Set(spec.from.flatMap(({ artifact }) => (artifact === undefined ? [] : [idOf(artifact)])))
  const tasks = [...ids].map((id) => ({ done: join(to, id), run: () => restoreTo(artifacts, id, join(to, id)) }))
  await runTasks(tasks, { ...rank, check: () => Promise.resolve() })
  const withSources = (change: (artifact: string) => Partial<DataSource>): DataSpec => ({
    ...spec,
    from: spec.from.map(({ artifact, ...source }) => (artifact === undefined ? source : { ...source, ...change(artifact) })),
  })
  const files = new Map(await Promise.all([...ids].map(async (id) => [id, await documentsIn(join(to, id))] as const)))
  return {
    files: withSources((name) => ({ files: files.get(idOf(name)) ?? '' })),
    pinned: withSources((name) => ({ artifact: idOf(name) })),
  }
}

/** One that was interrupted goes on with the files that it has. */
async function restoreTo(artifacts: Artifacts, id: string, to: string): Promise<void> {
  await restore(artifacts, await readManifest(artifacts, id), { to: `${to}.partial` })
  await rename(`${to}.partial`, to)
}

/** Of a dataset that a pipeline made, its documents: the other files say what is known of it. */
async function documentsIn(directory: string): Promise<string> {
  const isDataset = !(await isAbsent(join(directory, 'documents'))) && !(await isAbsent(join(directory, 'figures.json')))
  return isDataset ? join(directory, 'documents') : directory
}
