// What a plan relies on beyond its layout, in a sentence each.

import type { ServingPlan } from '@ironlaw/contracts'
import { seconds, show, showPercent } from '@ironlaw/units'

const PROPOSERS = {
  mtp: 'layers of the model (MTP)',
  eagle: 'an EAGLE head',
  eagle3: 'an EAGLE-3 head',
  draft: 'a draft model',
  ngram: 'n-grams of the text',
} as const

export const mechanismTexts = (plan: ServingPlan): readonly string[] => [
  ...speculationText(plan),
  ...adapterText(plan),
  ...plan.pools.flatMap(({ tiers }) => (tiers ? [tierText(tiers)] : [])),
]

function speculationText({ speculation }: ServingPlan): readonly string[] {
  if (!speculation) return []
  const { method, drafted, acceptance, model } = speculation
  return [`${drafted} tokens a step drafted by ${model ?? PROPOSERS[method]}, each kept with a chance of ${showPercent(acceptance, 0)}.`]
}

const adapterText = ({ adapters }: ServingPlan): readonly string[] =>
  adapters
    ? [
        `${adapters.count} LoRA ${adapters.count === 1 ? 'adapter' : 'adapters'} of rank ${adapters.rank} on ${adapters.targets.join(' and ')}, ${Math.min(adapters.count, adapters.activePerBatch)} on a device at once.`,
      ]
    : []

const tierText = ({ device, host, drive, load_s }: NonNullable<ServingPlan['pools'][number]['tiers']>): string =>
  `Prompts that come back: ${showPercent(device, 0)} found on the device, ${showPercent(host, 0)} in memory of the host, ${showPercent(drive, 0)} on its drive, the rest computed again; reading takes ${show(seconds(load_s), 's')} on average.`
