// A link with a one-time code, as "ironlaw up" and "ironlaw console" print it: the code becomes a token before the first page is shown.

import { storeToken } from './runs/api.ts'

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
  try {
    const answer = await fetch('/v1/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    const { token, title, next }: { token?: string; title?: string; next?: string } = await answer.json()
    if (!answer.ok || token === undefined)
      return sentence(`${title ?? 'the control plane refused the link'}: ${next ?? 'ask for a new one'}`)
    storeToken(token)
    return ''
  } catch {
    return 'The control plane does not answer. Open the link that "ironlaw console" prints when it does.'
  }
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
