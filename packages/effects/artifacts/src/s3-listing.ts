// The few elements of S3's XML that we read. Keys are asked for with percent signs, since XML cannot hold every character that a key can.

import { IronlawError } from '@ironlaw/contracts'
import type { StoredObject } from './object-storage.ts'

export type ListingPage = { readonly objects: readonly StoredObject[]; readonly next?: string }

export function listingPage(xml: string, url: string): ListingPage {
  const damaged = (reason: string): IronlawError =>
    new IronlawError('IL_STORAGE', {
      act: 'list',
      key: 'the objects',
      storage: url,
      reason,
      next: 'check that AWS_ENDPOINT_URL is the address of an S3 server',
    })
  if (!/<ListBucketResult[\s>]/.test(xml)) throw damaged('the answer is no listing')
  const isEncoded = elementText(xml, 'EncodingType') === 'url'
  const objects = [...xml.matchAll(/<Contents>(?<content>.*?)<\/Contents>/gs)].map(({ groups }) => {
    const content = groups?.['content'] ?? ''
    const [key, size, modified] = [elementText(content, 'Key'), elementText(content, 'Size'), elementText(content, 'LastModified')]
    const modified_ms = Date.parse(modified ?? '')
    if (key === undefined || size === undefined || !/^\d+$/.test(size) || Number.isNaN(modified_ms))
      throw damaged('an entry lacks its key, size or time')
    return { key: isEncoded ? decodedKey(key) : key, bytes: Number(size), modified_at: modified_ms / 1000 }
  })
  if (elementText(xml, 'IsTruncated') !== 'true') return { objects }
  const next = elementText(xml, 'NextContinuationToken')
  // Without it the rest would be taken for absent.
  if (next === undefined || next === '') throw damaged('there is more, and no token to ask for it')
  return { objects, next }
}

/** As forms encode, with "+" for a space. */
const decodedKey = (key: string): string => decodeURIComponent(key.replaceAll('+', ' '))

export function elementText(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}(?:\\s[^>]*)?>(?<text>[^<]*)</${name}>`).exec(xml)?.groups?.['text']
  return text?.replaceAll(/&(#x[0-9a-f]+|#\d+|amp|lt|gt|quot|apos);/gi, (whole, entity: string) => {
    if (entity.startsWith('#')) return String.fromCodePoint(Number(entity.replace('#', '').replace(/^x/i, '0x')))
    return ENTITIES[entity] ?? whole
  })
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
