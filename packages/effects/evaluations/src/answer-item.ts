// One item: its requests one after the other, what was written run where it is a program, and what came of it.

import { IronlawError, sha256 } from '@ironlaw/contracts'
import type { ItemResult } from '@ironlaw/contracts/evaluation-items'
import { type ItemAnswer, itemRequests, programText, scoreItem } from '@ironlaw/policies/evaluation'
import { askEngine, type EngineAnswer } from './ask-engine.ts'
import type { Prepared } from './prepare.ts'

type Item = Prepared['items'][number]

export async function answerItem(prepared: Prepared, item: Item): Promise<ItemResult> {
  const { engine, reading, instrument } = prepared
  const requests = itemRequests(item, reading)
  const began = performance.now()
  const said: EngineAnswer[] = []
  for (const request of requests) said.push(await askEngine({ ...engine, asked: `item "${item.id}"` }, request))
  const ms = performance.now() - began
  const answers = said.map(({ answer }) => answer)
  const scored = scoreItem(item, requests, await judgedAnswers(prepared, item, answers))
  if (!scored)
    throw new IronlawError(
      'IL_ENGINE',
      { url: engine.url, reason: `item "${item.id}": the chances of its tokens are missing` },
      { next: 'use an engine whose completions take a prompt of tokens with echo and logprobs ("ironlaw engine", vLLM)' },
    )
  const { score, values } = scored
  return {
    id: item.id,
    score: values[instrument.metric] ?? score,
    values,
    tokens_in: said.reduce((sum, { tokens_in }) => sum + tokens_in, 0),
    tokens_out: said.reduce((sum, { tokens_out }) => sum + tokens_out, 0),
    ms,
    output_digest: sha256(JSON.stringify(answers)),
    ...(item.cluster !== undefined && { cluster: item.cluster }),
    ...(item.slices !== undefined && { slices: item.slices }),
  }
}

/** What can only be judged by what it does is run. */
async function judgedAnswers({ runner }: Prepared, item: Item, answers: readonly ItemAnswer[]): Promise<readonly ItemAnswer[]> {
  const [first] = answers
  if (item.kind !== 'program' || first?.said !== 'text' || !runner) return answers
  const { ended } = await runner({ program: programText(item, first.text), tests: item.tests })
  return [{ said: 'ran', ended }]
}
