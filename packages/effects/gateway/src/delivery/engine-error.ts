// An engine's refusal in OpenAI's form. Engines differ: vLLM's code is a number, older ones put the message at the top, FastAPI says
// `detail`. The engine's own faults are reported without its text, which may name hosts and paths.

import { type ApiError, apiError } from '@ironlaw/contracts'
import { bodyShape } from '../front/body-shape.ts'
import { isObject, parseJson } from '../front/json.ts'

/** Codes are labels of metrics. */
const CODE = /^[\w.:-]{1,64}$/

/** Longer ones are no message for a client. */
const ERROR_BYTES = 65_536

export function engineError(status: number, body: Buffer): ApiError {
  if (status >= 500 || status < 400) return apiError('upstream_error', `the engine answered with status ${status}`)
  const readable = body.length <= ERROR_BYTES && !('problem' in bodyShape(body))
  const answer = readable ? parseJson(body.toString('utf8')) : undefined
  const error = isObject(answer) && isObject(answer['error']) ? answer['error'] : answer
  const text = (name: string): string | undefined => {
    const value = isObject(error) ? error[name] : undefined
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const detail = isObject(answer) && answer['detail'] !== undefined ? JSON.stringify(answer['detail']) : undefined
  const [param, code] = [text('param'), text('code')]
  return {
    status,
    type: text('type') ?? 'invalid_request_error',
    code: code !== undefined && CODE.test(code) ? code : 'invalid_value',
    message: text('message') ?? detail ?? `the engine refused the request with status ${status}`,
    ...(param === undefined ? {} : { param }),
  }
}
