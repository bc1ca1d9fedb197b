// One streamed answer, timed over bare HTTP so that the client costs less than what it measures. Prompts are token ids, so their length
// does not depend on the tokenizer.

import { Agent, request } from 'node:http'
import { IronlawError } from '@ironlaw/contracts'

export type CompletionRequest = { readonly model: string; readonly prompt: readonly number[]; readonly max_tokens: number }

/** In seconds on this process's clock: when the request was sent, and when each piece of the answer arrived. */
export type StreamTimes = { readonly at_s: number; readonly pieces_s: readonly number[] }

const now_s = (): number => performance.now() / 1000

const AGENT = new Agent({ keepAlive: true })

export function timeStream(url: string, asked: CompletionRequest): Promise<StreamTimes> {
  const { promise, resolve, reject } = Promise.withResolvers<StreamTimes>()
  const body = JSON.stringify({ ...asked, temperature: 0, ignore_eos: true, stream: true })
  const at_s = now_s()
  const pieces_s: number[] = []
  const call = request(`${url}/v1/completions`, { agent: AGENT, method: 'POST', headers: { 'content-type': 'application/json' } })
  call.on('error', reject)
  call.on('response', (answer) => {
    let tail = ''
    answer.on('data', (bytes: Buffer) => {
      tail = (tail + bytes.toString('latin1')).slice(-400)
      // The finish reason follows the last token; the rest is framing.
      if (!tail.includes('"finish_reason":"length"')) pieces_s.push(now_s())
    })
    answer.on('end', () => {
      if (answer.statusCode === 200 && pieces_s.length > 0) resolve({ at_s, pieces_s })
      else reject(new IronlawError('IL_API', { code: `HTTP ${answer.statusCode}`, problem: tail.slice(0, 300), next: 'see its output' }))
    })
  })
  call.end(body)
  return promise
}
