// What an item is worth, from what the engine said of it. `values` hold what the metrics of a task are made from, so that any set of items can
// be summed up again without the engine.

import type { EvaluationItem } from '@ironlaw/contracts/evaluation-items'
import type { ItemRequest, LikelihoodRequest } from './item-requests.ts'
import type { JudgeVerdict } from './judge-prompt.ts'
import { likeliestClass } from './prediction-metrics.ts'
import { isRightAnswer } from './read-answer.ts'

/** Of a prompt that was echoed, one for each token; tokens that were generated after it may follow. */
export type EchoedTokens = {
  readonly logprobs: readonly (number | null)[]
  /** Of the likeliest token at each place. */
  readonly largest: readonly (number | null)[]
}

export type ItemAnswer =
  | ({ readonly said: 'echo' } & EchoedTokens)
  | { readonly said: 'text'; readonly text: string }
  /** What a judge said of the answer, in each order. */
  | { readonly said: 'verdicts'; readonly verdicts: readonly JudgeVerdict[] }
  /** What became of the program that was written. */
  | { readonly said: 'ran'; readonly ended: 'passed' | 'failed' | 'timed-out' | 'printed-too-much' }

export type ItemScore = { readonly score: number; readonly values: Readonly<Record<string, number>> }

export type ScoredKind = 'choice' | 'continuation' | 'text' | 'answer' | 'program' | 'judged' | 'prediction'

/** Undefined where an answer is missing or has too few tokens: the item was not answered, and is not wrong. */
export function scoreItem(
  item: EvaluationItem<ScoredKind>,
  requests: readonly ItemRequest[],
  answers: readonly ItemAnswer[],
): ItemScore | undefined {
  if (item.kind === 'prediction') return predictionScore(item)
  if (item.kind === 'answer') {
    const [answer] = answers
    return answer?.said === 'text' ? plainScore('exact_match', isRightAnswer(item, answer.text)) : undefined
  }
  if (item.kind === 'program') {
    const [answer] = answers
    return answer?.said === 'ran' ? programScore(answer.ended) : undefined
  }
  if (item.kind === 'judged') {
    const [answer] = answers
    return answer?.said === 'verdicts' ? verdictScore(answer.verdicts) : undefined
  }
  const likelihoods: Likelihood[] = []
  for (const [index, request] of requests.entries()) {
    const answer = answers[index]
    const likelihood = request.ask === 'likelihood' && answer?.said === 'echo' ? likelihoodOf(request, answer) : undefined
    if (!likelihood) return undefined
    likelihoods.push(likelihood)
  }
  switch (item.kind) {
    case 'choice':
      return choiceScore(item, likelihoods)
    case 'continuation':
      return continuationScore(likelihoods)
    case 'text':
      return textScore(item.text, likelihoods)
  }
}

/** Undefined where an answer is missing. */
export function likeliestPlace(requests: readonly ItemRequest[], answers: readonly ItemAnswer[]): number | undefined {
  const likelihoods = requests.map((request, index) => {
    const answer = answers[index]
    return request.ask === 'likelihood' && answer?.said === 'echo' ? likelihoodOf(request, answer)?.log_likelihood : undefined
  })
  const known = likelihoods.filter((each) => each !== undefined)
  return known.length === 0 || known.length < likelihoods.length ? undefined : largestPlace(known)
}

type Likelihood = { readonly log_likelihood: number; readonly isGreedy: boolean }

/** Undefined where the answer lacks a token that counts. */
function likelihoodOf({ tokens, from }: LikelihoodRequest, { logprobs, largest }: EchoedTokens): Likelihood | undefined {
  let log_likelihood = 0
  let isGreedy = true
  for (let place = from; place < tokens.length; place += 1) {
    const [own, most] = [logprobs[place], largest[place]]
    if (typeof own !== 'number' || typeof most !== 'number') return undefined
    log_likelihood += own
    isGreedy &&= own >= most
  }
  return { log_likelihood, isGreedy }
}

const plainScore = (metric: string, isRight: boolean): ItemScore => ({ score: Number(isRight), values: { [metric]: Number(isRight) } })

function choiceScore({ choices, answer }: EvaluationItem<'choice'>, likelihoods: readonly Likelihood[]): ItemScore {
  const own = likelihoods.map(({ log_likelihood }) => log_likelihood)
  const isRight = (values: readonly number[]): number => Number(largestPlace(values) === answer)
  const shares = softmax(own)
  const accuracy = isRight(own)
  return {
    score: accuracy,
    values: {
      accuracy,
      accuracy_per_byte: isRight(own.map((value, index) => value / byteLength(choices[index] ?? ''))),
      // `acc_norm` of lm-evaluation-harness; the same as by bytes where all choices are ASCII.
      accuracy_per_character: isRight(own.map((value, index) => value / [...(choices[index] ?? '')].length)),
      confidence: Math.max(...shares),
      brier: shares.reduce((sum, share, index) => sum + (share - Number(index === answer)) ** 2, 0),
    },
  }
}

function continuationScore([only]: readonly Likelihood[]): ItemScore | undefined {
  if (!only) return undefined
  const accuracy = Number(only.isGreedy)
  return { score: accuracy, values: { accuracy, log_likelihood: only.log_likelihood } }
}

/** The score is the chance of a byte, as a mean of all of the text: 1 for a text that was known by heart. */
function textScore(text: string, likelihoods: readonly Likelihood[]): ItemScore {
  const log_likelihood = likelihoods.reduce((sum, own) => sum + own.log_likelihood, 0)
  const bytes = byteLength(text)
  return { score: Math.exp(log_likelihood / bytes), values: { log_likelihood, bytes, words: text.split(/\s+/).length } }
}

function programScore(ended: Extract<ItemAnswer, { readonly said: 'ran' }>['ended']): ItemScore {
  const passed = Number(ended === 'passed')
  return { score: passed, values: { passed, timed_out: Number(ended === 'timed-out') } }
}

/** An unclear verdict is not one for the answer. */
export function verdictScore(verdicts: readonly JudgeVerdict[]): ItemScore {
  const shareOf = (verdict: JudgeVerdict): number => verdicts.filter((each) => each === verdict).length / Math.max(1, verdicts.length)
  const judged = shareOf('right')
  const moved = verdicts.length > 1 && { position: Number(new Set(verdicts).size > 1) }
  return { score: judged, values: { judged, unclear: shareOf('unclear'), ...moved } }
}

function predictionScore(item: EvaluationItem<'prediction'>): ItemScore {
  const { label, probabilities, tolerance } = item
  const said = item.prediction ?? likeliestClass(probabilities ?? {})
  if (typeof label === 'number') {
    // The middle of what was said, where quantiles are all of it.
    const point = typeof said === 'number' ? said : item.quantiles?.['0.5']
    if (point === undefined) return { score: 0, values: {} }
    const error = Math.abs(point - label)
    return { score: Number(error <= tolerance), values: { absolute_error: error, squared_error: error * error } }
  }
  return plainScore('accuracy', said === label)
}

/** The first of several that are equal. */
function largestPlace(values: readonly number[]): number {
  return values.reduce((best, value, place) => (value > (values[best] ?? -Infinity) ? place : best), 0)
}

function softmax(values: readonly number[]): readonly number[] {
  const largest = Math.max(...values)
  const weights = values.map((value) => Math.exp(value - largest))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}

const ENCODER = new TextEncoder()
const byteLength = (text: string): number => ENCODER.encode(text).length
