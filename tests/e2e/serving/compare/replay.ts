// The requests against the real system, open loop: each is sent when it is due, whatever became of the others.

import { Agent, request as post } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { KEY } from '../../../../packages/effects/gateway/test/setting.ts'
import type { Request } from './trace.ts'

/** Seconds on the clock that all processes of a machine share; due when the trace says so. */
export type TimedAnswer = Request & { readonly due_s: number; readonly first_s: number; readonly last_s: number; readonly ended_s: number }

const AGENT = new Agent({ keepAlive: true })

const now_s = (): number => (performance.timeOrigin + performance.now()) / 1000

export async function replayRequests(url: string, requests: readonly Request[]): Promise<readonly TimedAnswer[]> {
  const began = now_s() + 0.05
  const answers: Promise<TimedAnswer>[] = []
  for (const request of requests) {
    const due_s = began + request.at_s
    const wait_s = due_s - now_s()
    if (wait_s > 0) await pause(1000 * wait_s)
    answers.push(sendRequest(url, request, due_s))
  }
  return Promise.all(answers)
}

export function sendRequest(url: string, request: Request, due_s: number): Promise<TimedAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<TimedAnswer>()
  const { prompt, output } = request
  const body = JSON.stringify({ model: 'm', prompt, max_tokens: output, temperature: 0, ignore_eos: true, stream: true })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${KEY}` }
  const call = post(`${url}/v1/completions`, { agent: AGENT, method: 'POST', headers })
  call.on('error', reject)
  call.on('response', (answer) => {
    let first_s = Number.NaN
    let last_s = Number.NaN
    let tail = ''
    answer.on('data', (bytes: Buffer) => {
      tail = (tail + bytes.toString('latin1')).slice(-400)
      if (Number.isNaN(first_s)) first_s = now_s()
      if (Number.isNaN(last_s) && tail.includes('"finish_reason":"length"')) last_s = now_s()
    })
    answer.on('end', () => {
      if (answer.statusCode === 200 && last_s > 0) resolve({ ...request, due_s, first_s, last_s, ended_s: now_s() })
      else reject(new Error(`${answer.statusCode}: ${tail}`))
    })
  })
  call.end(body)
  return promise
}
