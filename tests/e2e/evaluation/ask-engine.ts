// One request of an item to a server of OpenAI's API.

import type { ItemAnswer, ItemRequest } from '@ironlaw/policies/evaluation'

export type EngineAddress = { readonly url: string; readonly model: string }

type CompletionAnswer = {
  readonly choices: readonly {
    readonly text: string
    readonly logprobs: {
      readonly token_logprobs: readonly (number | null)[]
      readonly top_logprobs: readonly (Readonly<Record<string, number>> | null)[]
    } | null
  }[]
}

export async function askEngine({ url, model }: EngineAddress, request: ItemRequest): Promise<ItemAnswer> {
  if (request.ask === 'likelihood') {
    const { logprobs } = await completion(url, { model, prompt: request.tokens, echo: true, logprobs: 1, max_tokens: 0, temperature: 0 })
    return {
      said: 'echo',
      logprobs: logprobs?.token_logprobs ?? [],
      largest: logprobs?.top_logprobs.map((top) => (top ? Math.max(...Object.values(top)) : null)) ?? [],
    }
  }
  if (!('prompt' in request.input)) throw new Error('these items have prompts')
  const { until, most_tokens, input } = request
  const { text } = await completion(url, { model, prompt: input.prompt, stop: until, max_tokens: most_tokens, temperature: 0 })
  return { said: 'text', text }
}

async function completion(url: string, body: object): Promise<CompletionAnswer['choices'][number]> {
  const answer = await fetch(`${url}/v1/completions`, { method: 'POST', body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`the engine refused: ${await answer.text()}`)
  const { choices } = (await answer.json()) as CompletionAnswer
  const [choice] = choices
  if (!choice) throw new Error('the engine answered without a choice')
  return choice
}
