// `ironlaw console`: a link that opens the console logged in, once. The code is in the fragment, which browsers do not send.

import { LOGIN_CODE } from '@ironlaw/contracts/api'
import type { CommandAnswer } from '../answer.ts'
import { post } from './api-client.ts'
import { context } from './context.ts'

export async function createConsoleLink(): Promise<CommandAnswer> {
  const to = context()
  const { code, expires_at } = await post(to, '/v1/login-codes', { body: {}, answer: LOGIN_CODE })
  const link = new URL(`/console/#code=${code}`, to.api).href
  return { json: { link, expires_at }, text: () => `${link}\nopens the console logged in: once, and within five minutes` }
}
