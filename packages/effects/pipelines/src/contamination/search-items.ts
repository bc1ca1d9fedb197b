// Which items of an evaluation stand in training data, by the same matcher that `without` of a data spec removes them with.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { TOKEN_DATASET_FILE } from '@ironlaw/contracts/token-dataset'
import { contaminationIndex } from '@ironlaw/text'
import { parseRecord } from '../read/parse-record.ts'
import { recordsIn } from '../select/records.ts'
import { itemTexts, textsIn } from './item-texts.ts'
import { tokenDocuments } from './token-documents.ts'

/** Where an item was found first. */
type FoundItem = { readonly id: string; readonly file: string; readonly document: number }

export type ItemSearch = {
  /** All of them, by id. */
  readonly items: readonly string[]
  /** Too short to be told from common phrases. */
  readonly short: readonly string[]
  readonly found: readonly FoundItem[]
  /** Documents that were searched. */
  readonly documents: number
}

export type SearchRequest = {
  readonly items: string
  readonly fields?: readonly string[]
  /** Datasets of token shards or of documents, or files of records. */
  readonly data: readonly string[]
}

export async function searchItems({ items: pattern, fields, data }: SearchRequest): Promise<ItemSearch> {
  const texts = await itemTexts(pattern, fields)
  const index = contaminationIndex(texts.map(({ id, text }) => [id, text]))
  const items = [...new Set(texts.map(({ id }) => id))]
  const found = new Map<string, FoundItem>()
  let documents = 0
  for (const place of data)
    for await (const { file, document, texts: own } of documentsOf(place)) {
      documents += 1
      for (const id of own.flatMap((text) => [...index.hits(text).keys()])) if (!found.has(id)) found.set(id, { id, file, document })
    }
  return { items, short: items.filter((id) => !index.searched.has(id)), found: [...found.values()], documents }
}

type SearchedDocument = { readonly file: string; readonly document: number; readonly texts: readonly string[] }

async function* documentsOf(place: string): AsyncGenerator<SearchedDocument> {
  if (existsSync(join(place, TOKEN_DATASET_FILE))) {
    for await (const { text, ...where } of tokenDocuments(place)) yield { ...where, texts: [text] }
    return
  }
  const below = join(place, 'documents')
  for await (const { file, first, records } of recordsIn(existsSync(below) ? below : place))
    for (const [index, raw] of records.entries()) {
      const record = parseRecord(raw)
      yield { file, document: first + index, texts: record.kind === 'fields' ? textsIn(record.fields) : [] }
    }
}
