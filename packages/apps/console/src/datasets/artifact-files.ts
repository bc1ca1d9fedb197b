// Files of an artifact as the API gives them, in parts. They never change, so each is read once.

import { MOST_FILE_BYTES } from '@ironlaw/contracts/artifact-operations'
import { useEffect, useState } from 'react'
import { type ApiResult, call, type Problem } from '../runs/api.ts'

export type ArtifactPlace = { readonly project: string; readonly artifact: string }
export type FilePlace = ArtifactPlace & { readonly path: string }

/** More make a page slow. */
const MOST_BYTES = 16 * MOST_FILE_BYTES
const AGAIN_MS = 3000

type Bytes = { readonly start: number; readonly end: number }

/** Some bytes; fewer where the file ends before. */
export async function readBytes({ path, ...of }: FilePlace, { start, end }: Bytes): Promise<ApiResult<Uint8Array>> {
  const answer = await call('getArtifactFile', { ...of, query: { path, from: start, length: end - start } })
  return answer.ok ? { ok: true, value: bytesOf(answer.value) } : answer
}

const bytesOf = ({ encoding, content }: { readonly encoding: 'utf-8' | 'base64'; readonly content: string }): Uint8Array =>
  encoding === 'utf-8' ? new TextEncoder().encode(content) : Uint8Array.from(atob(content), (letter) => letter.codePointAt(0) ?? 0)

/** A JSON file, checked by a function that throws where it is not what is expected. */
export const readJson = <T>(place: FilePlace, parse: (value: unknown, file: string) => T): Promise<ApiResult<T>> =>
  readText(place, (content, file) => parse(JSON.parse(content), file))

/** A text, read by a function that throws where it is not what is expected. */
export async function readText<T>(place: FilePlace, parse: (content: string, file: string) => T): Promise<ApiResult<T>> {
  const { path, ...of } = place
  const parts: Uint8Array[] = []
  for (let from = 0, bytes = 1; from < bytes;) {
    const answer = await call('getArtifactFile', { ...of, query: { path, from, length: MOST_FILE_BYTES } })
    if (!answer.ok) return answer
    if (answer.value.bytes > MOST_BYTES)
      return refused(`${path} is larger than this page reads`, 'ironlaw artifact restore writes it to disk.')
    bytes = answer.value.bytes
    const part = bytesOf(answer.value)
    parts.push(part)
    from += Math.max(1, part.length)
  }
  try {
    return { ok: true, value: parse(await new Blob(parts as BlobPart[]).text(), path) }
  } catch (cause) {
    return refused(`This page cannot read ${path}`, cause instanceof Error ? cause.message : String(cause))
  }
}

export const refused = (title: string, next: string): Problem => ({ ok: false, status: 0, title, next })

/** Undefined until it is there. What failed because the control plane is away is tried again. */
export function useOnce<T>(key: string, load: (() => Promise<ApiResult<T>>) | undefined): ApiResult<T> | undefined {
  const [known, setKnown] = useState<{ readonly key: string; readonly answer: ApiResult<T> }>()
  useEffect(() => {
    if (!load) return
    let gone = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const attempt = async (): Promise<void> => {
      const answer = await load()
      if (gone) return
      setKnown({ key, answer })
      if (!answer.ok && answer.status >= 500) timer = setTimeout(() => void attempt(), AGAIN_MS)
    }
    void attempt()
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [key])
  return known?.key === key ? known.answer : undefined
}

export function useJson<T>(place: FilePlace, parse: (value: unknown, file: string) => T): ApiResult<T> | undefined {
  return useOnce(`${place.project} ${place.artifact} ${place.path}`, () => readJson(place, parse))
}
