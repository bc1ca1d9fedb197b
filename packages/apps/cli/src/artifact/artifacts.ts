// Lists of artifacts, and the names that point at them.

import type { Progress } from '@ironlaw/artifacts'
import type { ArtifactView } from '@ironlaw/contracts/artifact-operations'
import { bytes, show } from '@ironlaw/units'
import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { type ProgressLine, progressLine } from '../progress.ts'
import { showDuration } from '../run/run-text.ts'
import { table } from '../table.ts'

/** As much of an id as tells it from others, for people. */
const SHOWN = 'art-'.length + 12

export const shortId = (id: string): string => id.slice(0, SHOWN)
export const sizeText = (size: number): string => show(bytes(size), 'B')

/** The line counts what is new, in millions of bytes. */
export function megabytes(line: ProgressLine): (progress: Progress) => void {
  let before = 0
  return (progress) => {
    const now = Math.floor(progress.bytes / 1e6)
    line.tick(now - before)
    before = now
  }
}

type ListFlags = { readonly project?: string; readonly limit: string }

export async function artifactsAnswer({ project = 'default', limit }: ListFlags): Promise<CommandAnswer> {
  const list = await api(context()).listArtifacts({ project, query: { limit: Number(limit) } })
  const now = Date.now() / 1000
  return {
    json: list,
    text: () =>
      list.items.length === 0 ? `project ${project} has no artifacts: "ironlaw artifact add PATH" adds one` : listText(list.items, now),
    ...(list.next !== null && { notes: ['there are more; --limit shows up to 1000 at once'] }),
  }
}

const listText = (items: readonly ArtifactView[], now: number): string =>
  table(
    ['ARTIFACT', 'TYPE', 'NAMES', 'SIZE', 'FILES', 'MADE BY', 'AGE'],
    items.map(({ id, type, names, bytes: size, files, made_by, created_at, removed_at }) => [
      shortId(id),
      type,
      removed_at === undefined ? names.join(', ') : '(content deleted)',
      sizeText(size),
      files.toLocaleString('en'),
      made_by ?? '',
      showDuration(now - created_at),
    ]),
    [3, 4, 6],
  )

export async function nameArtifact(name: string, artifact: string, project: string): Promise<CommandAnswer> {
  const set = await api(context()).setArtifactName({ project, name, body: { artifact } })
  return { json: set, text: () => `${name} points at ${shortId(set.artifact)}, version ${set.version} of the name` }
}

export async function nameHistory(name: string, project: string): Promise<CommandAnswer> {
  const list = await api(context()).listArtifactNames({ project, name })
  const now = Date.now() / 1000
  const rows = list.items.map(({ version, artifact, at, by }) => [`${name}@${version}`, shortId(artifact), showDuration(now - at), by])
  return { json: list, text: () => table(['NAME', 'ARTIFACT', 'AGE', 'SET BY'], rows, [2]) }
}

export async function deleteArtifact(artifact: string, project: string): Promise<CommandAnswer> {
  const removed = await api(context()).removeArtifact({ project, artifact })
  return {
    json: removed,
    text: () => `the content of ${shortId(removed.id)} is given up; "ironlaw artifact collect" frees its space where nothing else needs it`,
  }
}

/** The control plane works for some seconds at a time. */
export async function collectArtifacts(): Promise<CommandAnswer> {
  const line = progressLine('objects removed')
  let [objects, freed] = [0, 0]
  for (;;) {
    const part = await api(context()).collectArtifacts({})
    objects += part.objects
    freed += part.bytes
    line.tick(part.objects)
    if (!part.done) continue
    line.clear()
    const json = { objects, bytes: freed, kept: part.kept }
    return {
      json,
      text: () => `${objects.toLocaleString('en')} objects removed, ${sizeText(freed)} freed; ${part.kept.toLocaleString('en')} kept`,
    }
  }
}
