// Why the content of an artifact is not removed, and what to do first.

import { IronlawError } from '@ironlaw/contracts'
import type { ArtifactNeed, NeedingVersion } from '@ironlaw/store'

export function removalConflict(id: string, need: ArtifactNeed): IronlawError {
  if ('names' in need) return conflict(`${need.names.join(', ')} points at ${id}`, 'point that name at another artifact first')
  if ('runs' in need) return conflict(`${need.runs.join(', ')} uses ${id} and has not ended`, 'wait for its end, or cancel it first')
  const { versions } = need
  return conflict(versions.map((each) => needText(id, each)).join('; '), [...new Set(versions.map(nextText))].join('\n    '))
}

const conflict = (problem: string, next: string): IronlawError => new IronlawError('IL_CONFLICT', { problem, next })

const AS = {
  version: (id: string) => id,
  input: (id: string, version: string) => `${id} was used to make ${version}, which`,
  evidence: (id: string, version: string) => `${id} is evidence for ${version}, which`,
}

function needText(id: string, need: NeedingVersion): string {
  const what = AS[need.as](id, need.version)
  if ('released' in need) return `${what} is ${need.released}`
  return `${what} is served by revision ${need.revision} of deployment ${need.deployment}, which lives`
}

const nextText = (need: NeedingVersion): string =>
  'released' in need
    ? `retire it first: "ironlaw decide ${need.version} retire --why REASON"`
    : `remove the deployment first: "ironlaw remove ${need.deployment}"; it may go back to each of its revisions`
