// What is written about an artifact for its readers: the cards of a version, the datasheet of a dataset. OpenCard first, then saved.

import type { CardDocument, CardFormat } from '@ironlaw/contracts/card'
import { counted } from '@ironlaw/units'
import { type ReactNode, useState } from 'react'
import { factName } from '../registry/version-words.tsx'
import { type ApiResult, call } from '../runs/api.ts'
import { Card } from '../ui/card.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { saveFile } from '../ui/save-file.ts'

type Place = { readonly project: string; readonly artifact: string }

type CardSource = {
  readonly name: string
  readonly write: () => Promise<ApiResult<CardDocument>>
}

const FORMATS: Readonly<Record<CardFormat, string>> = {
  md: 'Markdown',
  hf: 'README for Hugging Face',
  cyclonedx: 'CycloneDX 1.6',
  'annex-iv': 'Annex IV of the EU AI Act',
}
const FORMAT_NAMES = Object.keys(FORMATS) as readonly CardFormat[]

export const ModelCards = (place: Place): ReactNode => (
  <CardDocuments
    title="Cards"
    about="Every figure with its source; what is not known is listed, with the command that states it."
    documents={FORMAT_NAMES.map((format) => ({
      name: FORMATS[format],
      write: () => call('getModelCard', { ...place, query: { format } }),
    }))}
  />
)

export const Datasheet = (place: Place): ReactNode => (
  <CardDocuments
    title="Datasheet"
    about="What is known of the dataset, in the order of Datasheets for Datasets; what is not known is listed."
    documents={[{ name: 'Markdown', write: () => call('getDatasheet', place) }]}
  />
)

type CardDocumentsProps = { readonly title: string; readonly about: string; readonly documents: readonly CardSource[] }

type OpenCard = { readonly name: string; readonly answer: ApiResult<CardDocument> }

function CardDocuments({ title, about, documents }: CardDocumentsProps): ReactNode {
  const [shown, setShown] = useState<OpenCard>()
  const open = async ({ name, write }: CardSource): Promise<void> =>
    setShown(shown?.name === name && shown.answer.ok ? undefined : { name, answer: await write() })
  return (
    <Card title={title} about={about} wide>
      <div className="row">
        {documents.map((source) => (
          <button
            key={source.name}
            type="button"
            className={source.name === shown?.name ? 'button chosen' : 'button'}
            aria-expanded={source.name === shown?.name}
            onClick={() => void open(source)}
          >
            {source.name}
          </button>
        ))}
      </div>
      {shown &&
        (shown.answer.ok ? (
          <CardText name={`${title}: ${shown.name}`} document={shown.answer.value} />
        ) : (
          <Refusal problem={shown.answer} />
        ))}
    </Card>
  )
}

type CardTextProps = { readonly name: string; readonly document: CardDocument }

const CardText = ({ name, document: { file, media_type, text, missing } }: CardTextProps): ReactNode => (
  <div className="exported">
    {missing.length > 0 && (
      <details>
        <summary>{counted(missing.length, 'fact')} that readers look for and nobody stated</summary>
        <ul className="missing">
          {missing.map(({ what, next }) => (
            <li key={what}>
              <span>{factName(what)}</span>
              <code className="long">{next}</code>
            </li>
          ))}
        </ul>
      </details>
    )}
    <p className="row">
      <button type="button" className="button" onClick={() => saveFile(file, new Blob([text], { type: media_type }))}>
        Save {file}
      </button>
      <CopyButton text={() => text}>Copy</CopyButton>
    </p>
    <pre tabIndex={0} aria-label={name}>
      {text}
    </pre>
  </div>
)
