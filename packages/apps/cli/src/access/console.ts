// `ironlaw console`: a link that opens the console logged in, once. The code is in the fragment, which browsers do not send.

import type { CommandAnswer } from '../answer.ts'
import { api } from '../api/api-client.ts'
import { context } from '../context/context.ts'

export async function createConsoleLink(): Promise<CommandAnswer> {
  const to = context()
  const { code, expires_at } = await api(to).createLoginCode({})
  const link = new URL(`/console/#code=${code}`, to.api).href
  return { json: { link, expires_at }, text: () => `${link}\nopens the console logged in: once, and within five minutes` }
}
