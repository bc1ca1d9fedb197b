// Replicas as the control plane reaches them: where they said they are, whether they are ready, and what they answer to known prompts.
// Not being reached is an answer. An address is believed when it comes with the replica's own token and lies on the node where the
// executor placed it; answers are read up to a size and a time, and redirects are not followed.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { LiveCertificate } from '@ironlaw/certificates'
import { replicaTlsName } from '@ironlaw/contracts'
import type { Probe } from '@ironlaw/contracts/deployment-api'
import * as z from 'zod'
import type { Site } from '../reconcile/site.ts'
import { type PromptLooks, promptLooks } from '../storage/prompt-looks.ts'
import { type SharedStorage, sharedStorage } from '../storage/shared-storage.ts'
import { isOnNodes, type NodeAddress } from './replica-address.ts'
import { endpointFile } from './replica-job.ts'
import { askReplica, identifyReplica, type ReplicaResponse } from './replica-request.ts'
import { failureLine, replicaLogs } from './replica-logs.ts'

/** `proves`: the host there can prove at any time that it holds the replica's token. */
export type AnnouncedEndpoint = string | { readonly url: string; readonly proves: true } | { readonly refused: string } | undefined

export type ReplicaIdentity = { readonly replica: string; readonly token?: string | undefined }

export type ReplicaAccess = {
  readonly endpoint: (
    replica: string,
    claim: { readonly token?: string; readonly places: () => Promise<readonly NodeAddress[]> },
  ) => Promise<AnnouncedEndpoint>
  /** Over TLS the certificate must name the replica. With a token, the host that answers must prove that it holds it. */
  readonly isReady: (url: string, identity: ReplicaIdentity) => Promise<boolean | { readonly refused: string }>
  /** From the log of its engine; undefined where there is none or storage is away. */
  readonly lastWords: (replica: string) => Promise<string | undefined>
  /** Why it would refuse every request for this model, or undefined when it serves it or does not say. */
  readonly nameProblem: (url: string, asked: { readonly replica: string; readonly model: string }) => Promise<string | undefined>
  /** Undefined where it did not answer. */
  readonly isRight: (
    url: string,
    asked: { readonly replica: string; readonly model: string; readonly probe: Probe },
  ) => Promise<boolean | undefined>
}

const READY_MS = 1500
const PROBE_MS = 5000
const NAMES_SHOWN = 3
/** Of a log: a stack of frames and the line before it. */
const TAIL_BYTES = 8192
/** A URL and a token. */
const FILE_BYTES = 4096
/** Third line of an endpoint file that an engine host of ours wrote. */
const PROVES = 'proves'
const ENDPOINT = z.url({ protocol: /^https?$/ })
const MODELS = z.object({ data: z.array(z.object({ id: z.string().max(200) })).max(1000) })
const COMPLETION = z.object({ choices: z.array(z.object({ text: z.string() })).min(1) })

type AccessOptions = {
  readonly looks?: PromptLooks
  /** With which replicas over TLS are asked; without it they are not reached. */
  readonly own?: LiveCertificate | undefined
}

export const replicaAccess = (
  site: Pick<Site, 'runs'>,
  storage: SharedStorage = sharedStorage(() => undefined),
  { looks = promptLooks(), own }: AccessOptions = {},
): ReplicaAccess => ({
  endpoint: async (replica, { token, places }) => {
    const file = endpointFile(site, replica)
    const found = await looks(replica, () => storage.perform('read', { file, limit_bytes: FILE_BYTES }))
    const [address = '', shown = '', more = ''] = 'away' in found ? [] : (found.value?.split('\n') ?? [])
    if (address === '') return undefined
    const url = ENDPOINT.safeParse(address.trim()).data
    if (url === undefined) return { refused: 'the endpoint file does not begin with an http or https URL' }
    if (token !== undefined && !isSame(shown.trim(), token))
      return { refused: 'the endpoint file lacks the token of this replica: write $IRONLAW_REPLICA_TOKEN as its second line' }
    const nodes = await places()
    if (!(await isOnNodes(url, nodes)))
      return { refused: `${url} is not on ${nodes.map(({ name }) => name).join(', ')}, where it was placed` }
    return more.trim() === PROVES ? { url, proves: true } : url
  },
  isReady: async (url, { replica, token }) => {
    const challenge = randomBytes(16).toString('hex')
    const request = { headers: { 'ironlaw-challenge': challenge }, within_ms: READY_MS, tlsName: replicaTlsName(replica) }
    const ready = await identifyReplica(`${url}/ready`, request, own)
    if (ready === 'another') return { refused: `the certificate of what answers at ${url} does not name this replica` }
    // vLLM, SGLang, llama.cpp's server and TGI call it health.
    const answer = ready?.status === 404 ? await askReplica(`${url}/health`, request, own) : ready
    if (!answer?.ok) return false
    const proof = answer.header('ironlaw-proof')
    return token === undefined || isSame(proof, createHmac('sha256', token).update(challenge).digest('hex'))
  },
  lastWords: async (replica) => {
    const found = await looks(`log ${replica}`, () => replicaLogs(site, storage)(replica, -TAIL_BYTES))
    return 'away' in found ? undefined : failureLine(found.text)
  },
  nameProblem: async (url, { replica, model }) => {
    // Every round waits for it: an engine that is ready has its names at hand.
    const listed = await askReplica(`${url}/v1/models`, { within_ms: READY_MS, tlsName: replicaTlsName(replica) }, own)
    const names = MODELS.safeParse(listed?.ok ? listed.body : undefined).data?.data.map(({ id }) => id) ?? []
    if (names.length === 0 || names.includes(model)) return undefined
    // Some engines, llama.cpp's server among them, list one name and answer to any.
    const answer = await requestCompletion(url, { replica, body: { model, prompt: 'a', max_tokens: 1 } }, own)
    if (!answer || answer.status < 400 || answer.status >= 500) return undefined
    const known = names.slice(0, NAMES_SHOWN).map((name) => `"${name}"`)
    return `its engine serves ${known.join(', ')}, and refuses requests for "${model}", the model of the revision (status ${answer.status})`
  },
  isRight: async (url, { replica, model, probe }) => {
    const { prompt, expect, max_tokens } = probe
    const answer = await requestCompletion(url, { replica, body: { model, prompt, max_tokens, temperature: 0 } }, own)
    const completion = COMPLETION.safeParse(answer?.ok ? answer.body : undefined)
    return completion.success ? completion.data.choices[0]?.text.includes(expect) : undefined
  },
})

const requestCompletion = (
  url: string,
  { replica, body }: { readonly replica: string; readonly body: object },
  own: LiveCertificate | undefined,
): Promise<ReplicaResponse | undefined> =>
  askReplica(
    `${url}/v1/completions`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      within_ms: PROBE_MS,
      tlsName: replicaTlsName(replica),
    },
    own,
  )

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
