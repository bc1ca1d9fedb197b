// Replicas as the control plane reaches them: where they said they are, whether they are ready, and what they answer to known prompts.
// Not being reached is an answer. An address is believed when it comes with the replica's own token and lies on the node where the
// executor placed it; answers are read up to a size and a time, and redirects are not followed.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Probe } from '@ironlaw/contracts/deployment-api'
import * as z from 'zod'
import type { Site } from '../reconcile/site.ts'
import { promptLooks } from '../storage/prompt-looks.ts'
import { type SharedStorage, sharedStorage } from '../storage/shared-storage.ts'
import { isOnNodes, type NodeAddress } from './replica-address.ts'
import { endpointFile } from './replica-job.ts'
import { failureLine, replicaLogs } from './replica-logs.ts'

/** `proves`: the host there can prove at any time that it holds the replica's token. */
export type AnnouncedEndpoint = string | { readonly url: string; readonly proves: true } | { readonly refused: string } | undefined

export type ReplicaAccess = {
  readonly endpoint: (
    replica: string,
    claim: { readonly token?: string; readonly places: () => Promise<readonly NodeAddress[]> },
  ) => Promise<AnnouncedEndpoint>
  /** With a token, the host that answers must prove that it holds it. */
  readonly isReady: (url: string, token?: string) => Promise<boolean>
  /** From the log of its engine; undefined where there is none or storage is away. */
  readonly lastWords: (replica: string) => Promise<string | undefined>
  /** Why it would refuse every request for this model, or undefined when it serves it or does not say. */
  readonly nameProblem: (url: string, model: string) => Promise<string | undefined>
  /** Undefined where it did not answer. */
  readonly isRight: (url: string, asked: { readonly model: string; readonly probe: Probe }) => Promise<boolean | undefined>
}

const READY_MS = 1500
const PROBE_MS = 5000
const NAMES_SHOWN = 3
/** Of a log: a stack of frames and the line before it. */
const TAIL_BYTES = 8192
/** A URL and a token. */
const FILE_BYTES = 4096
/** One short completion, with room for what engines add to it. */
const ANSWER_BYTES = 262_144
/** Third line of an endpoint file that an engine host of ours wrote. */
const PROVES = 'proves'
const ENDPOINT = z.url({ protocol: /^http$/ })
const MODELS = z.object({ data: z.array(z.object({ id: z.string().max(200) })).max(1000) })
const COMPLETION = z.object({ choices: z.array(z.object({ text: z.string() })).min(1) })

export const replicaAccess = (
  site: Pick<Site, 'runs'>,
  storage: SharedStorage = sharedStorage(() => undefined),
  looks = promptLooks(),
): ReplicaAccess => ({
  endpoint: async (replica, { token, places }) => {
    const file = endpointFile(site, replica)
    const found = await looks(replica, () => storage.perform('read', { file, limit_bytes: FILE_BYTES }))
    const [address = '', shown = '', more = ''] = 'away' in found ? [] : (found.value?.split('\n') ?? [])
    if (address === '') return undefined
    const url = ENDPOINT.safeParse(address.trim()).data
    if (url === undefined) return { refused: 'the endpoint file does not begin with an http URL' }
    if (token !== undefined && !isSame(shown.trim(), token))
      return { refused: 'the endpoint file lacks the token of this replica: write $IRONLAW_REPLICA_TOKEN as its second line' }
    const nodes = await places()
    if (!(await isOnNodes(url, nodes)))
      return { refused: `${url} is not on ${nodes.map(({ name }) => name).join(', ')}, where it was placed` }
    return more.trim() === PROVES ? { url, proves: true } : url
  },
  isReady: async (url, token) => {
    const challenge = randomBytes(16).toString('hex')
    const ask = (path: string): Promise<FetchResult | undefined> =>
      fetchBody(url + path, { headers: { 'ironlaw-challenge': challenge }, signal: AbortSignal.timeout(READY_MS) })
    const ready = await ask('/ready')
    // vLLM, SGLang, llama.cpp's server and TGI call it health.
    const answer = ready?.status === 404 ? await ask('/health') : ready
    if (!answer?.ok) return false
    const proof = answer.headers.get('ironlaw-proof') ?? ''
    return token === undefined || isSame(proof, createHmac('sha256', token).update(challenge).digest('hex'))
  },
  lastWords: async (replica) => {
    const found = await looks(`log ${replica}`, () => replicaLogs(site, storage)(replica, -TAIL_BYTES))
    return 'away' in found ? undefined : failureLine(found.text)
  },
  nameProblem: async (url, model) => {
    // Every round waits for it: an engine that is ready has its names at hand.
    const listed = await fetchBody(`${url}/v1/models`, { signal: AbortSignal.timeout(READY_MS) })
    const names = MODELS.safeParse(listed?.ok ? listed.body : undefined).data?.data.map(({ id }) => id) ?? []
    if (names.length === 0 || names.includes(model)) return undefined
    // Some engines, llama.cpp's server among them, list one name and answer to any.
    const answer = await requestCompletion(url, { model, prompt: 'a', max_tokens: 1 })
    if (!answer || answer.status < 400 || answer.status >= 500) return undefined
    const known = names.slice(0, NAMES_SHOWN).map((name) => `"${name}"`)
    return `its engine serves ${known.join(', ')}, and refuses requests for "${model}", the model of the revision (status ${answer.status})`
  },
  isRight: async (url, { model, probe }) => {
    const { prompt, expect, max_tokens } = probe
    const answer = await requestCompletion(url, { model, prompt, max_tokens, temperature: 0 })
    const completion = COMPLETION.safeParse(answer?.ok ? answer.body : undefined)
    return completion.success ? completion.data.choices[0]?.text.includes(expect) : undefined
  },
})

const requestCompletion = (url: string, request: object): Promise<FetchResult | undefined> =>
  fetchBody(`${url}/v1/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
    signal: AbortSignal.timeout(PROBE_MS),
  })

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

type FetchResult = { readonly status: number; readonly ok: boolean; readonly headers: Headers; readonly body: unknown }

/** Undefined where there is no answer. The body is JSON where it says so. */
async function fetchBody(url: string, init: RequestInit): Promise<FetchResult | undefined> {
  try {
    const answer = await fetch(url, { ...init, redirect: 'error' })
    const text = await readUpTo(answer, ANSWER_BYTES)
    if (text === undefined) return undefined
    const isJson = (answer.headers.get('content-type') ?? '').startsWith('application/json')
    return { status: answer.status, ok: answer.ok, headers: answer.headers, body: isJson ? JSON.parse(text) : text }
  } catch {
    // Not reached, or what answers there is not an engine: probed again at the next look.
    return undefined
  }
}

/** Undefined when there is more. */
async function readUpTo(answer: Response, limit: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body ?? []) {
    size += chunk.byteLength
    if (size > limit) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
