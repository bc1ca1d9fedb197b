// One item: its requests one after the other, and what came of them.

import { IronlawError, sha256 } from '@ironlaw/contracts'
import type { ItemResult, ItemText } from '@ironlaw/contracts/evaluation-items'
import { itemRequests, itemText, scoreItem } from '@ironlaw/policies/evaluation'
import { askEngine, type EngineAnswer } from './ask-engine.ts'
import type { Prepared } from './prepare.ts'

export async function answerItem(
  { engine, reading, instrument }: Prepared,
  item: Prepared['items'][number],
  onText?: (text: ItemText) => void,
): Promise<ItemResult> {
  const requests = itemRequests(item, reading)
  const began = performance.now()
  const said: EngineAnswer[] = []
  for (const request of requests) said.push(await askEngine({ ...engine, asked: `item "${item.id}"` }, request))
  const ms = performance.now() - began
  const answers = said.map(({ answer }) => answer)
  const scored = scoreItem(item, requests, answers)
  if (!scored)
    throw new IronlawError(
      'IL_ENGINE',
      { url: engine.url, reason: `item "${item.id}": the chances of its tokens are missing` },
      { next: 'use an engine whose completions take a prompt of tokens with echo and logprobs ("ironlaw engine", vLLM)' },
    )
  onText?.(itemText(item, requests, answers))
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
