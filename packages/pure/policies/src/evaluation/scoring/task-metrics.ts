// The metrics of a task, from what its items came to.

import type { TaskKind } from '@ironlaw/contracts/evaluation-items'
import { expectedCalibrationError } from './calibration-error.ts'
import type { Metrics } from './metrics.ts'
import type { ItemScore } from './score-item.ts'

/** Of all kinds but predictions, whose classes stand in the items (`predictionMetrics`). Without items there are no metrics. */
export function taskMetrics(kind: Exclude<TaskKind, 'prediction'>, scores: readonly ItemScore[]): Metrics {
  if (scores.length === 0) return {}
  const sumOf = (value: string): number => scores.reduce((sum, { values }) => sum + (values[value] ?? Number.NaN), 0)
  const meanOf = (value: string): number => sumOf(value) / scores.length
  switch (kind) {
    case 'choice':
      return {
        accuracy: meanOf('accuracy'),
        accuracy_per_byte: meanOf('accuracy_per_byte'),
        accuracy_per_character: meanOf('accuracy_per_character'),
        brier: meanOf('brier'),
        ece: expectedCalibrationError(
          scores.map(({ values }) => ({ confidence: values['confidence'] ?? Number.NaN, isRight: values['accuracy'] === 1 })),
        ),
      }
    case 'continuation':
      return { accuracy: meanOf('accuracy'), perplexity: Math.exp(-meanOf('log_likelihood')) }
    case 'text': {
      const nats = -sumOf('log_likelihood')
      return {
        word_perplexity: Math.exp(nats / sumOf('words')),
        byte_perplexity: Math.exp(nats / sumOf('bytes')),
        bits_per_byte: nats / sumOf('bytes') / Math.LN2,
      }
    }
    case 'answer':
      return { exact_match: meanOf('exact_match') }
    case 'program':
      return Object.fromEntries(Object.keys(scores[0]?.values ?? {}).map((value) => [value, meanOf(value)]))
    case 'judged':
      return { judged: meanOf('judged'), unclear: meanOf('unclear') }
  }
}
