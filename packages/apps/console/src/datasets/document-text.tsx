// What a document says: its tokens, read by the tokenizer that the dataset holds.

import { shardFiles, TOKENIZER_FILE, type TokenDataset } from '@ironlaw/contracts/token-dataset'
import { createDecoder } from '@ironlaw/text'
import type { ReactNode } from 'react'
import type { ApiResult } from '../runs/api.ts'
import { Card, Empty } from '../ui/card.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { type ArtifactPlace, readBytes, readJson, useOnce } from './artifact-files.ts'

type Folder = ArtifactPlace & { readonly folder: string }

export type TokenReader = { readonly decode: (tokens: ArrayLike<number>) => Uint8Array } | { readonly why: string }

const BYTES = 256

/** Why a dataset cannot be read as text is an answer, not a failure: its tokens are shown as numbers then. */
export async function tokenReader({ folder, ...of }: Folder, dataset: TokenDataset): Promise<ApiResult<TokenReader>> {
  if (dataset.tokenizerDigest === undefined)
    return {
      ok: true,
      value:
        dataset.vocabulary === BYTES ? { decode: (tokens) => Uint8Array.from(tokens) } : { why: `the dataset holds no ${TOKENIZER_FILE}` },
    }
  const read = await readJson({ ...of, path: `${folder}${TOKENIZER_FILE}` }, createDecoder)
  if (read.ok) return { ok: true, value: { decode: read.value } }
  return read.status >= 500 ? read : { ok: true, value: { why: read.title } }
}

/** Where the document lies in its shard, in tokens. */
type TokenSpan = { readonly shard: number; readonly start: number; readonly tokens: number }

/** Pages of text that somebody reads; `ironlaw artifact restore` has the rest. */
const MOST_TOKENS = 4000

async function readTokens({ folder, ...of }: Folder, { dtype }: TokenDataset, span: TokenSpan): Promise<ApiResult<readonly number[]>> {
  const width = dtype === 'uint16' ? 2 : 4
  const start = width * span.start
  const path = `${folder}${shardFiles(span.shard).tokens}`
  const read = await readBytes({ ...of, path }, { start, end: start + width * Math.min(span.tokens, MOST_TOKENS) })
  if (!read.ok) return read
  const view = new DataView(read.value.buffer, read.value.byteOffset, read.value.byteLength)
  const tokenAt = (at: number): number => (width === 2 ? view.getUint16(2 * at, true) : view.getUint32(4 * at, true))
  return { ok: true, value: Array.from({ length: Math.floor(view.byteLength / width) }, (_, at) => tokenAt(at)) }
}

type DocumentTextProps = {
  readonly place: Folder
  readonly dataset: TokenDataset
  readonly span: TokenSpan
  /** Undefined until the tokenizer is there. */
  readonly reader: ApiResult<TokenReader> | undefined
}

export function DocumentText({ place, dataset, span, reader }: DocumentTextProps): ReactNode {
  const key = `${place.artifact} ${place.folder} ${span.shard} ${span.start}`
  const read = useOnce(key, () => readTokens(place, dataset, span))
  const shown = read?.ok && reader?.ok ? shownText(read.value, reader.value) : undefined
  const about =
    span.tokens > MOST_TOKENS ? `The first ${MOST_TOKENS.toLocaleString('en')} of ${span.tokens.toLocaleString('en')} tokens.` : undefined
  return (
    <div className="cards">
      <Card title="Text" {...(about !== undefined && { about })} wide busy={!read || !reader}>
        {(!read || !reader) && <Empty>Loading…</Empty>}
        {read && !read.ok && <Refusal problem={read} />}
        {reader && !reader.ok && <Refusal problem={reader} />}
        {shown?.why !== undefined && <p className="quiet">Shown as numbers: {shown.why}.</p>}
        {shown && (
          <pre className="prose" tabIndex={0} aria-label="Text of the document">
            {shown.text}
          </pre>
        )}
      </Card>
    </div>
  )
}

function shownText(tokens: readonly number[], reader: TokenReader): { readonly text: string; readonly why?: string } {
  const numbers = tokens.join(' ')
  if ('why' in reader) return { text: numbers, why: reader.why }
  try {
    return { text: new TextDecoder().decode(reader.decode(tokens)) }
  } catch (cause) {
    return { text: numbers, why: cause instanceof Error ? cause.message : String(cause) }
  }
}
