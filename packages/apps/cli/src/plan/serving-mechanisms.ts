// What a serving plan relies on beyond its layout, in a sentence each.

import type { ServingPlan } from '@ironlaw/contracts'

export const mechanismLines = (plan: ServingPlan): readonly string[] => expertLines(plan)

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
