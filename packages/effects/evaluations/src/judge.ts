// A model that says whether answers are right, and how far it can be believed: it judges the labelled answers as it judges the model's.

import type { EvaluateSpec } from '@ironlaw/contracts/evaluate-spec'
import type { EvaluationJudge, Instrument } from '@ironlaw/contracts/evaluation'
import type { EvaluationItem, ItemResult } from '@ironlaw/contracts/evaluation-items'
import {
  calibrateJudge,
  type ItemAnswer,
  judgeRequests,
  type JudgeVerdict,
  type LabelledVerdict,
  meanScore,
  readVerdict,
} from '@ironlaw/policies/evaluation'
import { askEngine, type AskedEngine } from './ask-engine.ts'
import { engineFacts } from './engine-facts.ts'
import type { EngineAddress } from './engine-request.ts'

type JudgedItem = EvaluationItem<'judged'>
type JudgeAnswers = Extract<ItemAnswer, { readonly said: 'verdicts' }>

export type OpenJudge = {
  readonly facts: NonNullable<Instrument['judge']>
  readonly judge: (item: JudgedItem, answer: string) => Promise<JudgeAnswers>
}

/** As likely the same verdict tomorrow as can be had. */
const SAMPLING = { temperature: 0, top_p: 1, seed: 1 }

export async function openJudge(spec: NonNullable<EvaluateSpec['judge']>, address: EngineAddress): Promise<OpenJudge> {
  const { engine, model, version, weights, quantization } = await engineFacts(address, spec.model)
  const asked: AskedEngine = { ...address, model, sampling: SAMPLING, template: 'chat' }
  const known = { ...(version !== undefined && { version }), ...(weights !== undefined && { weights }) }
  return {
    facts: { engine, model, ...known, ...(quantization !== undefined && { quantization }), prompt: spec.prompt },
    judge: async (item, answer) => {
      const verdicts: JudgeVerdict[] = []
      for (const request of judgeRequests(item, answer, spec)) {
        const { answer: said } = await askEngine({ ...asked, asked: `judge of item "${item.id}"` }, request)
        verdicts.push(readVerdict(said.said === 'text' ? said.text : ''))
      }
      return { said: 'verdicts', verdicts }
    },
  }
}

export type LabelledAnswer = { readonly id: string; readonly item: JudgedItem; readonly answer: string; readonly label: 0 | 1 }

export const labelledAnswers = (items: readonly EvaluationItem[]): readonly LabelledAnswer[] =>
  items.flatMap((item) =>
    item.kind === 'judged' ? item.labelled.map((each, place) => ({ ...each, id: `${place}#${item.id}`.slice(0, 200), item })) : [],
  )

/** How far the judge can be believed, from what it made of labelled answers, and what is right of those that it judged. */
export function judgedEvaluation(
  results: readonly ItemResult[],
  answers: readonly LabelledAnswer[],
  verdicts: readonly ItemResult[],
): EvaluationJudge {
  const scores = new Map(verdicts.map(({ id, score }) => [id, score]))
  const labelled: readonly LabelledVerdict[] = answers.map(({ id, label }) => ({ label, score: scores.get(id) ?? 0 }))
  const moved = [...results, ...verdicts].flatMap(({ values, cluster }) =>
    values['position'] === undefined ? [] : [{ score: values['position'], values: {}, ...(cluster !== undefined && { cluster }) }],
  )
  return { ...calibrateJudge(results, labelled), ...(moved.length > 0 && { position: meanScore(moved) }) }
}
