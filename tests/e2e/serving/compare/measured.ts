// What clients felt, divided by what the engines were doing meanwhile.

import { engineSteps } from '@ironlaw/policies/serving'
import type { EngineTimes } from './bed.ts'
import type { Answered } from './replay.ts'
import type { Served } from './served.ts'

/** Engines tell their answers apart by the prompt. Whoever asked before `ready_s` waited for the first engine to be there. */
export function measured(answers: readonly Answered[], engines: readonly (readonly EngineTimes[])[], ready_s = 0): readonly Served[] {
  const from_s = Math.min(...answers.map(({ due_s }) => due_s)) - EARLY_S
  const found = new Map(
    engines.flatMap((all) => {
      const times = all.filter(({ at_s }) => at_s >= from_s)
      const steps = engineSteps(times.map((each) => ({ ...each, prompt: each.prompt.length })))
      return steps.flatMap(({ begun, from_s }) =>
        begun.flatMap((answer): [string, Inside][] => {
          const { prompt = '', at_s = 0, tokens_s = [] } = times[answer] ?? {}
          const first_s = tokens_s[0] ?? at_s
          return [[prompt, { at_s, began_s: Math.max(at_s, from_s), first_s, last_s: tokens_s.at(-1) ?? first_s }]]
        }),
      )
    }),
  )
  return answers.map(({ at_s, prompt, output, due_s, first_s, last_s }) => {
    const inside = found.get(prompt)
    if (!inside) throw new Error('an answer that no engine made')
    const cold = Math.max(0, ready_s - due_s)
    const causes = {
      'cold start': cold,
      retries: 0,
      network: inside.at_s - due_s - cold + (last_s - inside.last_s),
      queue: inside.began_s - inside.at_s,
      prefill: inside.first_s - inside.began_s,
      decode: inside.last_s - inside.first_s,
    }
    return { at_s, output, ttft_s: first_s - due_s, latency_s: last_s - due_s, causes }
  })
}

/** A timer may be early by a moment; the replay before ended longer ago. */
const EARLY_S = 0.1

type Inside = { readonly at_s: number; readonly began_s: number; readonly first_s: number; readonly last_s: number }
