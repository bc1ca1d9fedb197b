// Replicas as the control plane reaches them: where they said they are, whether they are ready, and what they answer to known prompts.
// Not being reached is an answer.

import type { Probe } from '@ironlaw/contracts/deployment-api'
import * as z from 'zod'
import type { Site } from '../reconcile/site.ts'
import { promptLooks } from '../storage/prompt-looks.ts'
import { type SharedStorage, sharedStorage } from '../storage/shared-storage.ts'
import { endpointFile } from './replica-job.ts'

export type ReplicaAccess = {
  readonly endpoint: (replica: string) => Promise<string | undefined>
  readonly isReady: (url: string) => Promise<boolean>
  /** Undefined where it did not answer. */
  readonly isRight: (url: string, asked: { readonly model: string; readonly probe: Probe }) => Promise<boolean | undefined>
}

const READY_MS = 1500
const PROBE_MS = 5000
/** A URL and a line's end. */
const ENDPOINT_BYTES = 4096
const ENDPOINT = z.url({ protocol: /^http$/ })
const COMPLETION = z.object({ choices: z.array(z.object({ text: z.string() })).min(1) })

export const replicaAccess = (
  site: Pick<Site, 'runs'>,
  storage: SharedStorage = sharedStorage(() => undefined),
  looks = promptLooks(),
): ReplicaAccess => ({
  endpoint: async (replica) => {
    const file = endpointFile(site, replica)
    const found = await looks(replica, () => storage.perform('read', { file, limit_bytes: ENDPOINT_BYTES }))
    return 'away' in found ? undefined : ENDPOINT.safeParse(found.value?.trim()).data
  },
  isReady: async (url) => (await fetched(`${url}/ready`, { signal: AbortSignal.timeout(READY_MS) })) !== undefined,
  isRight: async (url, { model, probe }) => {
    const { prompt, expect, max_tokens } = probe
    const body = JSON.stringify({ model, prompt, max_tokens, temperature: 0 })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal: AbortSignal.timeout(PROBE_MS) }
    const completion = COMPLETION.safeParse(await fetched(`${url}/v1/completions`, init))
    return completion.success ? completion.data.choices[0]?.text.includes(expect) : undefined
  },
})

/** Its body, as JSON where it is; undefined unless the status says that all is well. */
async function fetched(url: string, init: RequestInit): Promise<unknown> {
  try {
    const answer = await fetch(url, init)
    const text = await answer.text()
    return answer.ok ? ((answer.headers.get('content-type') ?? '').startsWith('application/json') ? JSON.parse(text) : text) : undefined
  } catch {
    return undefined
  }
}
