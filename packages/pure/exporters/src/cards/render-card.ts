import type { CardDocument, CardFormat } from '@ironlaw/contracts/card'
import { annexIvCard, missingStated } from './annex-iv.ts'
import type { Card } from './card.ts'
import { cycloneDxCard } from './cyclone-dx.ts'
import { huggingFaceCard } from './hugging-face.ts'
import { markdownCard } from './markdown.ts'

type Renderer = Pick<CardDocument, 'file' | 'media_type'> & { readonly render: (card: Card) => string }

const RENDERERS: Readonly<Record<CardFormat, Renderer>> = {
  md: { file: 'card.md', media_type: 'text/markdown', render: markdownCard },
  hf: { file: 'README.md', media_type: 'text/markdown', render: huggingFaceCard },
  cyclonedx: { file: 'model.cdx.json', media_type: 'application/vnd.cyclonedx+json', render: cycloneDxCard },
  'annex-iv': { file: 'annex-iv.md', media_type: 'text/markdown', render: annexIvCard },
}

export function renderCard(card: Card, format: CardFormat): CardDocument {
  const { file, media_type, render } = RENDERERS[format]
  const further = format === 'annex-iv' ? missingStated(card).map(({ what, next }) => ({ what, next })) : []
  return {
    of: card.id,
    file,
    media_type,
    text: render(card),
    missing: [...card.missing.map(({ fact, next }) => ({ what: fact, next })), ...further],
  }
}
