// `ironlaw trace`: a tree of runs and artifacts. What was shown once is only named again.

import type { ArtifactTrace } from '@ironlaw/contracts/artifact-operations'
import type { CommandAnswer } from '../answer.ts'
import { api, find } from '../api/api-client.ts'
import { context } from '../context/context.ts'
import { paint } from '../paint.ts'
import { findNewestRun } from '../run/find-run.ts'
import { shortId, sizeText } from './artifacts.ts'

type TraceFlags = { readonly project: string; readonly down?: true }

export async function traceAnswer(artifact: string, { project, down }: TraceFlags): Promise<CommandAnswer> {
  const direction = down ? 'down' : 'up'
  const trace = await traceOf(artifact, { project, direction })
  return {
    json: trace,
    text: () => traceText(trace, direction),
    ...(trace.truncated && { notes: ['there is more than is shown: trace one of the artifacts at the end'] }),
  }
}

type TraceRequest = { readonly project: string; readonly direction: 'up' | 'down' }

/** The name of a run stands for the newest of that name. */
async function traceOf(artifact: string, { project, direction }: TraceRequest): Promise<ArtifactTrace> {
  const to = context()
  const from = (id: string, of: string) => api(to).traceArtifact({ project: of, artifact: id, query: { direction } })
  const found = await find(from(artifact, project))
  if (found) return found
  const run = await findNewestRun(to, artifact)
  return run ? from(run.id, run.project) : from(artifact, project)
}

export function traceText(trace: ArtifactTrace, direction: 'up' | 'down'): string {
  const shown = new Set<string>()
  const next = neighbours(trace, direction)
  const lines = (id: string, indent: string): string[] => {
    if (shown.has(id)) return []
    shown.add(id)
    const below = next(id)
    return below.flatMap(({ to, how }, index) => {
      const isLast = index === below.length - 1
      const again = shown.has(to) && next(to).length > 0 ? paint('dim', ' (see above)') : ''
      return [`${indent}${isLast ? '└─' : '├─'} ${how} ${nodeText(trace, to)}${again}`, ...lines(to, `${indent}${isLast ? '   ' : '│  '}`)]
    })
  }
  const body = lines(trace.from, '')
  const nothing = direction === 'up' ? 'no run is known to have made it' : 'nothing is known to have come of it'
  return [nodeText(trace, trace.from), ...(body.length === 0 ? [paint('dim', nothing)] : body)].join('\n')
}

/** Up: an artifact was made by runs, a run used artifacts. Down: an artifact was used by runs, a run made artifacts. */
function neighbours({ edges }: ArtifactTrace, direction: 'up' | 'down') {
  const toRun = direction === 'up' ? 'made' : 'used'
  const below = new Map<string, { readonly to: string; readonly how: string }[]>()
  for (const { run, artifact, how } of edges) {
    const [from, to] = how === toRun ? [artifact, run] : [run, artifact]
    const list = below.get(from) ?? []
    list.push({ to, how: how === toRun ? `${how} by` : how })
    below.set(from, list)
  }
  return (id: string) => below.get(id) ?? []
}

function nodeText({ artifacts, runs }: ArtifactTrace, id: string): string {
  const run = runs.find((each) => each.id === id)
  if (run) return `run ${run.id} (${run.state})`
  const artifact = artifacts.find((each) => each.id === id)
  if (!artifact) return shortId(id)
  const { type, names, bytes: size, removed_at } = artifact
  const gone = removed_at === undefined ? '' : ', content deleted'
  return `${type} ${[...names, shortId(id)].join(' ')} (${sizeText(size)}${gone})`
}
