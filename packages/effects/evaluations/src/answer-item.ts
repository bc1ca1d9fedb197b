// One item: its requests one after the other, what was written run where it is a program, and what came of it.

import { IronlawError, sha256 } from '@ironlaw/contracts'
import type { ItemResult, ItemText } from '@ironlaw/contracts/evaluation-items'
import { type ItemAnswer, itemRequests, itemText, programText, scoreItem, verdictScore } from '@ironlaw/policies/evaluation'
import { askEngine, type EngineAnswer } from './ask-engine.ts'
import type { LabelledAnswer, OpenJudge } from './judge.ts'
import type { Prepared } from './prepare.ts'

type Item = Prepared['items'][number]

export async function answerItem(prepared: Prepared, item: Item, onText?: (text: ItemText) => void): Promise<ItemResult> {
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

/** What can only be judged by what it does is run; what can only be judged by reading it is read. */
async function judgedAnswers({ runner, judge }: Prepared, item: Item, answers: readonly ItemAnswer[]): Promise<readonly ItemAnswer[]> {
  const [first] = answers
  if (first?.said !== 'text') return answers
  if (item.kind === 'judged' && judge) return [await judge.judge(item, first.text)]
  if (item.kind !== 'program' || !runner) return answers
  const { ended } = await runner({ program: programText(item, first.text), tests: item.tests })
  return [{ said: 'ran', ended }]
}

/** As an answer of the model is judged, so that the errors measured are those made. */
export async function judgeLabelled({ judge }: OpenJudge, { id, item, answer }: LabelledAnswer): Promise<ItemResult> {
  const began = performance.now()
  const judged = await judge(item, answer)
  const ms = performance.now() - began
  return { id, ...verdictScore(judged.verdicts), tokens_in: 0, tokens_out: 0, ms, output_digest: sha256(JSON.stringify(judged)) }
}
