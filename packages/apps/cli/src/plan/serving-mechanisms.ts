// What a serving plan relies on beyond its layout, in a sentence each.

import type { ServingPlan } from '@ironlaw/contracts'
import { hasWideExperts } from '@ironlaw/exporters'
import { ACCEPTANCES } from '@ironlaw/planner'
import { seconds, show, showPercent } from '@ironlaw/units'

export const mechanismLines = (plan: ServingPlan): readonly string[] => [
  ...expertLines(plan),
  ...speculationLines(plan),
  ...adapterLines(plan),
  ...tierLines(plan),
]

const adapterLines = ({ adapters }: ServingPlan): readonly string[] =>
  adapters
    ? [
        `Adapters: ${adapters.count} of rank ${adapters.rank} on ${adapters.targets.join(' and ')}, ${Math.min(adapters.count, adapters.activePerBatch)} on a device at once.`,
      ]
    : []

const tierLines = ({ pools }: ServingPlan): readonly string[] =>
  pools.flatMap(({ tiers }) =>
    tiers
      ? [
          `Prompts that come back: ${showPercent(tiers.device, 0)} found on the device, ${showPercent(tiers.host, 0)} in the host's memory, ${showPercent(tiers.drive, 0)} on its drive, the rest computed again; reading takes ${show(seconds(tiers.load_s), 's')} before a prompt starts.`,
        ]
      : [],
  )

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

const expertLines = ({ pools }: ServingPlan): readonly string[] =>
  pools
    .filter(hasWideExperts)
    .flatMap(({ role, layout, experts }) =>
      experts
        ? [
            `Experts${role === 'all' ? '' : ` for ${role}`}: ${experts.count} on ${layout.expert} ranks${experts.redundant > 0 ? `, ${experts.redundant} of them twice` : ''}; the fullest rank is priced at ${experts.imbalance.toFixed(2)} times the mean (NVIDIA measures 1.1 with balanced experts, 2.6 without), tokens reach them by ${experts.exchange === 'gather' ? 'gathering' : 'all-to-all'}.`,
          ]
        : [],
    )
