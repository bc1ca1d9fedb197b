// A link with a one-time code, as "ironlaw up" and "ironlaw console" print it: the code becomes a token before the first page is shown.

import { call, storeToken } from './runs/api.ts'

const CODE = /^#code=([\w-]{43})$/

/** A control plane that takes longer does not block the pages that work without it. */
const ANSWER_WITHIN_MS = 5000

/** Why the last link failed, shown when the user is asked for a token. */
let problem = ''
export const loginProblem = (): string => problem

/** Removes the code from the address first, so that it ends up in no history, bookmark or copied address. */
export async function logIn(): Promise<void> {
  const [, code] = CODE.exec(location.hash) ?? []
  if (code === undefined) return
  history.replaceState(undefined, '', '#/runs')
  problem = await exchangeCode(code)
}

async function exchangeCode(code: string): Promise<string> {
  const answer = await call('logIn', { body: { code } }, AbortSignal.timeout(ANSWER_WITHIN_MS))
  if (answer.ok) storeToken(answer.value.token)
  else if (answer.status === 0) return 'The control plane does not answer. Open the link that "ironlaw console" prints when it does.'
  return answer.ok ? '' : sentence(`${answer.title}: ${answer.next}`)
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
