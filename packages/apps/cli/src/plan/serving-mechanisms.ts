// What a serving plan relies on beyond its layout, in a sentence each.

import type { ServingPlan } from '@ironlaw/contracts'
import { ACCEPTANCES } from '@ironlaw/planner'

export const mechanismLines = (plan: ServingPlan): readonly string[] => [...expertLines(plan), ...speculationLines(plan)]

const PROPOSERS = {
  mtp: 'layers of the model',
  eagle: 'a head of EAGLE',
  eagle3: 'a head of EAGLE-3',
  draft: 'a model of its own',
  ngram: 'n-grams of the text',
} as const

function speculationLines({ speculation }: ServingPlan): readonly string[] {
  if (!speculation) return []
  const { method, drafted, acceptance, model } = speculation
  const known = ACCEPTANCES[method]
  const source = known?.acceptance === acceptance ? ` (${known.source})` : ''
  return [`Speculation: ${drafted} tokens a step by ${model ?? PROPOSERS[method]}, each kept with a chance of ${acceptance}${source}.`]
}

/** Beyond one node engines must balance experts; within it their defaults were measured. */
const NODE_RANKS = 8

const expertLines = ({ pools }: ServingPlan): readonly string[] =>
  pools.flatMap(({ role, layout, experts }) =>
    experts && layout.expert > NODE_RANKS
      ? [
          `Experts${role === 'all' ? '' : ` for ${role}`}: ${experts.count} on ${layout.expert} ranks${experts.redundant > 0 ? `, ${experts.redundant} of them twice` : ''}; the fullest rank is priced at ${experts.imbalance.toFixed(2)} times the mean (NVIDIA measures 1.1 with balanced experts, 2.6 without), tokens reach them by ${experts.exchange === 'gather' ? 'gathering' : 'all-to-all'}.`,
        ]
      : [],
  )
