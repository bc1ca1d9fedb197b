// A card for people.

import { PURPOSE_FACTS } from '@ironlaw/contracts/model-registry'
import type { Card } from './card.ts'
import { datasetBlock, decisionBlock, factBlock, figureBlock, fileBlock, missingBlock, variantBlock, versionBlock } from './card-blocks.ts'
import { markdownText, section } from './markdown-text.ts'

const ORIGIN_FACTS = ['code', 'data', 'configuration', 'environment', 'plan', 'run', 'hardware'] as const
const SPENT_FACTS = ['cost', 'energy'] as const

export const markdownCard = (card: Card): string =>
  `${[
    `# ${markdownText(card.title)}`,
    '',
    ...versionBlock(card),
    ...section('What it is for', factBlock(card, PURPOSE_FACTS)),
    ...section('How good it is', figureBlock(card)),
    ...section('Precisions', variantBlock(card)),
    ...section('What it was made of', factBlock(card, ORIGIN_FACTS), datasetBlock(card)),
    ...section('What it took', factBlock(card, SPENT_FACTS)),
    ...section('Decisions', decisionBlock(card)),
    ...section('Files', fileBlock(card)),
    ...section('What is not known', missingBlock(card)),
  ].join('\n')}\n`
