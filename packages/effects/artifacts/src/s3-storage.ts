// Objects in S3 or what speaks its protocol. Whole or not at all is what S3 promises for a PUT; `If-None-Match: *` decides between several
// writers of a new object.

import { hash } from 'node:crypto'
import { IronlawError } from '@ironlaw/contracts'
import { AwsClient } from 'aws4fetch'
import { checkKey } from './object-key.ts'
import type { ObjectStorage, StoredObject } from './object-storage.ts'
import { type S3Answer, s3Failure, sendWithRetries } from './s3-request.ts'
import { listingPage } from './s3-listing.ts'

type Environment = Readonly<Record<string, string | undefined>>
type Call = {
  readonly method: 'GET' | 'PUT' | 'HEAD' | 'DELETE'
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

const PAGE_KEYS = '1000'

/** Credentials, region and endpoint come from the variables that other tools for S3 read. */
export function s3Storage(url: string, environment: Environment): ObjectStorage {
  const { bucket, prefix } = bucketIn(url)
  const send = s3Sender(url, bucket, environment)
  const nameOf = (key: string): string => {
    checkKey(key)
    return `${prefix}${key}`
  }
  return {
    url,
    put: async (key, content) => {
      await send({ method: 'PUT', key: nameOf(key), body: content }, [200])
    },
    putNew: async (key, content) => {
      const call: Call = { method: 'PUT', key: nameOf(key), body: content, headers: { 'if-none-match': '*' } }
      const { status, retried } = await send(call, [200, 412])
      if (status === 200) return 'written'
      // A write whose answer was lost finds itself when it is sent again.
      if (!retried) return 'exists'
      const present = await send({ method: 'GET', key: nameOf(key) }, [200, 404])
      return present.status === 200 && present.body.equals(content) ? 'written' : 'exists'
    },
    get: async (key) => {
      const { status, body } = await send({ method: 'GET', key: nameOf(key) }, [200, 404])
      return status === 200 ? body : undefined
    },
    has: async (key) => (await send({ method: 'HEAD', key: nameOf(key) }, [200, 404])).status === 200,
    list: (start) => objectsUnder(send, { url, prefix, start }),
    remove: async (key) => {
      await send({ method: 'DELETE', key: nameOf(key) }, [200, 204, 404])
    },
  }
}

type Send = (call: Call, expected: readonly number[]) => Promise<S3Answer>

function s3Sender(url: string, bucket: string, environment: Environment): Send {
  const region = environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION'] ?? 'us-east-1'
  const base = bucketUrl(bucket, region, environment['AWS_ENDPOINT_URL_S3'] ?? environment['AWS_ENDPOINT_URL'])
  const [accessKeyId, secretAccessKey] = [environment['AWS_ACCESS_KEY_ID'], environment['AWS_SECRET_ACCESS_KEY']]
  if (!accessKeyId || !secretAccessKey)
    throw new IronlawError('IL_STORAGE', {
      act: 'open',
      key: 'it',
      storage: url,
      reason: 'there are no credentials',
      next: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_ENDPOINT_URL where the server is not that of AWS',
    })
  const token = environment['AWS_SESSION_TOKEN']
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    ...(token ? { sessionToken: token } : {}),
    service: 's3',
    region,
    retries: 0,
  })
  return async (call, expected) => {
    const target = `${base}${encodedKey(call.key)}${call.query ? `?${encodedQuery(call.query)}` : ''}`
    const subject = { url, key: call.key, method: call.method }
    // With the digest the server refuses a body that was damaged on its way.
    const headers = { ...call.headers, 'x-amz-content-sha256': hash('sha256', call.body ?? '') }
    const request = (signal: AbortSignal): Promise<Request> =>
      client.sign(target, { method: call.method, headers, signal, ...(call.body && { body: Buffer.from(call.body) }) })
    const answer = await sendWithRetries(request, subject)
    if (!expected.includes(answer.status) || answer.code === 'NoSuchBucket') throw s3Failure(answer, subject)
    return answer
  }
}

/** A server of one's own seldom has a name for each bucket, and a certificate for names does not cover one with dots. */
function bucketUrl(bucket: string, region: string, endpoint: string | undefined): string {
  if (endpoint) return `${endpoint.replace(/\/+$/, '')}/${bucket}/`
  return bucket.includes('.') ? `https://s3.${region}.amazonaws.com/${bucket}/` : `https://${bucket}.s3.${region}.amazonaws.com/`
}

function bucketIn(url: string): { readonly bucket: string; readonly prefix: string } {
  const match = /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(?<prefix>.*))?$/.exec(url)
  const bucket = match?.groups?.['bucket']
  if (bucket === undefined)
    throw new IronlawError('IL_STORAGE', {
      act: 'open',
      key: 'it',
      storage: url,
      reason: 'that is no name of a bucket',
      next: 'give s3://bucket or s3://bucket/prefix; a bucket has 3 to 63 lower-case letters, digits, dots and hyphens',
    })
  const prefix = (match?.groups?.['prefix'] ?? '').replace(/\/+$/, '')
  if (prefix !== '') checkKey(prefix)
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` }
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

const encodedKey = (key: string): string => key.split('/').map(encoded).join('/')

const encodedQuery = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]) => `${name}=${encoded(value)}`)
    .join('&')

type Listing = { readonly url: string; readonly prefix: string; readonly start: string }

async function* objectsUnder(send: Send, { url, prefix, start }: Listing): AsyncGenerator<StoredObject> {
  let token: string | undefined
  do {
    const query = {
      'list-type': '2',
      'encoding-type': 'url',
      'max-keys': PAGE_KEYS,
      prefix: `${prefix}${start}`,
      ...(token !== undefined && { 'continuation-token': token }),
    }
    const { body } = await send({ method: 'GET', key: '', query }, [200])
    const page = listingPage(body.toString(), url)
    for (const object of page.objects) if (object.key.startsWith(prefix)) yield { ...object, key: object.key.slice(prefix.length) }
    token = page.next
  } while (token !== undefined)
}
