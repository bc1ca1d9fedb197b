// What came of a version beside the runs that used it: evaluations name their model, and revisions of deployments their version.

import type { ModelView } from '@ironlaw/contracts/model-registry'
import type { Beyond } from '../artifacts/lineage-layout.ts'
import type { VersionServing } from './serving-of-version.ts'
import { shortId } from './version-words.tsx'

/** A picture with every evaluation of a version that is evaluated daily shows nothing else. */
const MOST_EACH = 8

export function beyondVersion(id: string, evaluations: ModelView['evaluations'], serving: readonly VersionServing[]): Beyond {
  const shown = [
    ...evaluations.slice(0, MOST_EACH).map((each) => ({
      id: each.id,
      kind: 'artifact' as const,
      title: each.names[0] ?? shortId(each.id),
      about: 'evaluation',
    })),
    ...serving.slice(0, MOST_EACH).map(({ deployment, as, revision }) => ({
      id: `deployment ${deployment}`,
      kind: 'deployment' as const,
      title: deployment,
      about: `${as}, revision ${revision}`,
    })),
  ]
  return {
    nodes: shown,
    edges: shown.map((each) => ({ from: id, to: each.id })),
    hidden: evaluations.length + serving.length - shown.length,
  }
}
