// A prompt whose most likely continuation is known: what shows that an engine not only answers but answers right.

import type { ServingEngine } from '../engine.ts'

export type KnownAnswer = { readonly prompt: string; readonly text: string }

const PROMPT = 'The quick brown fox'
const TOKENS = 16
const WITHIN_MS = 60_000

type Verdict = { readonly right: boolean; readonly text: string; readonly known: KnownAnswer }

/** What comes now is what counts as known where nothing is given. */
export async function checkKnownAnswer(engine: ServingEngine, known: KnownAnswer | undefined): Promise<Verdict> {
  const prompt = known?.prompt ?? PROMPT
  let text = ''
  const sampling = { temperature: 0, top_p: 1, top_k: 0, min_p: 0, frequency_penalty: 0, presence_penalty: 0 }
  const request = { prompt: { kind: 'text', text: prompt } as const, max_tokens: TOKENS, sampling, stop: [], ignore_end: true }
  for await (const part of engine.generate(request, AbortSignal.timeout(WITHIN_MS))) if (part.part === 'text') text += part.text
  return { right: known === undefined || text === known.text, text, known: known ?? { prompt, text } }
}
