// What clients felt, divided by what the engines were doing meanwhile.

import { engineSteps } from '@ironlaw/policies/serving'
import type { AccountedRequest } from '@ironlaw/simulator/serving'
import type { EngineTimes } from './bed.ts'
import type { TimedAnswer } from './replay.ts'

/** Engines tell their answers apart by the prompt. Whoever asked before `ready_s` waited for the first engine to be there. */
export function measuredRequests(
  answers: readonly TimedAnswer[],
  engines: readonly (readonly EngineTimes[])[],
  ready_s = 0,
): readonly AccountedRequest[] {
  const from_s = Math.min(...answers.map(({ due_s }) => due_s)) - EARLY_S
  const lately = engines.map((times) => times.filter(({ at_s }) => at_s >= from_s))
  const tried = new Map<string, number>()
  for (const { prompt, at_s } of lately.flat()) tried.set(prompt, Math.min(at_s, tried.get(prompt) ?? Infinity))
  const found = new Map([
    // The model's end has no text: an answer of nothing else shows no token.
    ...lately
      .flat()
      .map(({ prompt, at_s, ended_s }): [string, EngineSpan] => [prompt, { at_s, began_s: at_s, first_s: ended_s, last_s: ended_s }]),
    ...lately.flatMap((times) => {
      const steps = engineSteps(times.map((each) => ({ ...each, prompt: each.prompt.length })))
      return steps.flatMap(({ begun, from_s: step_s }) =>
        begun.flatMap((answer): [string, EngineSpan][] => {
          const { prompt = '', at_s = 0, tokens_s = [] } = times[answer] ?? {}
          const first_s = tokens_s[0] ?? at_s
          return [[prompt, { at_s, began_s: Math.max(at_s, step_s), first_s, last_s: tokens_s.at(-1) ?? first_s }]]
        }),
      )
    }),
  ])
  return answers.map(({ at_s, prompt, output, due_s, first_s, last_s }) => {
    const inside = found.get(prompt)
    if (!inside) throw new Error('an answer that no engine made')
    const cold = Math.max(0, ready_s - due_s)
    const tried_s = tried.get(prompt) ?? inside.at_s
    const causes = {
      'cold start': cold,
      // From the first engine that saw it to the one that answered.
      retries: inside.at_s - tried_s,
      network: tried_s - due_s - cold + (last_s - inside.last_s),
      queue: inside.began_s - inside.at_s,
      prefill: inside.first_s - inside.began_s,
      decode: inside.last_s - inside.first_s,
    }
    return { at_s, output, ttft_s: first_s - due_s, latency_s: last_s - due_s, causes }
  })
}

/** A timer may be early by a moment; the replay before ended longer ago. */
const EARLY_S = 0.1

type EngineSpan = { readonly at_s: number; readonly began_s: number; readonly first_s: number; readonly last_s: number }
